/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals that a recorder handles. A thread reads them, so that a second request to end is
 * noticed whatever other threads wait for. Threads that are created afterwards get no such signal.
 */
#ifndef KMT_CAPTURE_PROCESS_SIGNALS_H
#define KMT_CAPTURE_PROCESS_SIGNALS_H

#include <glib.h>
#include <signal.h>

typedef struct {
	int fd;    /* readable when something came; −1: nothing is caught */
	int hurry; /* readable for ever once the end was asked for a second time: */
		   /* half a second after the first, or later */
	void (*abandon)(gpointer data); /* see signals_abandon_by() */
	gpointer data;
	/* Private: */
	int source, quit; /* what the thread reads, and what ends it */
	GThread *thread;
	gint ends, snapshots; /* asked for; atomic */
	gint64 end_us;        /* when the end was asked for last, as another request */
	GMutex lock;          /* for @abandon */
	gboolean blocked;
	sigset_t old;
} Signals;

typedef enum {
	SIGNALS_NONE,
	SIGNALS_SNAPSHOT, /* SIGUSR1 */
	SIGNALS_END,      /* SIGINT, SIGTERM, SIGHUP, SIGQUIT */
} SignalsWish;

/* SIGCHLD only makes the descriptor readable. @signals stays where it is until it's released. */
gboolean signals_catch(Signals *signals, GError **error);

/* What was asked for since the last call; from the first wish for an end on, the end. */
SignalsWish signals_take(Signals *signals);

/* Whether the end was asked for more than once. */
gboolean signals_is_hurried(const Signals *signals);

/*
 * Where the end that was asked for twice doesn't come in half a minute, or is asked for a third
 * time, something in the kernel keeps this process waiting. Then @abandon is called, by another
 * thread; a message follows, all files are closed, and the process exits. NULL: nothing is called.
 */
void signals_abandon_by(Signals *signals, void (*abandon)(gpointer data), gpointer data);

void signals_release(Signals *signals);

#endif
