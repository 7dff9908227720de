// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/session.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/message.h"
#include "base/monotonic.h"
#include "base/units.h"
#include "capture/process/oom.h"
#include "capture/process/signals.h"
#include "capture/process/workload.h"
#include "capture/recording/drain.h"
#include "capture/recording/loss_monitor.h"
#include "capture/recording/parts.h"
#include "capture/recording/tracefile.h"
#include "capture/source/source.h"
#include "capture/target/kallsyms.h"
#include "capture/tracer/adopt.h"
#include "capture/tracer/cgroups.h"
#include "capture/tracer/tracer.h"
#include "kmemtrace_abi.h"

#define LOOK_MS 1000 /* interval at which stacks are saved, and the drain and losses checked */
#define SIZE_MS 200  /* interval at which a part's size is checked */

typedef struct {
	const SessionOptions *options;
	SessionResult *result;
	Control *control;
	gboolean owned;   /* stop and empty the tracer at the end */
	Settings before;  /* the tracer's sizes; only if resized */
	gboolean resized; /* restore them at the end */
	Lookup *lookup;   /* for user stacks, or NULL */
	TraceFile *file;
	Drain *drain;
	LossMonitor *losses;
	Workload workload;
	gboolean released; /* the command was started */
	Signals signals;
	guint64 first_ns;  /* CLOCK_MONOTONIC when tracing began, for the first file */
	guint64 start_ns;  /* of this file */
	guint64 looked_ns; /* when look() was last called */
	char *path;        /* of this file */
	guint number;      /* of this file, from 1 on */
	gboolean is_part;  /* the file keeps its .part name */
	GQueue parts;      /* paths of the parts that were not removed; only with --rotate */
	guint part_count;  /* with the removed ones */
	guint64 head;      /* bytes of this file before events: names, stacks */
	gboolean frozen;   /* an oops of the kernel stopped the tracer */
	guint64 cgroup;    /* inode number of the filter's cgroup; 0: none, or it was removed */
} Session;

static gboolean is_flight(const Session *session)
{
	return session->options->settings->overwrite;
}

/* ---- before the first file ---- */

static void read_settings(const Session *session, Settings *settings, char *pid, gsize size)
{
	*settings = *session->options->settings;
	if (!session->options->only_command)
		return;
	g_snprintf(pid, size, "%d", session->workload.pid);
	settings->pids = pid;
}

static gboolean check_settings(Session *session, GError **error)
{
	Settings settings;
	char pid[16];

	read_settings(session, &settings, pid, sizeof(pid));
	return settings_check(session->control, &settings, error);
}

/* Discards the tracer's data last, after everything else that can fail. */
static gboolean apply_settings(Session *session, GError **error)
{
	Settings settings;
	char pid[16];

	if (!settings_read_sizes(session->control, &session->before, error) ||
	    !adopt_discard(session->control, error))
		return FALSE;
	session->owned = session->resized = TRUE;
	read_settings(session, &settings, pid, sizeof(pid));
	return settings_apply(session->control, &settings, error);
}

/* Returns the standard output for the command, which must not be that of a trace. */
static int workload_output(const SessionOptions *options)
{
	return !options->output.receiver && strcmp(options->output.path, OUTPUT_STDOUT) == 0
		       ? STDERR_FILENO
		       : STDOUT_FILENO;
}

/* A continued tracer keeps its settings. */
static gboolean has_user_stacks(const Session *session)
{
	guint64 on = 0;

	if (!session->options->keep)
		return session->options->settings->user_stacks;
	return control_get(session->control, "user_stacks", &on, NULL) && on;
}

static void abandon(gpointer control)
{
	control_disable(control);
}

static gboolean has_numbers(const Session *session)
{
	return is_flight(session) || session->options->output.rotate;
}

/* Returns the path of file @number. */
static char *file_path(const Session *session, guint number)
{
	const SessionOptions *options = session->options;

	if (has_numbers(session))
		return parts_path(options->output.path, number);
	return g_strdup(options->output.path);
}

/* Returns the number of the next file; the first replaces an earlier recording's. */
static guint next_number(const Session *session)
{
	return session->number ? parts_reserve(session->options->output.path, session->number,
					       is_flight(session))
			       : 1;
}

/* Fails if the default file may have the first events: see adopt_check_file(). */
static gboolean check_default_file(const Session *session, GError **error)
{
	const Output *output = &session->options->output;
	g_autofree char *path = NULL;

	if (output->receiver || output->is_named)
		return TRUE;
	path = file_path(session, 1);
	return adopt_check_file(session->control, path, error);
}

static gboolean check_adoption(const Session *session, GError **error)
{
	if (strcmp(control_source(session->control), "module") != 0 && source_is_pinned()) {
		g_set_error_literal(
			error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			"no recorder can continue pinned BPF programs: kmemtrace-user extract collects their events");
		return FALSE;
	}
	return adopt_check_alive(session->control, error) && check_default_file(session, error);
}

static gboolean prepare(Session *session, GError **error)
{
	const SessionOptions *options = session->options;

	signal(SIGPIPE, SIG_IGN); /* writing to a killed command fails instead */
	signals_defer_writes();
	session->control = source_open(session->options->settings->source, error);
	if (!session->control || !tracer_claim(session->control, error) || !kallsyms_check(error))
		return FALSE;
	/* Before threads are started: afterwards fork() is unsafe. */
	if (options->command && !workload_prepare(&session->workload, options->command,
						  options->user, workload_output(options), error))
		return FALSE;
	if (has_user_stacks(session) && !(session->lookup = lookup_new(error)))
		return FALSE;
	if (!signals_catch(&session->signals, error))
		return FALSE;
	signals_abandon_by(&session->signals, abandon, session->control);
	lookup_hurry_by(session->lookup, session->signals.hurry);
	if (options->keep)
		return check_adoption(session, error);
	return check_settings(session, error) &&
	       (options->discard || adopt_refuse(session->control, error));
}

/* ---- a file ---- */

static gboolean create_file(Session *session, GError **error)
{
	TraceFileOptions options = {
		.output = session->options->output,
		.mode = is_flight(session)       ? "flight"
			: session->options->keep ? "continue"
						 : "record",
		.command = session->options->command,
		.whole = is_flight(session),
		.is_part = &session->is_part,
		.late = session->options->keep,
		.lookup = session->lookup,
		.part = session->options->output.rotate ? 1 : 0,
	};

	g_free(session->path);
	session->is_part = FALSE;
	session->number = next_number(session);
	session->path = file_path(session, session->number);
	options.output.path = session->path;
	options.output.signals = &session->signals;
	session->file = tracefile_create(session->control, &options, error);
	return session->file != NULL;
}

static void tell_unseen(const Session *session)
{
	g_autofree char *unseen =
		settings_unavailable(session->control, session->options->settings);

	if (strcmp(control_source(session->control), "module") != 0)
		message("tracing by BPF programs%s",
			source_why_bpf(session->options->settings->source));
	if (unseen)
		message("unseen: %s", unseen);
}

/* Reports once that the cgroup to which events are filtered was removed. */
static void look_at_cgroup(Session *session)
{
	const char *path = session->options->settings->cgroup;

	if (!session->cgroup || cgroups_inode(path) == session->cgroup)
		return;
	message("the cgroup '%s' was removed: a later one of its name is not recorded", path);
	session->cgroup = 0;
}

static gboolean enable(Session *session, GError **error)
{
	gboolean fine;

	if (session->options->keep)
		fine = adopt_keep(session->control, error);
	else
		fine = (session->number > 1 || apply_settings(session, error)) &&
		       control_set(session->control, "enable", 1, error);
	if (!fine)
		return FALSE;
	session->owned = TRUE;
	session->start_ns = monotonic_ns();
	if (!session->first_ns) {
		session->first_ns = session->start_ns;
		tell_unseen(session);
		session->cgroup = cgroups_inode(session->options->settings->cgroup);
	}
	return TRUE;
}

static gboolean start_drain(Session *session, GError **error)
{
	session->drain = drain_start(session->control, tracefile_writer(session->file), error);
	return session->drain != NULL;
}

/* Notes the bytes of names: if they exceed those of events, a part may exceed the given size. */
static void note_head(Session *session)
{
	guint64 rotate = session->options->output.rotate;
	gboolean told = 2 * session->head > rotate;
	g_autofree char *head = NULL;

	session->head = trace_writer_bytes(tracefile_writer(session->file));
	if (!rotate || told || 2 * session->head <= rotate)
		return;
	head = units_format_size(session->head);
	message("files exceed --rotate: each begins with %s of names and stacks, followed by at least as many bytes of events",
		head);
}

/* Removes the oldest part if there are too many. */
static void note_part(Session *session)
{
	guint keep = session->options->output.keep;
	g_autofree char *old = NULL;
	int failed;

	session->part_count++;
	g_queue_push_tail(&session->parts, g_strdup(session->path));
	if (!keep || session->parts.length <= keep)
		return;
	old = g_queue_pop_head(&session->parts);
	failed = outfile_drop(old);
	if (failed && failed != ENOENT)
		message("can't remove %s: %s", old, g_strerror(failed));
}

static gboolean start(Session *session, GError **error)
{
	if (!create_file(session, error) || !enable(session, error) ||
	    !tracefile_replace(session->file, error) ||
	    (!is_flight(session) && !start_drain(session, error)) ||
	    !tracefile_settings(session->file, KMEMTRACE_PHASE_START, error))
		return FALSE;
	note_head(session);
	if (session->options->output.rotate)
		note_part(session);
	session->losses = is_flight(session) ? NULL : loss_monitor_new(session->control);
	if (!session->options->command || session->released)
		return TRUE;
	session->released = TRUE;
	workload_go(&session->workload);
	return TRUE;
}

/* Returns milliseconds to sleep; 0: the duration is over. */
static int time_to_sleep(const Session *session)
{
	guint64 duration = session->options->duration_ns;
	guint64 passed = monotonic_ns() - session->first_ns;
	guint64 longest = session->options->output.rotate ? SIZE_MS : LOOK_MS;

	if (!duration)
		return longest;
	if (passed >= duration)
		return 0;
	return MIN(longest, (duration - passed) / 1000000 + 1);
}

static SignalsWish wish(Session *session)
{
	SignalsWish wished = signals_take(&session->signals);

	if (workload_has_ended(&session->workload, &session->result->status))
		return SIGNALS_END;
	if (wished != SIGNALS_WRITE || is_flight(session))
		return wished;
	message("SIGUSR1 writes a file of record --flight; recording continues");
	return SIGNALS_NONE;
}

static gboolean is_long_enough(const Session *session)
{
	guint64 rotate = session->options->output.rotate;

	return rotate && trace_writer_bytes(tracefile_writer(session->file)) >=
				 MAX(rotate, 2 * session->head);
}

/* Continues in the next part when this one has reached its size. */
static gboolean rotate(Session *session, GError **error)
{
	g_autofree char *next = NULL;
	guint number;

	if (!is_long_enough(session))
		return TRUE;
	number = next_number(session);
	next = file_path(session, number);
	if (!tracefile_next_part(session->file, next, error))
		return FALSE;
	session->number = number;
	g_free(session->path);
	session->path = g_steal_pointer(&next);
	note_head(session);
	note_part(session);
	return TRUE;
}

static gboolean look(Session *session, GError **error)
{
	guint64 now = monotonic_ns();

	if (!rotate(session, error))
		return FALSE;
	if (now - session->looked_ns < (guint64)LOOK_MS * 1000000)
		return TRUE;
	session->looked_ns = now;
	if (session->drain && !drain_look(session->drain, error))
		return FALSE;
	loss_monitor_look(session->losses, session->control);
	session->frozen = is_flight(session) && stats_are_frozen(session->control);
	look_at_cgroup(session);
	return tracefile_look(session->file, error);
}

/* Sets *@wished to the request. */
static gboolean wait_for_wish(Session *session, SignalsWish *wished, GError **error)
{
	struct pollfd pollfd = { .fd = session->signals.fd, .events = POLLIN };
	int ms;

	session->frozen = FALSE;
	while (!(*wished = wish(session))) {
		ms = time_to_sleep(session);
		if (!ms) {
			*wished = SIGNALS_END;
			break;
		}
		if (!look(session, error))
			return FALSE;
		if (session->frozen) {
			*wished = SIGNALS_WRITE;
			break;
		}
		poll(&pollfd, 1, ms);
	}
	return TRUE;
}

static void wait_for_command(Session *session, gboolean end)
{
	pid_t pid = session->workload.pid;

	if (!workload_wait(&session->workload, end, &session->signals, &session->result->status) &&
	    session->released)
		message("the command still runs, as process %d", pid);
}

/* Stops tracing and drains the rest, also after an error. */
static gboolean stop(Session *session, gboolean end_command, GError **error)
{
	SessionResult *result = session->result;
	gboolean fine;

	if (session->drain)
		drain_expect_end(session->drain);
	fine = control_set(session->control, "enable", 0, error);
	result->span_ns = monotonic_ns() - session->start_ns;
	result->events = 0;
	if (end_command)
		wait_for_command(session, TRUE);
	look_at_cgroup(session);
	if (fine && session->file && !session->drain && is_flight(session))
		fine = start_drain(session, error);
	/* A CPU may have come online since the last check. */
	if (session->drain && !drain_look(session->drain, fine ? error : NULL))
		fine = FALSE;
	if (session->drain &&
	    !drain_finish(session->drain, &result->events, NULL, fine ? error : NULL))
		fine = FALSE;
	session->drain = NULL;
	g_clear_pointer(&session->losses, loss_monitor_free);
	return fine;
}

static void add_lost(CaptureStats *sum, const CaptureStats *stats)
{
	for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++)
		sum->lost[reason] += stats->lost[reason];
	sum->frozen |= stats->frozen;
}

static gboolean end_file(Session *session, GError **error)
{
	return stats_read(session->control, &session->result->stats, error) &&
	       tracefile_end(session->file, error);
}

static gboolean close_file(Session *session, gboolean fine, GError **error)
{
	TraceFile *file = g_steal_pointer(&session->file);
	gboolean closed;

	if (!file)
		return fine;
	closed = tracefile_close(file, fine, &session->result->bytes, fine ? error : NULL);
	if (!closed)
		return FALSE;
	if (session->is_part) {
		g_autofree char *path = session->path;

		session->path = g_strconcat(path, ".part", NULL);
	}
	session->result->path = session->options->output.receiver
					? session->options->output.receiver
					: session->path;
	session->result->parts = session->part_count;
	session->result->kept = session->parts.length;
	if (fine)
		session->options->done(session->result);
	return fine;
}

/* Returns FALSE with an error if the command has ended because it could not be executed. */
static gboolean check_command(const Session *session, GError **error)
{
	return !session->options->command ||
	       workload_check(&session->workload, session->options->command[0], error);
}

/*
 * Reading the mappings of processes allocates: the events of that must not overwrite those of the
 * moment that a flight keeps. An older module can't leave them out.
 */
static void keep_moment(const Session *session)
{
	if (is_flight(session) && session->lookup)
		control_set(session->control, "enable", KMEMTRACE_ENABLE_MAPS, NULL);
}

/* Records one file, with the texts of its start and end. *@again: another one follows. */
static gboolean record_file(Session *session, gboolean *again, GError **error)
{
	SignalsWish wished = SIGNALS_END;
	gboolean fine = start(session, error) && wait_for_wish(session, &wished, error);

	*again = fine && wished == SIGNALS_WRITE;
	if (fine) {
		keep_moment(session);
		fine = tracefile_settings(session->file, KMEMTRACE_PHASE_END, error);
	}
	if (session->owned && !stop(session, fine && !*again, fine ? error : NULL))
		fine = FALSE;
	fine = fine && check_command(session, error) && end_file(session, error);
	return close_file(session, fine, error);
}

/* Keeps all files in one folder, even if it is renamed meanwhile. */
static gboolean stay(const Session *session, GError **error)
{
	return !has_numbers(session) || outfile_stay(session->options->output.path, error);
}

/* Empties the tracer for the next file, which has the same processes. */
static gboolean reset(const Session *session, GError **error)
{
	gboolean by_process = session->options->settings->pids || session->options->only_command;

	return control_set(session->control, "reset",
			   by_process ? KMEMTRACE_RESET_FOLLOWS : KMEMTRACE_RESET_ALL, error);
}

/* Warns about older parts that this recording did not replace. */
static void tell_leftovers(const Session *session)
{
	g_autofree char *path = NULL;
	guint first, count;

	if (!session->number || !has_numbers(session))
		return;
	count = parts_after(session->options->output.path, session->number, &first);
	path = file_path(session, first);
	if (count)
		message("%s%s: part of an earlier recording; do not read it with this one", path,
			count > 1 ? " and later files" : "");
}

static gboolean record(Session *session, GError **error)
{
	CaptureStats sum = { 0 };
	gboolean again = FALSE, fine;

	if (!stay(session, error))
		return FALSE;
	do {
		fine = (!again || reset(session, error)) && record_file(session, &again, error);
		add_lost(&sum, &session->result->stats);
	} while (fine && again);
	tell_leftovers(session);
	outfile_leave();
	session->result->stats = sum;
	return fine;
}

/*
 * Waits for the command. An error of the recording does not end it: it is reported at once, and
 * *@error is then CAPTURE_ERROR_REPORTED.
 */
static void finish_command(Session *session, GError **error)
{
	gboolean failed = *error && session->released && session->workload.pid;

	if (failed) {
		message("%s; recording has ended, the command continues", (*error)->message);
		g_clear_error(error);
		g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_REPORTED,
				    "recording failed");
	}
	if (session->workload.pid)
		wait_for_command(session, !failed);
}

static void release(Session *session)
{
	if (session->owned)
		control_set(session->control, "reset", 1, NULL); /* frees its memory */
	if (session->resized)
		settings_set_sizes(session->control, &session->before, NULL);
	signals_abandon_by(&session->signals, NULL, NULL);
	lookup_free(session->lookup);
	g_queue_clear_full(&session->parts, g_free);
	control_close(session->control);
	session->result->path = NULL;
	g_free(session->path);
}

gboolean session_record(const SessionOptions *options, SessionResult *result, GError **error)
{
	Session session = { .options = options, .result = result, .signals = { .fd = -1 } };
	GError *local = NULL;
	gboolean fine;

	memset(result, 0, sizeof(*result));
	oom_protect();
	fine = prepare(&session, &local) && record(&session, &local);
	release(&session);
	oom_release();
	finish_command(&session, &local);
	signals_release(&session.signals);
	if (local)
		g_propagate_error(error, local);
	return fine;
}
