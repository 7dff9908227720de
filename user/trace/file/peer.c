// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/file/peer.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LOOKS 10 /* checks of the unacknowledged bytes within each time limit */

const struct trace_peer_patience trace_peer_patience = { 10000, 60000 };

/* How far a peer has acknowledged the data. */
struct progress {
	int fd;
	int left; /* bytes not acknowledged yet */
	int64_t since_ms;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int unacknowledged(int fd)
{
	int bytes;

	return ioctl(fd, SIOCOUTQ, &bytes) ? 0 : bytes;
}

static struct progress begin(int fd)
{
	return (struct progress){ fd, unacknowledged(fd), now_ms() };
}

/* Returns whether the peer has acknowledged nothing for @ms milliseconds. */
static bool is_stuck(struct progress *progress, int ms)
{
	int left = unacknowledged(progress->fd);

	if (left < progress->left) {
		progress->left = left;
		progress->since_ms = now_ms();
	}
	return now_ms() - progress->since_ms >= ms;
}

/* The kernel reports room only when a third of the buffer is free. */
int trace_peer_wait_room(int fd, int hurry, const struct trace_peer_patience *patience)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLOUT },
		{ .fd = hurry, .events = POLLIN },
	};
	struct progress progress = begin(fd);

	for (;;) {
		int ready = poll(fds, 2, patience->takes_ms / LOOKS);

		if (ready > 0)
			return fds[1].revents ? ECANCELED : 0;
		if (is_stuck(&progress, patience->takes_ms))
			return ETIMEDOUT;
	}
}

/* The line with which a receiver confirms that it has a whole trace. */
struct confirmation {
	char text[40];
	size_t at, len; /* how much of it was received, and all */
};

static struct confirmation make_confirmation(uint64_t bytes)
{
	struct confirmation made = { .at = 0 };

	made.len = snprintf(made.text, sizeof(made.text), "received %" PRIu64 "\n", bytes);
	return made;
}

/* A sender that does not get it says so; the trace is whole nevertheless. */
void trace_peer_confirm(int fd, uint64_t bytes)
{
	struct confirmation confirmation = make_confirmation(bytes);

	(void)!send(fd, confirmation.text, confirmation.len, MSG_NOSIGNAL);
}

/* Returns EAGAIN if the confirmation has not arrived, 0 or another errno. */
static int read_confirmation(int fd, struct confirmation *expected)
{
	char text[sizeof(expected->text)];
	ssize_t got = recv(fd, text, expected->len - expected->at, MSG_DONTWAIT);

	if (got < 0)
		return errno == EINTR ? EAGAIN : errno;
	if (!got)
		return ENODATA;
	if (memcmp(text, expected->text + expected->at, got) != 0)
		return EPROTO;
	expected->at += got;
	return expected->at < expected->len ? EAGAIN : 0;
}

int trace_peer_wait_confirmed(int fd, int hurry, uint64_t bytes,
			      const struct trace_peer_patience *patience)
{
	struct confirmation expected = make_confirmation(bytes);
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = hurry, .events = POLLIN },
	};
	struct progress progress;

	if (shutdown(fd, SHUT_WR))
		return errno;
	progress = begin(fd);
	for (;;) {
		int ready = poll(fds, 2, patience->takes_ms / LOOKS);
		int failed =
			ready > 0 && fds[0].revents ? read_confirmation(fd, &expected) : EAGAIN;

		if (ready > 0 && fds[1].revents)
			return ECANCELED;
		if (failed != EAGAIN)
			return failed;
		if (is_stuck(&progress, progress.left ? patience->takes_ms : patience->confirms_ms))
			return progress.left ? ETIMEDOUT : ETIME;
	}
}
