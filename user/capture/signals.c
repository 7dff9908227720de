// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/signals.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "capture/control.h"

#define SAME_REQUEST_US	500000

static void notify(int fd)
{
	eventfd_write(fd, 1);	/* it fails only where it's readable already */
}

/*
 * One request may come as several signals: timeout(1) sends its own to the process and to its
 * group, a terminal that goes away sends SIGHUP and its shell another one.
 */
static void request_end(Signals *signals)
{
	gint64 now = g_get_monotonic_time();

	if (!g_atomic_int_get(&signals->ends)) {
		signals->end_us = now;
		g_atomic_int_set(&signals->ends, 1);
	} else if (now - signals->end_us >= SAME_REQUEST_US) {
		g_atomic_int_set(&signals->ends, 2);
		notify(signals->hurry);
	}
}

static void handle_signal(Signals *signals, guint signo)
{
	if (signo == SIGUSR1)
		g_atomic_int_inc(&signals->snapshots);
	else if (signo != SIGCHLD)
		request_end(signals);
	notify(signals->fd);
}

static gpointer watch(gpointer data)
{
	Signals *signals = data;
	struct pollfd fds[] = {
		{ .fd = signals->source, .events = POLLIN },
		{ .fd = signals->quit, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	while (!fds[1].revents) {
		while (read(signals->source, &info, sizeof(info)) == sizeof(info))
			handle_signal(signals, info.ssi_signo);
		poll(fds, G_N_ELEMENTS(fds), -1);
	}
	return NULL;
}

static void block(sigset_t *old, sigset_t *mask)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGUSR1 };

	sigemptyset(mask);
	for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaddset(mask, signals[i]);
	pthread_sigmask(SIG_BLOCK, mask, old);
}

gboolean signals_catch(Signals *signals, GError **error)
{
	sigset_t mask;

	signal(SIGCHLD, SIG_DFL);	/* where it was ignored, a child would leave no status */
	block(&signals->old, &mask);
	signals->blocked = TRUE;
	signals->source = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	signals->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	signals->hurry = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	signals->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (MIN(MIN(signals->source, signals->fd), MIN(signals->hurry, signals->quit)) >= 0) {
		signals->thread = g_thread_try_new("signals", watch, signals, error);
		return signals->thread != NULL;
	}
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't catch signals: %s",
		    g_strerror(errno));
	return FALSE;
}

SignalsWish signals_take(Signals *signals)
{
	eventfd_t count;

	eventfd_read(signals->fd, &count);
	if (g_atomic_int_get(&signals->ends))
		return SIGNALS_END;
	return g_atomic_int_and((guint *)&signals->snapshots, 0) ? SIGNALS_SNAPSHOT : SIGNALS_NONE;
}

gboolean signals_is_hurried(const Signals *signals)
{
	return g_atomic_int_get(&signals->ends) > 1;
}

void signals_release(Signals *signals)
{
	const int fds[] = { signals->source, signals->fd, signals->hurry, signals->quit };

	if (!signals->blocked)
		return;
	if (signals->thread) {
		notify(signals->quit);
		g_thread_join(signals->thread);
	}
	for (guint i = 0; i < G_N_ELEMENTS(fds); i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	pthread_sigmask(SIG_SETMASK, &signals->old, NULL);
	signals->blocked = FALSE;
	signals->fd = -1;
}
