// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/mark_socket.h"

#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

socklen_t mark_socket_address(const char *name, struct sockaddr_un *address)
{
	gsize len = MIN(strlen(name), sizeof(address->sun_path) - 1);

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	memcpy(address->sun_path + 1, name, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

gboolean mark_socket_limit(int fd, guint ms)
{
	const struct timeval limit = { .tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000L };

	return !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) &&
	       !setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

gboolean mark_socket_trusts(int fd, pid_t *pid)
{
	struct ucred peer = { .pid = 0 };
	socklen_t len = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		return FALSE;
	*pid = peer.pid;
	return !peer.uid || peer.uid == geteuid();
}
