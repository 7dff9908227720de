// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/query/watch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "base/memory.h"
#include "store/scan/scanner.h"
#include "store/schema/lease.h"

#define LOOK_US     (100 * G_TIME_SPAN_MILLISECOND)
#define STACK_BYTES (256 << 10)

struct Watch {
	sqlite3 *handle;
	int fd;
	const FileState *state;
	GMutex mutex;
	GCond ends;
	gboolean ended;
	pthread_t thread;
};

/* Interrupts repeatedly: SQLite forgets an interrupt when its last statement has ended. */
static void look(const Watch *watch)
{
	if (filelock_is_unchanged(watch->fd, watch->state))
		return;
	sqlite3_interrupt(watch->handle);
	scanner_interrupt();
	if (watch->state->is_leased)
		lease_end(watch->fd);
}

static void *run(void *data)
{
	Watch *watch = data;
	gint64 next = g_get_monotonic_time() + LOOK_US;

	g_mutex_lock(&watch->mutex);
	while (!watch->ended) {
		if (g_cond_wait_until(&watch->ends, &watch->mutex, next))
			continue;
		look(watch);
		next = g_get_monotonic_time() + LOOK_US;
	}
	g_mutex_unlock(&watch->mutex);
	return NULL;
}

/*
 * Starts the thread, with signals blocked, and with a small stack, since RLIMIT_DATA counts all of
 * it.
 */
static int start(Watch *watch)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int failed;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	failed = pthread_create(&watch->thread, &attr, run, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return failed;
}

Watch *watch_begin(sqlite3 *handle, int fd, const FileState *state)
{
	Watch *watch = g_new0(Watch, 1);
	int failed;

	watch->handle = handle;
	watch->fd = fd;
	watch->state = state;
	g_mutex_init(&watch->mutex);
	g_cond_init(&watch->ends);
	failed = start(watch);
	if (!failed)
		return watch;
	memory_thread_failed(STACK_BYTES);
	g_cond_clear(&watch->ends);
	g_mutex_clear(&watch->mutex);
	g_free(watch);
	errno = failed;
	return NULL;
}

void watch_end(Watch *watch)
{
	if (!watch)
		return;
	g_mutex_lock(&watch->mutex);
	watch->ended = TRUE;
	g_cond_signal(&watch->ends);
	g_mutex_unlock(&watch->mutex);
	pthread_join(watch->thread, NULL);
	g_cond_clear(&watch->ends);
	g_mutex_clear(&watch->mutex);
	g_free(watch);
}
