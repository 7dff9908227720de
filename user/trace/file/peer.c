// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/file/peer.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
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

/* Reads the end of the connection. Returns EAGAIN if it has not arrived, 0 or another errno. */
static int read_end(int fd)
{
	char byte;
	ssize_t got = recv(fd, &byte, sizeof(byte), MSG_DONTWAIT);

	if (got < 0)
		return errno == EINTR ? EAGAIN : errno;
	return got ? EPROTO : 0; /* a receiver sends nothing; more could follow endlessly */
}

int trace_peer_wait_close(int fd, int hurry, const struct trace_peer_patience *patience)
{
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
		int failed = ready > 0 && fds[0].revents ? read_end(fd) : EAGAIN;

		if (ready > 0 && fds[1].revents)
			return ECANCELED;
		if (failed != EAGAIN)
			return failed;
		if (is_stuck(&progress, progress.left ? patience->takes_ms : patience->closes_ms))
			return progress.left ? ETIMEDOUT : ETIME;
	}
}
