// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/destination.h"

#include "base/message.h"
#include "base/units.h"
#include "cmd/common/options.h"

#define LEVEL_DEFAULT 1 /* higher levels gain little for their cost */
#define LEVEL_MAX     19
#define KEEP_ALL      G_MININT  /* not given */
#define PART_MIN      (1 << 20) /* bytes; smaller parts would be mostly names */

static struct {
	char *path, *receiver, *rotate;
	int level, keep;
} given = { .level = LEVEL_DEFAULT, .keep = KEEP_ALL };

const GOptionEntry destination_entries[] = {
	{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &given.path,
	  "Write the trace to FILE (default " CMD_DEFAULT_TRACE "), or - for standard output",
	  "FILE" },
	{ "compression-level", 'z', 0, G_OPTION_ARG_INT, &given.level,
	  "Compress with zstd level 1 (default) to 19; 0 disables it", "LEVEL" },
	G_OPTION_ENTRY_NULL
};

const GOptionEntry destination_parts_entries[] = {
	{ "send", 0, 0, G_OPTION_ARG_STRING, &given.receiver,
	  "Send the trace to kmemtrace-user receive on another machine", "HOST[:PORT]" },
	{ "to", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &given.receiver, "Old name of --send",
	  "HOST[:PORT]" },
	{ "rotate", 0, 0, G_OPTION_ARG_STRING, &given.rotate,
	  "Start another file at this size: FILE.1.kmt, FILE.2.kmt…", "SIZE" },
	{ "keep", 0, 0, G_OPTION_ARG_INT, &given.keep, "With --rotate, keep only the last N files",
	  "N" },
	G_OPTION_ENTRY_NULL
};

/* Returns why the options cannot be combined, or NULL. */
static const char *find_fault(gboolean makes_files)
{
	gboolean no_file = given.receiver || g_strcmp0(given.path, OUTPUT_STDOUT) == 0;

	if (given.level < 0 || given.level > LEVEL_MAX)
		return "-z takes a level of 1 to 19, or 0";
	if (given.receiver && given.path)
		return "--send or -o, not both";
	if (no_file && (given.rotate || makes_files))
		return "--rotate and --flight make files: give them a name with -o";
	if (given.rotate && makes_files)
		return "--rotate or --flight, not both";
	if (given.keep != KEEP_ALL && !given.rotate)
		return "--keep needs --rotate";
	if (given.keep != KEEP_ALL && given.keep < 1)
		return "--keep takes a number of files, 1 or more";
	return NULL;
}

static gboolean parse_rotate(guint64 *size)
{
	g_autoptr(GError) error = NULL;

	if (!given.rotate)
		return TRUE;
	if (!units_parse_size(given.rotate, size, &error))
		message("%s", error->message);
	else if (*size < PART_MIN)
		message("--rotate must be at least 1M, not %s", given.rotate);
	else
		return TRUE;
	return FALSE;
}

gboolean destination_given(Output *output, gboolean makes_files)
{
	const char *fault = find_fault(makes_files);

	*output = (Output){
		.path = given.path ? given.path : CMD_DEFAULT_TRACE,
		.is_named = given.path != NULL,
		.receiver = given.receiver,
		.level = given.level,
		.keep = MAX(given.keep, 0),
	};
	if (fault)
		message("%s", fault);
	return !fault && parse_rotate(&output->rotate);
}
