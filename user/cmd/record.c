// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user record: record the kernel until a command ends, a time elapses, or Ctrl-C. */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/units.h"
#include "capture/recording/session.h"
#include "capture/tracer/control.h"
#include "cmd/cmd.h"
#include "cmd/common/destination.h"
#include "cmd/common/options.h"
#include "cmd/common/tracing.h"

static struct {
	char *duration, *user;
	gboolean keep, discard, flight, only_command, user_stacks;
} given;

static const GOptionEntry entries[] = {
	{ "duration", 0, 0, G_OPTION_ARG_STRING, &given.duration,
	  "Stop after TIME (seconds, or with ms, s, m, h)", "TIME" },
	{ "only-command", 0, 0, G_OPTION_ARG_NONE, &given.only_command,
	  "Trace only COMMAND and its children", NULL },
	{ "user", 0, 0, G_OPTION_ARG_STRING, &given.user,
	  "Run COMMAND as this user instead of root", "NAME" },
	{ "boot", 0, 0, G_OPTION_ARG_NONE, &given.keep,
	  "Collect what the tracer has recorded since boot, and continue", NULL },
	{ "continue", 0, 0, G_OPTION_ARG_NONE, &given.keep,
	  "Collect what start, or a killed recorder, left in the buffers, and continue", NULL },
	{ "user-stacks", 0, 0, G_OPTION_ARG_NONE, &given.user_stacks,
	  "Record user stacks, too (programs with frame pointers)", NULL },
	{ "discard", 0, 0, G_OPTION_ARG_NONE, &given.discard,
	  "Discard events that are still in the tracer's buffers", NULL },
	{ "flight", 0, 0, G_OPTION_ARG_NONE, &given.flight,
	  "Keep only the newest events; write them on SIGUSR1 and at the end", NULL },
	G_OPTION_ENTRY_NULL
};

/* Rejects incompatible options. */
static gboolean check_together(char *const *command)
{
	const char *other = given.flight         ? "--flight"
			    : given.discard      ? "--discard"
			    : given.only_command ? "--only-command"
			    : given.user_stacks  ? "--user-stacks"
						 : tracing_given();

	if (given.keep && other)
		message("--boot and --continue use the tracer's settings: they cannot be combined with %s",
			other);
	else if (given.user && !command)
		message("--user needs a command, as in: record --user nobody -- ls -lR /");
	else if (given.only_command && !command)
		message("--only-command needs a command, as in: record --only-command -- ls -lR /");
	else
		return TRUE;
	return FALSE;
}

static gboolean record_fail(GError *error)
{
	message("%s", error->message);
	g_error_free(error);
	return FALSE;
}

static gboolean parse(int *argc, char ***argv, char *const *command, SessionOptions *options,
		      Settings *settings)
{
	const GOptionEntry *const groups[] = {
		destination_entries, destination_parts_entries, entries,
		tracing_entries,     tracing_sample_entries,    NULL
	};
	GError *error = NULL;

	if (!options_parse_first(groups, "[-- COMMAND…]",
				 "Record all CPUs into one file until COMMAND exits, --duration "
				 "elapses, or Ctrl-C.",
				 argc, argv))
		return FALSE;
	if (given.duration && !units_parse_time(given.duration, &options->duration_ns, &error))
		return record_fail(error);
	if (given.duration && !options->duration_ns) {
		message("--duration must be above 0 (without it, recording lasts until Ctrl-C)");
		return FALSE;
	}
	if (!tracing_settings(settings) || !check_together(command) ||
	    !destination_given(&options->output, given.flight))
		return FALSE;
	if (given.only_command && settings->pids) {
		message("--only-command and -p are mutually exclusive");
		return FALSE;
	}
	if (given.user_stacks && !settings->stack_depth) {
		message("--user-stacks needs a --stack-depth above 0");
		return FALSE;
	}
	settings->overwrite = given.flight;
	settings->user_stacks = given.user_stacks;
	options->keep = given.keep;
	options->discard = given.discard;
	options->only_command = given.only_command;
	options->settings = settings;
	options->command = command;
	options->user = given.user;
	return TRUE;
}

static void say_status(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status))
		message("the command exited with %d", WEXITSTATUS(status));
	else if (WIFSIGNALED(status))
		message("the command was killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
}

/* Called when a file is complete. */
static void say_recorded(const SessionResult *result)
{
	g_autofree char *events = units_format_count(result->events);
	g_autofree char *span = units_format_time(result->span_ns);
	g_autofree char *size = units_format_size(result->bytes);

	say_status(result->status);
	if (result->parts > result->kept)
		message("recorded %s events in %s to %u files (%s), of which the last %u are kept; the last is %s",
			events, span, result->parts, size, result->kept, result->path);
	else if (result->parts > 1)
		message("recorded %s events in %s to %u files (%s); the last is %s", events, span,
			result->parts, size, result->path);
	else
		message("recorded %s events in %s to %s (%s)", events, span, result->path, size);
	tracing_say_missed();
	tracing_say_lost(&result->stats);
}

/* Finds the command after "--", or after the options. */
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

/* Checks the program before creating a file, which may replace another one. */
static gboolean can_run(const char *program)
{
	g_autofree char *path = g_find_program_in_path(program);

	if (!path)
		message("can't run '%s': %s", program, g_strerror(ENOENT));
	return path != NULL;
}

static int fail_recording(GError *error, const SessionResult *result)
{
	if (!g_error_matches(error, CAPTURE_ERROR, CAPTURE_ERROR_REPORTED))
		return tracing_failed(error);
	g_error_free(error);
	say_status(result->status);
	return EXIT_FAILED;
}

int cmd_record(int argc, char **argv)
{
	SessionOptions options = { .done = say_recorded };
	g_auto(Settings) settings = { 0 };
	SessionResult result;
	GError *error = NULL;
	char **command = cut_command(&argc, argv);

	if (!parse(&argc, &argv, command, &options, &settings))
		return EXIT_USAGE;
	if (argc > 1 || (command && !command[0])) {
		message("the command to record comes after --, as in: record -- ls -lR /");
		return EXIT_USAGE;
	}
	if (command && !can_run(command[0]))
		return EXIT_FAILED;
	if (!command && message_shows_progress())
		message("recording; Ctrl-C ends it");
	if (!session_record(&options, &result, &error))
		return fail_recording(error, &result);
	return stats_lack_records(&result.stats) ? EXIT_INCOMPLETE : EXIT_FINE;
}
