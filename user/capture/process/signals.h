/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals that a recorder handles. A thread reads them, so that a second request to end is
 * noticed even if all other threads are blocked. Threads created later don't get them.
 */
#ifndef KMT_CAPTURE_PROCESS_SIGNALS_H
#define KMT_CAPTURE_PROCESS_SIGNALS_H

#include <glib.h>
#include <signal.h>

typedef struct {
	int fd;                         /* readable after a signal; -1: nothing is caught */
	int hurry;                      /* readable forever after the second request to end, */
					/* at least half a second after the first one */
	void (*abandon)(gpointer data); /* see signals_abandon_by() */
	gpointer data;
	/* Private: */
	int source, quit; /* the thread's input, and a descriptor that ends it */
	GThread *thread;
	gint ends, writes; /* number of requests; atomic */
	gint64 end_us;     /* time of the last separate request to end */
	GMutex lock;       /* for @abandon */
	gboolean blocked;
	sigset_t old;
} Signals;

typedef enum {
	SIGNALS_NONE,
	SIGNALS_WRITE, /* SIGUSR1 */
	SIGNALS_END,   /* SIGINT, SIGTERM, SIGHUP, SIGQUIT */
} SignalsWish;

/*
 * Makes SIGUSR1, which would end the process until then, wait for signals_catch(). The command's
 * process has a signal mask of its own.
 */
void signals_defer_writes(void);

/*
 * Starts to catch signals. SIGCHLD only makes the descriptor readable. @signals must not move until
 * it is released.
 */
gboolean signals_catch(Signals *signals, GError **error);

/* Returns the request since the last call; after the first request to end, always the end. */
SignalsWish signals_take(Signals *signals);

/* Returns whether the end was requested, and takes no request. */
gboolean signals_are_ending(const Signals *signals);

/* Returns whether the end was requested more than once. */
gboolean signals_is_hurried(const Signals *signals);

/*
 * If the recorder has not ended half a minute after the second request, or at the third request,
 * something in the kernel blocks it. Then another thread calls @abandon (may be NULL) and waits a
 * second for it; a message follows, all files are closed, and the process exits.
 */
void signals_abandon_by(Signals *signals, void (*abandon)(gpointer data), gpointer data);

void signals_release(Signals *signals);

#endif
