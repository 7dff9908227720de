/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals that a recording obeys. A thread reads them, so that one that asks for the end a
 * second time is heard whatever the others are waiting for. Threads that are made afterwards
 * get no such signal.
 */
#ifndef KMT_CAPTURE_SIGNALS_H
#define KMT_CAPTURE_SIGNALS_H

#include <glib.h>
#include <signal.h>

typedef struct {
	int fd;			/* readable when something came; −1: nothing is caught */
	int hurry;		/* readable for ever once the end was asked for a second time: */
				/* half a second after the first, or later */
	/* Private: */
	int source, quit;	/* what the thread reads, and what ends it */
	GThread *thread;
	gint ends, snapshots;	/* asked for; atomic */
	gint64 end_us;		/* when the end was asked for first */
	gboolean blocked;
	sigset_t old;
} Signals;

typedef enum {
	SIGNALS_NONE,
	SIGNALS_SNAPSHOT,	/* SIGUSR1 */
	SIGNALS_END,		/* SIGINT, SIGTERM, SIGHUP, SIGQUIT */
} SignalsWish;

/* SIGCHLD only makes the descriptor readable. @signals stays where it is until it's released. */
gboolean signals_catch(Signals *signals, GError **error);

/* What was asked for since the last call; from the first wish for an end on, the end. */
SignalsWish signals_take(Signals *signals);

/* Whether the end was asked for more than once. */
gboolean signals_is_hurried(const Signals *signals);

void signals_release(Signals *signals);

#endif
