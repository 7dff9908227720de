// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user recover: copy the intact chunks of a damaged trace. */
#include "trace/file/recover.h"

#include <gio/gio.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/memory.h"
#include "base/units.h"
#include "capture/recording/output.h"
#include "cmd/cmd.h"
#include "cmd/common/options.h"

#define GAPS_SHOWN 10

/* Returns "x.recovered.kmt" for "x.kmt". */
static char *default_output(const char *path)
{
	size_t len = strlen(path);

	if (g_str_has_suffix(path, ".kmt"))
		len -= strlen(".kmt");
	return g_strdup_printf("%.*s.recovered.kmt", (int)len, path);
}

static gboolean is_whole(const struct trace_recovery *recovery)
{
	return !recovery->gap_count && !recovery->orphans && !recovery->missing &&
	       recovery->had_end;
}

static void say_recovered(const struct trace_recovery *recovery, const char *path)
{
	g_autofree char *kept = units_format_count(recovery->kept);
	g_autofree char *bytes = units_format_count(recovery->left_out);

	if (is_whole(recovery))
		message("nothing was damaged: %s holds the same %s chunks", path, kept);
	else
		message("recovered %s chunks to %s", kept, path);
	if (recovery->gap_count)
		message("SKIPPED: %s bytes in %zu place%s", bytes, recovery->gap_count,
			recovery->gap_count == 1 ? "" : "s");
	for (size_t i = 0; i < MIN(recovery->gap_count, GAPS_SHOWN); i++)
		message("    at offset %" PRIu64 ": %" PRIu64 " bytes", recovery->gaps[i].offset,
			recovery->gaps[i].len);
	if (recovery->gap_count > GAPS_SHOWN)
		message("    …");
	if (recovery->orphans)
		message("SKIPPED: %" PRIu64
			" pieces of the stack table, as earlier pieces are missing",
			recovery->orphans);
	if (recovery->missing)
		message("%" PRIu64 " %s missing or out of place, as the numbers of the others show",
			recovery->missing, recovery->missing == 1 ? "chunk is" : "chunks are");
	if (!recovery->had_end)
		message("the end of the recording is missing, from offset %" PRIu64,
			recovery->size);
}

/* Rejects an existing copy, which may be the only remains of a recording. */
static gboolean may_replace(const char *path, gboolean force)
{
	struct stat st;
	int answer;

	if (force || lstat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return TRUE;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		message("%s exists (--force replaces it)", path);
		return FALSE;
	}
	fputs("kmemtrace-user: replace ", stderr);
	escape_print(path, stderr);
	fputs("? [y/N] ", stderr);
	answer = getchar();
	return answer == 'y' || answer == 'Y';
}

static gboolean write_copy(const char *from, const char *to, struct trace_recovery *recovery,
			   GError **error)
{
	g_autofree char *beside = NULL;
	struct trace_error err = { "" };
	int fd = outfile_begin(to, &output_kind, &beside, error);
	gboolean fine;

	if (fd < 0)
		return FALSE;
	fine = trace_recover(from, fd, to, recovery, &err) == 0;
	if (!fine)
		g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_FAILED, err.text);
	fine = fine && outfile_finish(beside, to, &output_kind, error);
	if (!fine)
		outfile_drop(beside);
	return fine;
}

int cmd_recover(int argc, char **argv)
{
	g_autofree char *output = NULL;
	gboolean force = FALSE;
	const GOptionEntry entries[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &output,
		  "Write the trace to FILE (default TRACE.recovered.kmt)", "FILE" },
		{ "force", 0, 0, G_OPTION_ARG_NONE, &force, "Replace an existing FILE", NULL },
		G_OPTION_ENTRY_NULL
	};
	struct trace_recovery recovery = { 0 };
	gboolean fine, whole;
	GError *error = NULL;

	if (!options_parse(
		    entries, "TRACE.kmt",
		    "Copy the intact chunks of a damaged or truncated trace, and list the damaged parts.",
		    &argc, &argv))
		return EXIT_USAGE;
	if (argc != 2) {
		message("recover needs a trace, as in: recover kmemtrace.kmt");
		return EXIT_USAGE;
	}
	if (!output)
		output = default_output(argv[1]);
	memory_note_input(argv[1]);
	if (!may_replace(output, force))
		return EXIT_FAILED;
	fine = write_copy(argv[1], output, &recovery, &error);
	if (fine)
		say_recovered(&recovery, output);
	whole = is_whole(&recovery);
	trace_recovery_clear(&recovery);
	if (!fine)
		return message_failed(error);
	return whole ? EXIT_FINE : EXIT_INCOMPLETE;
}
