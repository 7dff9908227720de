// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/file/peer.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Returns whether to wait longer after a timeout. *@left: bytes not yet acknowledged before. */
static bool goes_on(int fd, int *left, int *failed)
{
	int before = *left;

	*failed = 0;
	if (ioctl(fd, SIOCOUTQ, left) || !*left)
		return false;
	if (before >= 0 && *left >= before)
		*failed = ETIMEDOUT;
	return !*failed;
}

int trace_peer_wait(int fd, int hurry)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = hurry, .events = POLLIN },
	};
	int left = -1, failed;
	char byte;

	if (shutdown(fd, SHUT_WR))
		return errno;
	for (;;) {
		int ready = poll(fds, 2, PEER_PATIENCE_MS);
		ssize_t got;

		if (fds[1].revents)
			return ECANCELED;
		if (ready == 0 && !goes_on(fd, &left, &failed))
			return failed;
		if (ready <= 0)
			continue;
		got = recv(fd, &byte, sizeof(byte), MSG_DONTWAIT);
		if (got == 0)
			return 0;
		if (got > 0) /* a receiver sends nothing; more could follow endlessly */
			return EPROTO;
		if (errno != EINTR && errno != EAGAIN)
			return errno;
	}
}
