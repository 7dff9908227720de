// SPDX-License-Identifier: GPL-2.0-or-later
/* A process that is blocked ends at the third signal. */
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/process/signals.h"

#define REQUEST_US	600000	/* sooner, two are one request */

static void say_abandoned(gpointer fd)
{
	if (write(GPOINTER_TO_INT(fd), "a", 1) < 0)
		abort();
}

static void say_abandoned_and_wait(gpointer fd)
{
	say_abandoned(fd);
	for (;;)
		pause();
}

/* Ignores the requests, and holds the lock of standard error. */
static void wait_for_ever(int said, void (*abandon)(gpointer data))
{
	Signals signals = { .fd = -1 };

	if (!signals_catch(&signals, NULL))
		abort();
	signals_abandon_by(&signals, abandon, GINT_TO_POINTER(said));
	flockfile(stderr);
	if (write(said, "r", 1) < 0)
		abort();
	for (;;)
		pause();
}

/* @data: what is to be called before. */
static void third_request_ends_at_once(gconstpointer data)
{
	int fds[2], status;
	char byte;
	pid_t pid;

	g_assert_cmpint(pipe(fds), ==, 0);
	pid = fork();
	if (!pid)
		wait_for_ever(fds[1], (void (*)(gpointer))data);
	close(fds[1]);
	g_assert_cmpint(read(fds[0], &byte, 1), ==, 1);
	for (guint i = 0; i < 3; i++) {
		g_assert_cmpint(waitpid(pid, &status, WNOHANG), ==, 0);
		g_assert_cmpint(kill(pid, SIGTERM), ==, 0);
		g_usleep(REQUEST_US);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 1);
	g_assert_cmpint(read(fds[0], &byte, 1), ==, 1);
	g_assert_cmpint(byte, ==, 'a');
	close(fds[0]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/signals/third_request_ends_at_once", say_abandoned,
			     third_request_ends_at_once);
	g_test_add_data_func("/signals/also_if_what_it_calls_waits", say_abandoned_and_wait,
			     third_request_ends_at_once);
	return g_test_run();
}
