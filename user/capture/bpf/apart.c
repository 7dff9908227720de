// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/apart.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/process/child.h"
#include "capture/process/oom.h"

static void run_in_child(int socket, void (*run)(int socket, gpointer data), gpointer data)
{
	sigset_t all;

	setsid();
	oom_release(); /* it may run for a long time */
	if (chdir("/"))
		_exit(1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	child_keep_only(socket);
	run(socket, data);
	_exit(0);
}

/* The process in between exits at once, so that the other one is not a child of this process. */
static gboolean start(int socket, void (*run)(int socket, gpointer data), gpointer data)
{
	pid_t between = fork();
	int status;

	if (between < 0)
		return FALSE;
	if (!between) {
		pid_t child = fork();

		if (!child)
			run_in_child(socket, run, data);
		_exit(child < 0);
	}
	while (waitpid(between, &status, 0) < 0) {
		if (errno != EINTR)
			return FALSE;
	}
	errno = EAGAIN;
	return status == 0;
}

int apart_start(void (*run)(int socket, gpointer data), gpointer data)
{
	int ends[2];
	gboolean started;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return -1;
	started = start(ends[1], run, data);
	close(ends[1]);
	if (started)
		return ends[0];
	close(ends[0]);
	return -1;
}

gboolean apart_wait(int socket, guint ms)
{
	gint64 until = g_get_monotonic_time() + (gint64)ms * 1000;
	struct pollfd fd = { .fd = socket, .events = POLLIN };

	for (;;) {
		gint64 left = until - g_get_monotonic_time();
		int count = poll(&fd, 1, left > 0 ? (int)(left / 1000) + 1 : 0);

		if (count >= 0 || errno != EINTR)
			return count > 0;
	}
}
