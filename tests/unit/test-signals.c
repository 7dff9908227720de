// SPDX-License-Identifier: GPL-2.0-or-later
/* A blocked process ends at the third signal, and one that is connecting at the first. */
#include <arpa/inet.h>
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/process/signals.h"
#include "capture/recording/output.h"

#define REQUEST_US	600000	/* two sooner signals are one request */

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

/* @data: the function to call before. */
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

/* As nohup(1) asks. The limit of processor time is a request, but not a second one. */
static void hangup_is_ignored_if_it_was_and_the_limit_of_time_ends(void)
{
	Signals signals = { .fd = -1 };

	signal(SIGHUP, SIG_IGN);
	g_assert_true(signals_catch(&signals, NULL));
	g_assert_cmpint(kill(getpid(), SIGHUP), ==, 0);
	g_usleep(REQUEST_US);
	g_assert_cmpint(signals_take(&signals), ==, SIGNALS_NONE);
	for (guint i = 0; i < 2; i++) {
		g_assert_cmpint(kill(getpid(), SIGXCPU), ==, 0);
		for (guint j = 0; j < 1000 && !signals_are_ending(&signals); j++)
			g_usleep(10000);
		g_usleep(REQUEST_US);
		g_assert_true(signals_are_ending(&signals));
		g_assert_false(signals_is_hurried(&signals));
	}
	signals_release(&signals);
	signal(SIGHUP, SIG_DFL);
}

/*
 * Creates a port of 127.0.0.1 where connecting takes for ever, as nobody accepts. Sets *@receiver.
 */
static void listen_without_room(int fds[4], char **receiver)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t len = sizeof(address);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	for (guint i = 0; i < 4; i++)
		fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	g_assert_cmpint(bind(fds[0], (struct sockaddr *)&address, len), ==, 0);
	g_assert_cmpint(listen(fds[0], 0), ==, 0);
	g_assert_cmpint(getsockname(fds[0], (struct sockaddr *)&address, &len), ==, 0);
	for (guint i = 1; i < 4; i++) {
		if (connect(fds[i], (struct sockaddr *)&address, len) == 0)
			g_error("a connection that does not wait");
	}
	*receiver = g_strdup_printf("127.0.0.1:%u", ntohs(address.sin_port));
}

static gpointer interrupt(gpointer data)
{
	g_usleep(REQUEST_US);
	kill(getpid(), SIGINT);
	return data;
}

static void first_request_ends_connecting(void)
{
	g_autofree char *receiver = NULL, *expected = NULL;
	g_autoptr(GError) error = NULL;
	Signals signals = { .fd = -1 };
	Output output = { .signals = &signals };
	GThread *thread;
	int fds[4];

	listen_without_room(fds, &receiver);
	g_assert_true(signals_catch(&signals, NULL));
	thread = g_thread_new("interrupt", interrupt, NULL);
	output.receiver = receiver;
	g_assert_null(output_open(&output, NULL, &error));
	expected = g_strdup_printf("can't connect to %s: stopped by a signal", receiver);
	g_assert_cmpstr(error->message, ==, expected);
	g_thread_join(thread);
	signals_release(&signals);
	for (guint i = 0; i < 4; i++)
		close(fds[i]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/signals/third_request_ends_at_once", say_abandoned,
			     third_request_ends_at_once);
	g_test_add_data_func("/signals/also_if_what_it_calls_waits", say_abandoned_and_wait,
			     third_request_ends_at_once);
	g_test_add_func("/signals/first_request_ends_connecting", first_request_ends_connecting);
	g_test_add_func("/signals/hangup_is_ignored_if_it_was_and_the_limit_of_time_ends",
			hangup_is_ignored_if_it_was_and_the_limit_of_time_ends);
	return g_test_run();
}
