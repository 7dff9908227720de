/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals that a recording obeys, read instead of delivered. Threads that are made afterwards
 * inherit that.
 */
#ifndef KMT_CAPTURE_SIGNALS_H
#define KMT_CAPTURE_SIGNALS_H

#include <glib.h>
#include <signal.h>

typedef struct {
	int fd;			/* readable when there is one; −1: nothing is caught */
	sigset_t old;
} Signals;

typedef enum {
	SIGNALS_NONE,
	SIGNALS_SNAPSHOT,	/* SIGUSR1 */
	SIGNALS_END,		/* SIGINT, SIGTERM, SIGHUP, SIGQUIT */
} SignalsWish;

/* SIGCHLD only makes the descriptor readable. */
gboolean signals_catch(Signals *signals, GError **error);

/* What was asked for since the last call; the end if both. */
SignalsWish signals_take(const Signals *signals);

void signals_release(Signals *signals);

#endif
