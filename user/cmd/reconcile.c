// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user reconcile: does what was traced explain what the kernel says that it uses?
 */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/question.h"
#include "report/reconcile.h"

int cmd_reconcile(int argc, char **argv)
{
	ReconcileOptions options = { .limit = QUESTION_LIMIT };
	gboolean json = FALSE;
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Slab caches that are listed (default 10)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "Compares what was traced with what meminfo, slabinfo and buddyinfo of the traced kernel "
			   "changed by, and says how much of it is explained. FILE is a .kmt, which is loaded first, "
			   "or a .db (default " CMD_DEFAULT_TRACE ").",
			   &argc, &argv) ||
	    !options_check_rows(options.limit))
		return EXIT_USAGE;
	return question_answer(argc, argv,
			       &(Question){ .print = reconcile_print, .options = &options,
					    .json = json });
}
