// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user reconcile: does what was traced explain what the kernel says that it uses?
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "report/reconcile.h"

#define DEFAULT_LIMIT	10

static gboolean parse(int *argc, char ***argv, ReconcileOptions *options)
{
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit, "Slab caches that are listed (default 10)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "Compares what was traced with what meminfo, slabinfo and buddyinfo of the traced kernel "
			   "changed by, and says how much of it is explained. FILE is a .kmt, which is loaded first, "
			   "or a .db (default " CMD_DEFAULT_TRACE ").",
			   argc, argv))
		return FALSE;
	return options_check_rows(options->limit);
}

int cmd_reconcile(int argc, char **argv)
{
	ReconcileOptions options = { .limit = DEFAULT_LIMIT };
	g_autoptr(StoreDb) db = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;

	if (!parse(&argc, &argv, &options))
		return EXIT_USAGE;
	options.name = options_one_file(argc, argv, source_default(NULL));
	if (!options.name)
		return EXIT_USAGE;
	db = source_open(options.name, &error);
	if (!db || !reconcile_print(db, &options, stdout, &incomplete, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the comparison"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
