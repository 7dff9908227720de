// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/output.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/tracer/control.h"

#define TAKES_NOTHING_S 10     /* after which an unresponsive receiver counts as dead */
#define CANCEL_US       100000 /* delay until a signal is noticed while connecting */

static int output_fail(GError **error, const char *what, const char *why)
{
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "%s: %s", what, why);
	return -1;
}

/* Returns a duplicate of GLib's socket for the writer; GLib keeps its own. */
static int take_socket(GSocketConnection *connection)
{
	GSocket *socket = g_socket_connection_get_socket(connection);
	int fd = fcntl(g_socket_get_fd(socket), F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &(int){ 1 }, sizeof(int));
	return fd;
}

/* A thread that ends the search for a receiver, and connecting to it, after a signal. */
typedef struct {
	const Signals *signals; /* NULL: there is no thread */
	GCancellable *cancellable;
	GThread *thread;
	GMutex lock;
	GCond changed;
	gboolean done; /* guarded by @lock */
} Canceller;

static gpointer cancel_by_signal(gpointer data)
{
	Canceller *canceller = data;

	g_mutex_lock(&canceller->lock);
	while (!canceller->done && !signals_are_ending(canceller->signals))
		g_cond_wait_until(&canceller->changed, &canceller->lock,
				  g_get_monotonic_time() + CANCEL_US);
	if (!canceller->done)
		g_cancellable_cancel(canceller->cancellable);
	g_mutex_unlock(&canceller->lock);
	return NULL;
}

/* Without memory for a thread, a signal is noticed only when connecting has ended. */
static void canceller_begin(Canceller *canceller, const Signals *signals)
{
	canceller->signals = signals;
	canceller->cancellable = g_cancellable_new();
	canceller->thread =
		signals ? g_thread_try_new("connect", cancel_by_signal, canceller, NULL) : NULL;
}

static void canceller_end(Canceller *canceller)
{
	g_mutex_lock(&canceller->lock);
	canceller->done = TRUE;
	g_cond_signal(&canceller->changed);
	g_mutex_unlock(&canceller->lock);
	if (canceller->thread)
		g_thread_join(canceller->thread);
	g_object_unref(canceller->cancellable);
}

static int connect_to(const char *receiver, const Signals *signals, GError **error)
{
	g_autoptr(GSocketClient) client = g_socket_client_new();
	g_autoptr(GSocketConnection) connection = NULL;
	g_autofree char *what = g_strdup_printf("can't connect to %s", receiver);
	g_autoptr(GError) local = NULL;
	Canceller canceller = { 0 };
	int fd;

	g_socket_client_set_timeout(client, TAKES_NOTHING_S);
	g_socket_client_set_enable_proxy(client, FALSE);
	canceller_begin(&canceller, signals);
	connection = g_socket_client_connect_to_host(client, receiver, OUTPUT_PORT,
						     canceller.cancellable, &local);
	canceller_end(&canceller);
	if (!connection)
		return output_fail(error, what,
				   g_error_matches(local, G_IO_ERROR, G_IO_ERROR_CANCELLED)
					   ? "stopped by a signal"
					   : local->message);
	fd = take_socket(connection);
	return fd < 0 ? output_fail(error, what, g_strerror(errno)) : fd;
}

/*
 * Opens the pipe @fd again for non-blocking writes, which other users of @fd may not expect.
 * Returns -1 if @fd is not a pipe.
 */
static int open_pipe(int fd)
{
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode)
		       ? open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
		       : -1;
}

static int open_stdout(GError **error)
{
	int fd;

	if (isatty(STDOUT_FILENO))
		return output_fail(error, "can't write to standard output",
				   "it is a terminal, and a trace is not text");
	fd = open_pipe(STDOUT_FILENO);
	if (fd < 0)
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? output_fail(error, "can't write to standard output", g_strerror(errno))
		      : fd;
}

/* Ignores SIGPIPE: a closed pipe must be a write error, so that the tracer is stopped. */
static struct trace_writer *attach(int fd, const char *name, GError **error)
{
	struct trace_error err = { "" };
	struct trace_writer *writer;

	if (fd < 0)
		return NULL;
	signal(SIGPIPE, SIG_IGN);
	if (trace_writer_attach(fd, name, &writer, &err) == 0)
		return writer;
	output_fail(error, "can't begin", err.text);
	return NULL;
}

static gboolean is_own(const guint8 *start, gsize len)
{
	return len >= KMEMTRACE_FILE_MAGIC_LEN &&
	       memcmp(start, KMEMTRACE_FILE_MAGIC, KMEMTRACE_FILE_MAGIC_LEN) == 0;
}

const OutFileKind output_kind = { "trace", is_own };

/* @name: the current file name; the file is removed on failure. */
static struct trace_writer *attach_file(int fd, const char *name, const char *path, gboolean swap,
					GError **error)
{
	struct trace_error err = { "" };
	struct trace_writer *writer;

	if (fd < 0)
		return NULL;
	if (trace_writer_attach_file(fd, path, swap, &writer, &err) == 0)
		return writer;
	outfile_drop(name);
	g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err.text);
	return NULL;
}

static struct trace_writer *create(const char *path, gboolean is_part, GError **error)
{
	int fd = is_part ? outfile_create_part(path, &output_kind, error)
			 : outfile_create(path, &output_kind, error);

	return attach_file(fd, path, path, FALSE, error);
}

struct trace_writer *output_begin(const char *path, gboolean swap, char **beside, GError **error)
{
	int fd = outfile_begin(path, &output_kind, beside, error);
	struct trace_writer *writer = attach_file(fd, *beside, path, swap, error);

	if (!writer)
		g_clear_pointer(beside, g_free);
	return writer;
}

struct trace_writer *output_open(const Output *output, char **beside, GError **error)
{
	struct trace_writer *writer;

	if (output->receiver)
		writer = attach(connect_to(output->receiver, output->signals, error),
				output->receiver, error);
	else if (g_strcmp0(output->path, OUTPUT_STDOUT) == 0)
		writer = attach(open_stdout(error), "standard output", error);
	else if (beside)
		writer = output_begin(output->path, FALSE, beside, error);
	else
		writer = create(output->path, output->is_part, error);
	if (writer && output->receiver)
		trace_writer_await_peer(writer);
	if (writer && output->signals)
		trace_writer_hurry_by(writer, output->signals->hurry);
	if (writer)
		trace_writer_pack(writer, output->level);
	return writer;
}
