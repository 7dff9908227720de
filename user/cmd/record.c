// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user record: traces the kernel until a command ends, a time is over, or Ctrl-C.
 */
#include <string.h>
#include <sys/wait.h>

#include "base/units.h"
#include "capture/session.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "trace/event.h"

static gboolean parse(int *argc, char ***argv, SessionOptions *options)
{
	g_autofree char *output = NULL, *buffer = NULL, *duration = NULL;
	g_autoptr(GError) error = NULL;
	int depth = -1;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write the trace to FILE (default " CMD_DEFAULT_TRACE ")", "FILE" },
		{ "buffer", 'm', 0, G_OPTION_ARG_STRING, &buffer,
		  "Buffer for each CPU, in bytes or with K, M, G (default 4M)", "SIZE" },
		{ "stack-depth", 0, 0, G_OPTION_ARG_INT, &depth,
		  "Return addresses kept of each stack, 0 to 32 (default 16)", "N" },
		{ "duration", 0, 0, G_OPTION_ARG_STRING, &duration,
		  "Stop after this time: seconds, or with ms, s, m, h", "TIME" },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[-- COMMAND…]",
			   "Records the kernel's allocations, of all CPUs and threads, while COMMAND runs, "
			   "or until Ctrl-C.", argc, argv))
		return FALSE;
	if ((buffer && !units_parse_size(buffer, &options->buffer_bytes, &error)) ||
	    (duration && !units_parse_time(duration, &options->duration_ns, &error))) {
		message("%s", error->message);
		return FALSE;
	}
	if (depth < -1 || depth > KMEMTRACE_STACK_DEPTH_MAX) {
		message("a stack depth of %d is none: expected 0 to %d", depth, KMEMTRACE_STACK_DEPTH_MAX);
		return FALSE;
	}
	options->stack_depth = depth;
	options->path = output ? g_steal_pointer(&output) : g_strdup(CMD_DEFAULT_TRACE);
	return TRUE;
}

static void say_recorded(const SessionOptions *options, const SessionResult *result)
{
	g_autofree char *events = units_format_count(result->stats.written);
	g_autofree char *span = units_format_time(result->span_ns);
	g_autofree char *size = units_format_size(result->bytes);

	message("recorded %s events in %s to %s (%s)", events, span, options->path, size);
}

/* Each reason for which something was lost, and what helps. */
static void say_lost(const CaptureStats *stats)
{
	static const char *const remedies[KMEMTRACE_LOSS_NR] = {
		[KMEMTRACE_LOSS_BUFFER_FULL] = "events: the buffers were full; -m with a larger SIZE helps",
		[KMEMTRACE_LOSS_NMI] = "events came in an NMI, where nothing can be recorded",
		[KMEMTRACE_LOSS_RECURSION] = "events came while another one was being recorded",
		[KMEMTRACE_LOSS_STACK_FULL] = "events have no stack: the stack table was full; "
					      "a larger module parameter stack_bytes helps",
		[KMEMTRACE_LOSS_CACHE_FULL] = "events have no cache: the cache table was full",
	};

	for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
		g_autofree char *count = units_format_count(stats->lost[reason]);

		if (stats->lost[reason])
			message("LOST (%s): %s %s", trace_loss_name(reason), count, remedies[reason]);
	}
}

static void say_status(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		message("the command exited with %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		message("the command was ended by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
}

/* What stands behind "--", or behind the options, is the command. */
static char **cut_command(int *argc, char **argv)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") == 0) {
			char **command = argv + i + 1;

			argv[i] = NULL;
			*argc = i;
			return command;
		}
	}
	return NULL;
}

int cmd_record(int argc, char **argv)
{
	SessionOptions options = { 0 };
	SessionResult result;
	GError *error = NULL;
	char **command = cut_command(&argc, argv);
	g_autofree const char *path = NULL;

	if (!parse(&argc, &argv, &options))
		return EXIT_USAGE;
	path = options.path;
	if (argc > 1 || (command && !command[0])) {
		message("a command to record stands behind --, as in: record -- ls -lR /");
		return EXIT_USAGE;
	}
	options.command = command;
	if (!command && message_shows_progress())
		message("recording; Ctrl-C ends it");
	if (!session_record(&options, &result, &error))
		return message_failed(error);
	say_status(result.status);
	say_recorded(&options, &result);
	say_lost(&result.stats);
	return stats_lost_records(&result.stats) ? EXIT_INCOMPLETE : EXIT_FINE;
}
