// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/signals.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.h"
#include "capture/tracer/control.h"

#define SAME_REQUEST_US 500000
#define LOOK_MS         1000
#define PATIENCE_US     (30 * G_USEC_PER_SEC)
#define ABANDON_US      G_USEC_PER_SEC

static void notify(int fd)
{
	eventfd_write(fd, 1); /* fails only if it is already readable */
}

/*
 * One request may cause several signals: timeout(1) sends its own to the process and to its group;
 * a closed terminal sends SIGHUP, and its shell sends another one.
 */
static void request_end(Signals *signals)
{
	gint64 now = g_get_monotonic_time();

	if (g_atomic_int_get(&signals->ends) && now - signals->end_us < SAME_REQUEST_US)
		return;
	signals->end_us = now;
	if (g_atomic_int_add(&signals->ends, 1) == 1)
		notify(signals->hurry);
}

static gboolean is_abandoned(const Signals *signals)
{
	gint ends = g_atomic_int_get(&signals->ends);

	return ends > 2 || (ends == 2 && g_get_monotonic_time() - signals->end_us > PATIENCE_US);
}

typedef struct {
	void (*abandon)(gpointer data);
	gpointer data;
	GMutex lock;
	GCond changed;
	gboolean done; /* guarded by @lock */
} Abandonment;

static gpointer run_abandonment(gpointer data)
{
	Abandonment *abandonment = data;

	abandonment->abandon(abandonment->data);
	g_mutex_lock(&abandonment->lock);
	abandonment->done = TRUE;
	g_cond_signal(&abandonment->changed);
	g_mutex_unlock(&abandonment->lock);
	return NULL;
}

/* Calls the abandon function in a separate thread, since it may block, too. Keeps the lock. */
static void abandon_within_a_second(Signals *signals)
{
	static Abandonment abandonment; /* static: the thread may outlive this function */
	gint64 until = g_get_monotonic_time() + ABANDON_US;
	GThread *thread;

	g_mutex_lock(&signals->lock);
	if (!signals->abandon)
		return;
	abandonment.abandon = signals->abandon;
	abandonment.data = signals->data;
	thread = g_thread_try_new("abandon", run_abandonment, &abandonment, NULL);
	if (!thread) {
		signals->abandon(signals->data);
		return;
	}
	g_mutex_lock(&abandonment.lock);
	while (!abandonment.done &&
	       g_cond_wait_until(&abandonment.changed, &abandonment.lock, until))
		;
	g_mutex_unlock(&abandonment.lock);
}

/*
 * Exits although another thread may be blocked writing to standard error, whose lock it then holds.
 * Closes all files, as the process may stay in the kernel.
 */
static void exit_at_once(Signals *signals)
{
	static const char text[] = "kmemtrace-user: gave up: finishing takes too long\n";
	struct pollfd error = { .fd = STDERR_FILENO, .events = POLLOUT };

	abandon_within_a_second(signals);
	if (poll(&error, 1, 0) > 0 && write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(EXIT_FAILED);
	syscall(SYS_close_range, 0, ~0U, 0);
	_exit(EXIT_FAILED);
}

static void handle_signal(Signals *signals, guint signo)
{
	if (signo == SIGUSR1)
		g_atomic_int_inc(&signals->writes);
	else if (signo == SIGXCPU ? !signals_are_ending(signals) : signo != SIGCHLD)
		request_end(signals); /* the kernel repeats SIGXCPU */
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
		if (is_abandoned(signals))
			exit_at_once(signals);
		poll(fds, G_N_ELEMENTS(fds), signals_is_hurried(signals) ? LOOK_MS : -1);
	}
	return NULL;
}

static void block(sigset_t *old, sigset_t *mask)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGCHLD, SIGUSR1
	};
	struct sigaction hangup;

	sigemptyset(mask);
	for (guint i = 0; i < G_N_ELEMENTS(signals); i++)
		sigaddset(mask, signals[i]);
	if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN)
		sigdelset(mask, SIGHUP); /* nohup(1) */
	pthread_sigmask(SIG_BLOCK, mask, old);
}

void signals_defer_writes(void)
{
	sigset_t writes;

	sigemptyset(&writes);
	sigaddset(&writes, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &writes, NULL);
}

gboolean signals_catch(Signals *signals, GError **error)
{
	sigset_t mask;

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
	return g_atomic_int_and((guint *)&signals->writes, 0) ? SIGNALS_WRITE : SIGNALS_NONE;
}

gboolean signals_are_ending(const Signals *signals)
{
	return g_atomic_int_get(&signals->ends) > 0;
}

gboolean signals_is_hurried(const Signals *signals)
{
	return g_atomic_int_get(&signals->ends) > 1;
}

void signals_abandon_by(Signals *signals, void (*abandon)(gpointer data), gpointer data)
{
	g_mutex_lock(&signals->lock);
	signals->abandon = abandon;
	signals->data = data;
	g_mutex_unlock(&signals->lock);
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
