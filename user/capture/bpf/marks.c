// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/marks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "capture/tracer/mark_socket.h"

#define WAIT_MS 5000

struct BpfMarks {
	int program;
	struct kmt_bpf_mark *mark; /* shared with it, under @lock */
	GMutex lock;
	int listens; /* -1: there is no socket */
	int end;     /* an eventfd */
	GThread *thread;
};

int bpf_marks_put(BpfMarks *marks, const char *text, gsize len, guint32 tid)
{
	LIBBPF_OPTS(bpf_test_run_opts, options);
	int code = 0;

	if (len > KMEMTRACE_MARK_MAX)
		return E2BIG;
	if (!len || memchr(text, 0, len) || memchr(text, '\n', len))
		return EINVAL;
	g_mutex_lock(&marks->lock);
	memset(marks->mark, 0, sizeof(*marks->mark));
	memcpy(marks->mark->text, text, len);
	marks->mark->tid = tid;
	marks->mark->parts = (len + KMEMTRACE_MARK_TEXT - 1) / KMEMTRACE_MARK_TEXT;
	if (bpf_prog_test_run_opts(marks->program, &options))
		code = errno;
	else if (!marks->mark->written)
		code = ENOSPC;
	g_mutex_unlock(&marks->lock);
	return code;
}

/* ---- marks of other processes ---- */

/*
 * Reads what the peer may have sent: with unread data, the kernel would end the connection without
 * the answer. The peer can't send anything more.
 */
static void drop_text(int fd)
{
	char text[KMEMTRACE_MARK_MAX];

	shutdown(fd, SHUT_RD);
	while (recv(fd, text, sizeof(text), MSG_DONTWAIT) > 0)
		;
}

/* Returns 0 or an errno. Waits only for peers that are trusted. */
static int take_mark(BpfMarks *marks, int fd)
{
	char text[KMEMTRACE_MARK_MAX + 1];
	ssize_t len;
	pid_t pid;

	if (!mark_socket_trusts(fd, &pid)) {
		drop_text(fd);
		return EPERM;
	}
	if (!mark_socket_limit(fd, WAIT_MS))
		return errno;
	len = recv(fd, text, sizeof(text), 0);
	return len < 0 ? errno : bpf_marks_put(marks, text, len, pid);
}

static void answer(BpfMarks *marks, int fd)
{
	gint32 code = take_mark(marks, fd);

	/* A peer that is gone needs no answer. */
	if (send(fd, &code, sizeof(code), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

static gpointer take_marks(gpointer data)
{
	BpfMarks *marks = data;
	struct pollfd fds[] = { { .fd = marks->listens, .events = POLLIN },
				{ .fd = marks->end, .events = POLLIN } };
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while (!fds[1].revents) {
		int fd;

		if (poll(fds, G_N_ELEMENTS(fds), -1) < 0 || !fds[0].revents)
			continue;
		fd = accept4(marks->listens, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		answer(marks, fd);
		close(fd);
	}
	return NULL;
}

static gboolean bind_anew(int fd)
{
	g_autofree char *name = g_strdup_printf(MARK_SOCKET_PREFIX "%d/%08x%08x", getpid(),
						g_random_int(), g_random_int());
	struct sockaddr_un address;
	socklen_t len = mark_socket_address(name, &address);

	return !bind(fd, (const struct sockaddr *)&address, len);
}

static int listen_to_marks(void)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && (!bind_anew(fd) || listen(fd, SOMAXCONN))) {
		close(fd);
		return -1;
	}
	return fd;
}

BpfMarks *bpf_marks_new(int program, struct kmt_bpf_mark *mark, gboolean listens)
{
	BpfMarks *marks = g_new0(BpfMarks, 1);

	marks->program = program;
	marks->mark = mark;
	g_mutex_init(&marks->lock);
	marks->listens = listens ? listen_to_marks() : -1;
	marks->end = marks->listens < 0 ? -1 : eventfd(0, EFD_CLOEXEC);
	if (marks->end >= 0)
		marks->thread = g_thread_try_new("marks", take_marks, marks, NULL);
	if (!marks->thread && marks->listens >= 0) { /* nobody would answer */
		close(marks->listens);
		marks->listens = -1;
	}
	return marks;
}

void bpf_marks_free(BpfMarks *marks)
{
	if (!marks)
		return;
	if (marks->thread && !eventfd_write(marks->end, 1))
		g_thread_join(marks->thread);
	if (marks->listens >= 0)
		close(marks->listens);
	if (marks->end >= 0)
		close(marks->end);
	g_mutex_clear(&marks->lock);
	g_free(marks);
}
