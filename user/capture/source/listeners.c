// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source/listeners.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/seed.h"
#include "capture/tracer/mark_socket.h"

#define SOCKETS   "/proc/net/unix"
#define LISTENING 10          /* the state TCP_LISTEN, which Unix sockets have, too */
#define REPLY_MAX (64U << 10) /* bytes; the kernel's replies have at most half as many */

/* ---- sockets of trusted owners ---- */

static gboolean send_request(int fd)
{
	const struct {
		struct nlmsghdr header;
		struct unix_diag_req body;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
		.body = {
			.sdiag_family = AF_UNIX,
			.udiag_states = 1U << LISTENING,
			.udiag_show = UDIAG_SHOW_NAME | UDIAG_SHOW_UID,
		},
	};

	return send(fd, &request, sizeof(request), 0) == sizeof(request);
}

/*
 * Adds the socket of a message if it has a recorder's name. Returns FALSE if the message has no
 * owner.
 */
static gboolean take_socket(const struct nlmsghdr *message, GPtrArray *names)
{
	const struct unix_diag_msg *found = NLMSG_DATA(message);
	const struct rtattr *attribute = (const struct rtattr *)(found + 1);
	int left = (int)message->nlmsg_len - (int)NLMSG_LENGTH(sizeof(*found));
	const gsize prefix = strlen(MARK_SOCKET_PREFIX);
	g_autofree char *name = NULL;
	gboolean has_owner = FALSE;
	guint32 owner = 0;

	for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
		const char *data = RTA_DATA(attribute);
		gsize len = RTA_PAYLOAD(attribute);

		if (attribute->rta_type == UNIX_DIAG_NAME && len > 1 && !data[0] && !name)
			name = g_strndup(data + 1, len - 1);
		if (attribute->rta_type == UNIX_DIAG_UID && len == sizeof(owner)) {
			memcpy(&owner, data, sizeof(owner));
			has_owner = TRUE;
		}
	}
	if (name && (!owner || owner == geteuid()) && !strncmp(name, MARK_SOCKET_PREFIX, prefix))
		g_ptr_array_add(names, g_steal_pointer(&name));
	return has_owner;
}

/* Returns 1; 0 at the end; -1: the kernel can't list sockets with their owners. */
static int take_reply(const void *reply, guint len, GPtrArray *names)
{
	const struct nlmsghdr *message = reply;

	for (; NLMSG_OK(message, len); message = NLMSG_NEXT(message, len)) {
		if (message->nlmsg_type == NLMSG_DONE)
			return 0;
		if (message->nlmsg_type == NLMSG_ERROR || !take_socket(message, names))
			return -1;
	}
	return 1;
}

static gboolean take_all(int fd, GPtrArray *names)
{
	g_autofree void *reply = g_malloc(REPLY_MAX);
	int goes_on = 1;

	while (goes_on > 0) {
		ssize_t len = recv(fd, reply, REPLY_MAX, 0);

		if (len <= 0 && (!len || errno != EINTR))
			return FALSE;
		if (len > 0)
			goes_on = take_reply(reply, (guint)len, names);
	}
	return !goes_on;
}

/* Returns NULL if the kernel can't list sockets with their owners. */
static GPtrArray *find_trusted(void)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	gboolean fine = fd >= 0 && send_request(fd) && take_all(fd, names);

	if (fd >= 0)
		close(fd);
	return fine ? g_steal_pointer(&names) : NULL;
}

/* ---- sockets of any owner ---- */

static GPtrArray *find_any(void)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GHashTable) known = g_hash_table_new(seed_text, g_str_equal);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (g_file_get_contents(SOCKETS, &text, NULL, NULL))
		lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines && lines[i]; i++) {
		char *name = strstr(lines[i], " @" MARK_SOCKET_PREFIX);

		/* Connections to the socket have its name, too. */
		if (name && g_hash_table_add(known, name + 2))
			g_ptr_array_add(names, g_strdup(name + 2));
	}
	return names;
}

GPtrArray *listeners_find(void)
{
	return find_trusted() ?: find_any();
}

/* ---- connections ---- */

int listeners_connect(const char *name, guint ms, int *fd, pid_t *pid)
{
	struct sockaddr_un address;
	socklen_t len = mark_socket_address(name, &address);
	int code = 0;

	*fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | (ms ? 0 : SOCK_NONBLOCK), 0);
	if (*fd < 0)
		return errno;
	if ((ms && !mark_socket_limit(*fd, ms)) ||
	    connect(*fd, (const struct sockaddr *)&address, len))
		code = errno == EAGAIN ? EAGAIN : ECONNREFUSED;
	else if (!mark_socket_trusts(*fd, pid))
		code = ECONNREFUSED;
	else if (fcntl(*fd, F_SETFL, 0))
		code = errno;
	if (code)
		close(*fd);
	return code;
}

GArray *listeners_pids(void)
{
	g_autoptr(GPtrArray) names = listeners_find();
	GArray *pids = g_array_new(FALSE, FALSE, sizeof(pid_t));

	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];
		/* Others may keep the recorder busy; its name has the process as it sees itself. */
		pid_t pid = g_ascii_strtoll(name + strlen(MARK_SOCKET_PREFIX), NULL, 10);
		int fd, code = listeners_connect(name, 0, &fd, &pid);

		if (!code)
			close(fd);
		if (!code || code == EAGAIN)
			g_array_append_val(pids, pid);
	}
	return pids;
}
