// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "capture/drain.h"
#include "capture/snapshot.h"
#include "capture/workload.h"

#define LOOK_MS		1000	/* how often new stacks are saved and the drain is looked after */
#define SUBBUFS_MIN	4	/* fewer, and the drain can't keep away from the writer */
#define SUBBUF_SIZE_MIN	4096

typedef struct {
	const SessionOptions *options;
	Control *control;
	struct trace_writer *writer;
	Drain *drain;
	Workload workload;
	int signals;		/* signalfd */
	sigset_t old_mask;
	char *modules;		/* /proc/modules at the start: were others loaded since? */
	guint64 stack_offset;	/* bytes of the stack table that are in the file */
	guint64 start_ns;	/* CLOCK_MONOTONIC when tracing went on */
} Session;

static guint64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec;
}

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err->text);
	return FALSE;
}

static gboolean check_idle(Session *session, GError **error)
{
	g_autofree char *path = control_path(session->control, "enable");
	guint64 enabled;

	if (!control_get(session->control, "enable", &enabled, error))
		return FALSE;
	if (!enabled)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
		    "the tracer is running already: somebody records, or a recorder was killed (then: echo 0 > %s)",
		    path);
	return FALSE;
}

/* Smaller sub-buffers rather than fewer than SUBBUFS_MIN. */
static gboolean set_buffer_bytes(Session *session, guint64 bytes, GError **error)
{
	guint64 subbuf_size;

	if (!control_get(session->control, "subbuf_size", &subbuf_size, error))
		return FALSE;
	while (subbuf_size > SUBBUF_SIZE_MIN && bytes / subbuf_size < SUBBUFS_MIN)
		subbuf_size /= 2;
	if (bytes / subbuf_size < 2) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "a buffer of %" G_GUINT64_FORMAT " bytes is too small: give at least 8K", bytes);
		return FALSE;
	}
	return control_set(session->control, "subbuf_size", subbuf_size, error) &&
	       control_set(session->control, "subbufs", bytes / subbuf_size, error);
}

static gboolean set_sizes(Session *session, GError **error)
{
	const SessionOptions *options = session->options;

	if (!control_set(session->control, "reset", 1, error))
		return FALSE;
	if (options->buffer_bytes && !set_buffer_bytes(session, options->buffer_bytes, error))
		return FALSE;
	return options->stack_depth < 0 ||
	       control_set(session->control, "stack_depth", options->stack_depth, error);
}

/* From here on these signals are read, not delivered; threads that are made later inherit that. */
static gboolean catch_signals(Session *session, GError **error)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, &session->old_mask);
	session->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (session->signals >= 0)
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't catch signals: %s",
		    g_strerror(errno));
	return FALSE;
}

static gboolean write_start(Session *session, GError **error)
{
	g_autofree char *command = NULL;
	struct trace_error err = { "" };

	if (trace_writer_create(session->options->path, &session->writer, &err))
		return fail_trace(&err, error);
	if (session->options->command)
		command = g_strdelimit(g_strjoinv(" ", (char **)session->options->command), "\n\r", ' ');
	g_file_get_contents("/proc/modules", &session->modules, NULL, NULL);
	return snapshot_write_symbols(session->writer, KMEMTRACE_PHASE_START, error) &&
	       snapshot_write_host(session->writer, command, error) &&
	       snapshot_write_files(session->writer, session->control, KMEMTRACE_PHASE_START,
				    error);
}

static gboolean prepare(Session *session, GError **error)
{
	session->control = control_open(error);
	return session->control && check_idle(session, error) && snapshot_check_symbols(error) &&
	       set_sizes(session, error) && catch_signals(session, error) &&
	       write_start(session, error) &&
	       (!session->options->command ||
		workload_prepare(&session->workload, session->options->command, error));
}

static gboolean start(Session *session, GError **error)
{
	guint64 subbuf_size;

	if (!control_get(session->control, "subbuf_size", &subbuf_size, error) ||
	    !control_set(session->control, "enable", 1, error))
		return FALSE;
	session->start_ns = now_ns();
	session->drain = drain_start(session->control, subbuf_size, session->writer, error);
	if (!session->drain)
		return FALSE;
	return !session->options->command ||
	       workload_go(&session->workload, session->options->command[0], error);
}

/* Milliseconds to sleep; 0: the duration is over. */
static int time_to_sleep(const Session *session)
{
	guint64 duration = session->options->duration_ns;
	guint64 passed = now_ns() - session->start_ns;

	if (!duration)
		return LOOK_MS;
	if (passed >= duration)
		return 0;
	return MIN(LOOK_MS, (duration - passed) / 1000000 + 1);
}

/* TRUE if a signal asks for the end, or the command has ended. */
static gboolean is_asked_to_stop(Session *session, int *status)
{
	struct signalfd_siginfo info;

	while (read(session->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo != SIGCHLD)
			return TRUE;
	}
	return workload_has_ended(&session->workload, status);
}

static gboolean wait_for_end(Session *session, int *status, GError **error)
{
	struct pollfd pollfd = { .fd = session->signals, .events = POLLIN };
	int ms;

	while (!is_asked_to_stop(session, status) && (ms = time_to_sleep(session)) > 0) {
		if (!drain_check(session->drain, error) ||
		    !snapshot_write_stacks(session->writer, session->control,
					   &session->stack_offset, error))
			return FALSE;
		poll(&pollfd, 1, ms);
	}
	return TRUE;
}

static gboolean write_end(Session *session, SessionResult *result, GError **error)
{
	g_autofree char *modules = NULL;

	g_file_get_contents("/proc/modules", &modules, NULL, NULL);
	if (!snapshot_write_files(session->writer, session->control, KMEMTRACE_PHASE_END, error) ||
	    !snapshot_write_stacks(session->writer, session->control, &session->stack_offset,
				   error) ||
	    !stats_read(session->control, &result->stats, error))
		return FALSE;
	return g_strcmp0(modules, session->modules) == 0 ||
	       snapshot_write_symbols(session->writer, KMEMTRACE_PHASE_END, error);
}

/* Off, and all that is left is drained. Also after an error: nothing must stay behind. */
static gboolean stop(Session *session, SessionResult *result, GError **error)
{
	gboolean fine = control_set(session->control, "enable", 0, error);

	result->span_ns = now_ns() - session->start_ns;
	workload_end(&session->workload, &result->status);
	if (session->drain && !drain_finish(session->drain, fine ? error : NULL))
		fine = FALSE;
	session->drain = NULL;
	return fine;
}

static void release(Session *session)
{
	if (session->control)
		control_set(session->control, "reset", 1, NULL);	/* gives the memory back */
	if (session->signals >= 0) {
		close(session->signals);
		sigprocmask(SIG_SETMASK, &session->old_mask, NULL);
	}
	control_close(session->control);
	g_free(session->modules);
}

static gboolean record(Session *session, SessionResult *result, GError **error)
{
	gboolean fine = start(session, error) && wait_for_end(session, &result->status, error);

	if (!stop(session, result, fine ? error : NULL))
		fine = FALSE;
	return fine && write_end(session, result, error);
}

gboolean session_record(const SessionOptions *options, SessionResult *result, GError **error)
{
	Session session = { .options = options, .signals = -1 };
	struct trace_error err = { "" };
	gboolean fine;

	memset(result, 0, sizeof(*result));
	fine = prepare(&session, error) && record(&session, result, error);
	workload_end(&session.workload, &result->status);
	if (session.writer) {
		result->bytes = trace_writer_bytes(session.writer);
		if (trace_writer_close(session.writer, fine, &err) && fine)
			fine = fail_trace(&err, error);
	}
	release(&session);
	return fine;
}
