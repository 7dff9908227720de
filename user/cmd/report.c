// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user report: can the trace be trusted, and who holds, takes and wastes memory?
 */
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "cmd/srcline.h"
#include "report/report.h"
#include "report/site.h"

#define DEFAULT_LIMIT	10
#define DEFAULT_OLDER	"1s"

static gboolean parse(int *argc, char ***argv, ReportOptions *options, Srcline *srcline)
{
	g_autofree char *older = NULL, *site = NULL;
	g_autoptr(GError) error = NULL;
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit, "Rows of each table (default 10)", "N" },
		{ "older", 0, 0, G_OPTION_ARG_STRING, &older,
		  "List with its stack what is live and older than this at the end (default " DEFAULT_OLDER ")",
		  "TIME" },
		{ "site", 0, 0, G_OPTION_ARG_STRING, &site, "Only what this function called for", "FUNCTION" },
		SRCLINE_ENTRIES(*srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "Says whether the trace can be trusted, then who holds, takes and wastes memory. FILE "
			   "is a .kmt, which is loaded first, or a .db (default " CMD_DEFAULT_TRACE ").",
			   argc, argv))
		return FALSE;
	if (options->limit < 1) {
		message("%d rows are none: expected 1 or more", options->limit);
		return FALSE;
	}
	if (!units_parse_time(older ? older : DEFAULT_OLDER, &options->older_ns, &error)) {
		message("%s", error->message);
		return FALSE;
	}
	options->site = site ? g_steal_pointer(&site) : g_strdup("");
	return TRUE;
}

int cmd_report(int argc, char **argv)
{
	ReportOptions options = { .limit = DEFAULT_LIMIT };
	g_auto(Srcline) srcline = { FALSE };
	g_autoptr(StoreDb) db = NULL;
	g_autofree const char *site = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;
	const char *path;

	if (!parse(&argc, &argv, &options, &srcline))
		return EXIT_USAGE;
	site = options.site;
	path = options_one_file(argc, argv, source_default(NULL));
	if (!path)
		return EXIT_USAGE;
	options.name = path;
	db = source_open(path, &error);
	if (!db || (*site && !site_check(db, site, &error)) ||
	    !srcline_open(&srcline, db, &error) ||
	    !report_print(db, &options, stdout, &incomplete, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the report"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
