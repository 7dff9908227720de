// SPDX-License-Identifier: GPL-2.0-or-later
/* Receivers that read everything, some of it, or nothing, over TCP, with short timeouts. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trace/file/peer.h"

#define TAKES_MS    2000
#define CONFIRMS_MS 1000

static const struct trace_peer_patience patience = { TAKES_MS, CONFIRMS_MS };

typedef struct {
	int sender, receiver;
	guint64 sent; /* bytes */
	gint64 start_us;
} Fixture;

/* @data: bytes of the receiver's buffer */
static void setup(Fixture *f, gconstpointer data)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int bytes = GPOINTER_TO_INT(data);
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(addr);

	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	g_assert_cmpint(bind(listener, (struct sockaddr *)&addr, sizeof(addr)), ==, 0);
	g_assert_cmpint(listen(listener, 1), ==, 0);
	g_assert_cmpint(getsockname(listener, (struct sockaddr *)&addr, &len), ==, 0);
	f->sender = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	g_assert_cmpint(connect(f->sender, (struct sockaddr *)&addr, sizeof(addr)), ==, 0);
	g_assert_cmpint(fcntl(f->sender, F_SETFL, O_NONBLOCK), ==, 0);
	f->receiver = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	g_assert_cmpint(f->receiver, >=, 0);
	close(listener);
	f->sent = 0;
	f->start_us = g_get_monotonic_time();
}

static void teardown(Fixture *f, gconstpointer unused)
{
	close(f->sender);
	close(f->receiver);
}

static void send_bytes(Fixture *f, gsize len)
{
	g_autofree char *bytes = g_strnfill(len, 'x');

	g_assert_cmpint(write(f->sender, bytes, len), ==, len);
	f->sent += len;
}

static void fill(Fixture *f)
{
	g_autofree char *bytes = g_strnfill(1 << 20, 'x');

	gssize got;

	while ((got = write(f->sender, bytes, 1 << 20)) > 0)
		f->sent += got;
	g_assert_cmpint(errno, ==, EAGAIN);
}

/* Waits for the confirmation of all that was sent. */
static int wait_confirmed(const Fixture *f, int hurry)
{
	return trace_peer_wait_confirmed(f->sender, hurry, f->sent, &patience);
}

static void confirm(const Fixture *f, const char *text)
{
	g_assert_cmpint(write(f->receiver, text, strlen(text)), ==, strlen(text));
}

static void took(Fixture *f, int least_ms, int most_ms)
{
	gint64 ms = (g_get_monotonic_time() - f->start_us) / 1000;

	g_assert_cmpint(ms, >=, least_ms - 1); /* it counts in whole milliseconds */
	g_assert_cmpint(ms, <, most_ms);
}

static void receiver_that_never_reads_has_not_the_trace(Fixture *f, gconstpointer unused)
{
	send_bytes(f, 100000);
	g_assert_cmpint(wait_confirmed(f, -1), ==, ETIME);
	took(f, CONFIRMS_MS, 10 * CONFIRMS_MS);
}

static void receiver_that_never_confirms_may_not_have_the_trace(Fixture *f, gconstpointer unused)
{
	char bytes[1000];

	send_bytes(f, sizeof(bytes));
	g_assert_cmpint(recv(f->receiver, bytes, sizeof(bytes), MSG_WAITALL), ==, sizeof(bytes));
	g_assert_cmpint(wait_confirmed(f, -1), ==, ETIME);
	took(f, CONFIRMS_MS, 10 * CONFIRMS_MS);
}

/* As one does whose input has ended, or a tunnel whose other end was killed. */
static void receiver_that_closes_may_not_have_the_trace(Fixture *f, gconstpointer unused)
{
	shutdown(f->receiver, SHUT_WR);
	send_bytes(f, 1000);
	g_assert_cmpint(wait_confirmed(f, -1), ==, ENODATA);
}

static void receiver_that_confirms_has_the_trace(Fixture *f, gconstpointer unused)
{
	send_bytes(f, 1000);
	trace_peer_confirm(f->receiver, 1000);
	g_assert_cmpint(wait_confirmed(f, -1), ==, 0);
}

static void part_of_a_confirmation_is_none(Fixture *f, gconstpointer unused)
{
	send_bytes(f, 1000);
	confirm(f, "received 1");
	shutdown(f->receiver, SHUT_WR);
	g_assert_cmpint(wait_confirmed(f, -1), ==, ENODATA);
}

static void confirmation_of_fewer_bytes_is_refused(Fixture *f, gconstpointer unused)
{
	send_bytes(f, 1000);
	confirm(f, "received 100\n");
	g_assert_cmpint(wait_confirmed(f, -1), ==, EPROTO);
}

static void receiver_that_takes_nothing_is_dead_in_time(Fixture *f, gconstpointer unused)
{
	fill(f);
	g_usleep(200000); /* until the kernel has accepted all that it can */
	f->start_us = g_get_monotonic_time();
	g_assert_cmpint(trace_peer_wait_room(f->sender, -1, &patience), ==, ETIMEDOUT);
	took(f, TAKES_MS, 10 * TAKES_MS);
	f->start_us = g_get_monotonic_time();
	g_assert_cmpint(wait_confirmed(f, -1), ==, ETIMEDOUT);
	took(f, TAKES_MS, 10 * TAKES_MS);
}

/* Takes three times as long altogether as a receiver may pause; a busy machine delays each read. */
static gpointer read_slowly(gpointer data)
{
	static char bytes[100000];
	const Fixture *f = data;
	guint64 all = 0;
	gssize got;

	for (int i = 0; i < 30; i++) {
		g_usleep(TAKES_MS * 1000 / 10);
		got = recv(f->receiver, bytes, sizeof(bytes), 0);
		g_assert_cmpint(got, >, 0);
		all += got;
	}
	while ((got = recv(f->receiver, bytes, sizeof(bytes), 0)) > 0)
		all += got;
	trace_peer_confirm(f->receiver, all);
	return NULL;
}

static void receiver_that_is_slow_is_awaited(Fixture *f, gconstpointer unused)
{
	GThread *reader;

	fill(f);
	reader = g_thread_new("reader", read_slowly, f);
	g_assert_cmpint(wait_confirmed(f, -1), ==, 0);
	took(f, 3 * TAKES_MS, 100 * TAKES_MS);
	g_thread_join(reader);
}

/* The kernel reports room late: it may first have to send a third of a large buffer. */
static void slow_receiver_makes_room(Fixture *f, gconstpointer unused)
{
	GThread *reader;

	fill(f);
	reader = g_thread_new("reader", read_slowly, f);
	g_assert_cmpint(trace_peer_wait_room(f->sender, -1, &patience), ==, 0);
	took(f, TAKES_MS, 100 * TAKES_MS);
	shutdown(f->sender, SHUT_WR);
	g_thread_join(reader);
}

static void second_request_ends_the_wait(Fixture *f, gconstpointer unused)
{
	int hurry = eventfd(1, EFD_CLOEXEC);

	fill(f);
	g_assert_cmpint(trace_peer_wait_room(f->sender, hurry, &patience), ==, ECANCELED);
	g_assert_cmpint(wait_confirmed(f, hurry), ==, ECANCELED);
	close(hurry);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name, bytes) \
	g_test_add("/peer/" #name, Fixture, GINT_TO_POINTER(bytes), setup, name, teardown)
	TEST(receiver_that_never_reads_has_not_the_trace, 8 << 20);
	TEST(receiver_that_never_confirms_may_not_have_the_trace, 8 << 20);
	TEST(receiver_that_closes_may_not_have_the_trace, 8 << 20);
	TEST(receiver_that_confirms_has_the_trace, 8 << 20);
	TEST(part_of_a_confirmation_is_none, 8 << 20);
	TEST(confirmation_of_fewer_bytes_is_refused, 8 << 20);
	TEST(receiver_that_takes_nothing_is_dead_in_time, 65536);
	TEST(receiver_that_is_slow_is_awaited, 65536);
	TEST(slow_receiver_makes_room, 65536);
	TEST(second_request_ends_the_wait, 65536);
	return g_test_run();
}
