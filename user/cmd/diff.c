// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user diff: what changed from one trace to another?
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/common/options.h"
#include "cmd/common/source.h"
#include "report/diff/diff.h"

#define DEFAULT_LIMIT 10

static gboolean parse(int *argc, char ***argv, DiffOptions *options)
{
	g_autofree char *by = NULL, *per = NULL;
	const GOptionEntry entries[] = {
		{ "by", 0, 0, G_OPTION_ARG_STRING, &by,
		  "Group by site, stack, cache, module, task or thread (default site)", "WHAT" },
		{ "per", 0, 0, G_OPTION_ARG_STRING, &per,
		  "Print totals, or figures per second or per event of each trace (default total)",
		  "UNIT" },
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit,
		  "Rows of each kind (default 10)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print JSON: an object", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "A B",
			   "Compare two traces or databases by name: allocations, bytes, live and "
			   "wasted memory, sorted by the change of live bytes.",
			   argc, argv))
		return FALSE;
	if (!options_check_rows(options->limit))
		return FALSE;
	if (by && !diff_parse_by(by, &options->by))
		message("invalid --by '%s' (expected site, stack, cache, module, task or thread)",
			by);
	else if (per && !diff_parse_per(per, &options->per))
		message("invalid --per '%s' (expected total, second or event)", per);
	else if (*argc != 3)
		message("diff needs two traces, as in: diff before.kmt after.kmt");
	else
		return TRUE;
	return FALSE;
}

int cmd_diff(int argc, char **argv)
{
	DiffOptions options = { .limit = DEFAULT_LIMIT };
	g_autoptr(StoreDb) before = NULL;
	g_autoptr(StoreDb) after = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;

	if (!parse(&argc, &argv, &options))
		return EXIT_USAGE;
	for (guint i = 0; i < 2; i++)
		options.names[i] = argv[1 + i];
	before = source_open(argv[1], &error);
	if (before)
		after = source_open(argv[2], &error);
	if (!after ||
	    !diff_print((StoreDb *const[]){ before, after }, &options, stdout, &incomplete, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the comparison"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
