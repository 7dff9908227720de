// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/links_holder.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/bpf/apart.h"

#define LINKS_MAX 64
#define PATH_LEN  128 /* of a path, with the NUL */
#define ATTACH_MS 3000
#define DETACH_MS 3000

struct LinksHolder {
	int socket;
};

/* A descriptor. A message that has one needs bytes, too. */
typedef union {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
} Control;

/* A message with one descriptor, or with a path. */
typedef struct {
	char path[PATH_LEN];
	struct iovec iov;
	struct msghdr header;
	Control control;
} Message;

static void prepare(Message *message)
{
	*message = (Message){ 0 };
	message->iov = (struct iovec){ .iov_base = message->path, .iov_len = PATH_LEN };
	message->header = (struct msghdr){
		.msg_iov = &message->iov,
		.msg_iovlen = 1,
		.msg_control = message->control.bytes,
		.msg_controllen = CMSG_LEN(sizeof(int)),
	};
}

/* *@fd: -1 if the message has a path. */
static gboolean receive(int socket, Message *message, int *fd)
{
	const struct cmsghdr *header;

	prepare(message);
	if (recvmsg(socket, &message->header, MSG_CMSG_CLOEXEC | MSG_WAITALL) != PATH_LEN)
		return FALSE;
	header = CMSG_FIRSTHDR(&message->header);
	*fd = -1;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(header), sizeof(*fd));
	message->path[PATH_LEN - 1] = 0;
	return TRUE;
}

/* Returns 0 or an errno. */
static int attach(int program, int links[], guint *count)
{
	int link = bpf_raw_tracepoint_open(NULL, program), code = link < 0 ? errno : 0;

	close(program);
	if (!code)
		links[(*count)++] = link;
	return code;
}

static int pin_last(const char *path, const int links[], guint count)
{
	if (!count)
		return EINVAL;
	return bpf_obj_pin(links[count - 1], path) ? errno : 0;
}

/* The socket is closed last, after the links. */
static void hold_all(int socket, gpointer data)
{
	int links[LINKS_MAX], program;
	guint count = 0;
	Message message;

	(void)data;
	while (count < LINKS_MAX && receive(socket, &message, &program)) {
		int code = program < 0 ? pin_last(message.path, links, count)
				       : attach(program, links, &count);

		if (write(socket, &code, sizeof(code)) != sizeof(code))
			break;
	}
	while (count-- > 0)
		close(links[count]);
}

LinksHolder *links_holder_new(void)
{
	int socket = apart_start(hold_all, NULL);
	LinksHolder *holder;

	if (socket < 0)
		return NULL;
	holder = g_new(LinksHolder, 1);
	holder->socket = socket;
	return holder;
}

static gboolean send_message(int socket, Message *message)
{
	return sendmsg(socket, &message->header, MSG_NOSIGNAL) == PATH_LEN;
}

static gboolean send_fd(int socket, int fd)
{
	struct cmsghdr *header;
	Message message;

	prepare(&message);
	header = CMSG_FIRSTHDR(&message.header);
	*header = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(sizeof(fd)),
	};
	memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	return send_message(socket, &message);
}

static gboolean send_path(int socket, const char *path)
{
	Message message;

	prepare(&message);
	message.header.msg_control = NULL;
	message.header.msg_controllen = 0;
	g_strlcpy(message.path, path, PATH_LEN);
	return send_message(socket, &message);
}

static int read_answer(const LinksHolder *holder)
{
	int code;

	if (!apart_wait(holder->socket, ATTACH_MS))
		return ETIMEDOUT;
	return read(holder->socket, &code, sizeof(code)) == sizeof(code) ? code : EIO;
}

int links_holder_attach(LinksHolder *holder, int program)
{
	return send_fd(holder->socket, program) ? read_answer(holder) : errno;
}

int links_holder_pin(LinksHolder *holder, const char *path)
{
	if (strlen(path) >= PATH_LEN)
		return ENAMETOOLONG;
	return send_path(holder->socket, path) ? read_answer(holder) : errno;
}

/* A late answer may still be there to read. */
gboolean links_holder_lives(const LinksHolder *holder)
{
	struct pollfd fd = { .fd = holder->socket };

	return poll(&fd, 1, 0) >= 0 && !(fd.revents & POLLHUP);
}

void links_holder_free(LinksHolder *holder)
{
	if (!holder)
		return;
	shutdown(holder->socket, SHUT_WR);
	apart_wait(holder->socket, DETACH_MS);
	close(holder->socket);
	g_free(holder);
}
