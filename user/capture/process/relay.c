// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/process/relay.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "capture/tracer/control.h"

#define STREAMS 2 /* standard output, standard error */
#define PIECE   4096
#define END_US  G_USEC_PER_SEC /* limit for the terminal to accept the rest */

typedef struct {
	int from; /* the pipe's read end, or -1: closed, or none */
	int to;   /* the terminal */
} Stream;

struct Relay {
	Stream stream[STREAMS];
	int command[STREAMS]; /* the command's write ends of the pipes, or -1; may be equal */
	int stop[2];          /* a pipe: closing it stops the copying */
	GThread *thread;
	GMutex lock;
	GCond changed;
	gboolean ended; /* guarded by @lock */
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* ---- pipes ---- */

static gboolean is_same_terminal(int a, int b)
{
	struct stat first, second;

	return !fstat(a, &first) && !fstat(b, &second) && first.st_rdev == second.st_rdev;
}

static gboolean open_pipe(Relay *relay, guint i, int to)
{
	int fds[2];

	if (!isatty(to))
		return TRUE;
	/* One pipe for both preserves the order of output. */
	if (i && relay->command[0] >= 0 && is_same_terminal(relay->stream[0].to, to)) {
		relay->command[i] = relay->command[0];
		return TRUE;
	}
	if (pipe2(fds, O_CLOEXEC))
		return FALSE;
	relay->stream[i].from = fds[0];
	relay->stream[i].to = to;
	relay->command[i] = fds[1];
	return TRUE;
}

static void close_command_ends(Relay *relay)
{
	if (relay->command[1] == relay->command[0])
		relay->command[1] = -1;
	for (guint i = 0; i < STREAMS; i++)
		close_fd(&relay->command[i]);
}

static void destroy(Relay *relay)
{
	close_command_ends(relay);
	for (guint i = 0; i < STREAMS; i++)
		close_fd(&relay->stream[i].from);
	close_fd(&relay->stop[0]);
	close_fd(&relay->stop[1]);
	g_free(relay);
}

Relay *relay_new(int output, GError **error)
{
	Relay *relay = g_new0(Relay, 1);

	for (guint i = 0; i < STREAMS; i++)
		relay->command[i] = relay->stream[i].from = relay->stop[i] = -1;
	if (!pipe2(relay->stop, O_CLOEXEC) && open_pipe(relay, 0, output) &&
	    open_pipe(relay, 1, STDERR_FILENO))
		return relay;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't make a pipe: %s",
		    g_strerror(errno));
	destroy(relay);
	return NULL;
}

/* ---- in the child ---- */

static gboolean replace_input(void)
{
	int null;

	if (!isatty(STDIN_FILENO))
		return TRUE;
	null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return null >= 0 && dup2(null, STDIN_FILENO) >= 0;
}

static gboolean close_terminals(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] != '.' && isatty(fd))
			close(fd);
	}
	return dir && closedir(dir) == 0;
}

gboolean relay_enter(const Relay *relay)
{
	for (guint i = 0; i < STREAMS; i++) {
		if (relay->command[i] >= 0 && dup2(relay->command[i], STDOUT_FILENO + (int)i) < 0)
			return FALSE;
	}
	return replace_input() && close_terminals();
}

/* ---- in the recorder ---- */

/* Returns FALSE if the terminal is closed. */
static gboolean write_all(int to, const char *bytes, gsize len)
{
	struct pollfd pollfd = { .fd = to, .events = POLLOUT };

	while (len) {
		ssize_t written = write(to, bytes, len);

		if (written < 0 && errno == EAGAIN)
			poll(&pollfd, 1, -1);
		else if (written < 0 && errno != EINTR)
			return FALSE;
		if (written > 0) {
			bytes += written;
			len -= written;
		}
	}
	return TRUE;
}

/* Copies at most @most bytes; returns their number. Closes the stream at its end. */
static gsize copy_piece(Stream *stream, gsize most)
{
	char bytes[PIECE];
	ssize_t got = read(stream->from, bytes, MIN(most, sizeof(bytes)));

	if (got < 0 && errno == EINTR)
		return 0;
	if (got > 0 && write_all(stream->to, bytes, got))
		return got;
	close_fd(&stream->from);
	return 0;
}

/*
 * Copies the current contents of the pipe: background processes of the command may write endlessly.
 */
static void copy_rest(Stream *stream)
{
	int left;

	if (stream->from < 0 || ioctl(stream->from, FIONREAD, &left))
		return;
	while (left > 0 && stream->from >= 0)
		left -= copy_piece(stream, left);
}

static gpointer copy(gpointer data)
{
	Relay *relay = data;
	struct pollfd fds[STREAMS + 1] = { { .fd = relay->stop[0], .events = POLLIN } };
	sigset_t background;

	/* Writing to a terminal from the background may stop the whole recorder. */
	sigemptyset(&background);
	sigaddset(&background, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &background, NULL);
	while (!fds[0].revents) {
		for (guint i = 0; i < STREAMS; i++) {
			if (fds[i + 1].revents)
				copy_piece(&relay->stream[i], PIECE);
			fds[i + 1] = (struct pollfd){ relay->stream[i].from, POLLIN, 0 };
		}
		poll(fds, G_N_ELEMENTS(fds), -1);
	}
	for (guint i = 0; i < STREAMS; i++)
		copy_rest(&relay->stream[i]);
	g_mutex_lock(&relay->lock);
	relay->ended = TRUE;
	g_cond_signal(&relay->changed);
	g_mutex_unlock(&relay->lock);
	return NULL;
}

void relay_start(Relay *relay)
{
	g_autoptr(GError) error = NULL;

	close_command_ends(relay);
	if (relay->stream[0].from < 0 && relay->stream[1].from < 0)
		return;
	relay->thread = g_thread_try_new("relay", copy, relay, &error);
	if (relay->thread)
		return;
	message("the command's output cannot be shown: %s", error->message);
	/* Otherwise a command that writes much would block forever. */
	for (guint i = 0; i < STREAMS; i++)
		close_fd(&relay->stream[i].from);
}

static gboolean wait_for_end(Relay *relay)
{
	gint64 until = g_get_monotonic_time() + END_US;
	gboolean ended;

	g_mutex_lock(&relay->lock);
	while (!relay->ended && g_cond_wait_until(&relay->changed, &relay->lock, until))
		;
	ended = relay->ended;
	g_mutex_unlock(&relay->lock);
	return ended;
}

void relay_free(Relay *relay)
{
	if (!relay)
		return;
	close_fd(&relay->stop[1]);
	if (relay->thread && !wait_for_end(relay)) {
		/* it owns the relay until the process ends */
		g_thread_unref(relay->thread);
		return;
	}
	if (relay->thread)
		g_thread_join(relay->thread);
	destroy(relay);
}
