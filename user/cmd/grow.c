// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user grow: who holds more at one time than at another, and does it go on?
 */
#include <stdio.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "cmd/srcline.h"
#include "report/holders.h"
#include "report/leaks.h"

static gboolean parse_time(const char *text, gint64 *ns)
{
	GError *error = NULL;
	guint64 value;

	if (!text)
		return TRUE;
	if (!units_parse_time(text, &value, &error)) {
		message_failed(error);
		return FALSE;
	}
	*ns = (gint64)value;
	return TRUE;
}

static gboolean parse(int *argc, char ***argv, LeaksOptions *options, char **by,
		      Srcline *srcline)
{
	g_autofree char *from = NULL, *to = NULL;
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options->limit, "Rows of each table (default 10)", "N" },
		{ "from", 0, 0, G_OPTION_ARG_STRING, &from,
		  "The first time, from the start of the trace on (default 0)", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &to, "The second time (default: the end of the trace)", "TIME" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, by,
		  "Who: stack, site (the default), module, cache or task", "WHO" },
		SRCLINE_ENTRIES(*srcline),
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE]",
			   "Says who holds more at one time of the trace than at an earlier one, and whether that "
			   "goes on. FILE is a .kmt, which is loaded first, or a .db (default " CMD_DEFAULT_TRACE ").",
			   argc, argv) ||
	    !parse_time(from, &options->from_ns) || !parse_time(to, &options->to_ns))
		return FALSE;
	if (options->limit < 1)
		message("%d rows are none: expected 1 or more", options->limit);
	else if (*by && !holders_is_by(*by))
		message("--by '%s' is none: expected stack, site, module, cache or task", *by);
	else
		return TRUE;
	return FALSE;
}

int cmd_grow(int argc, char **argv)
{
	LeaksOptions options = { .limit = 10, .from_ns = LEAKS_NS_NONE, .to_ns = LEAKS_NS_NONE };
	g_autofree char *by = NULL;
	g_auto(Srcline) srcline = { FALSE };
	g_autoptr(StoreDb) db = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;

	if (!parse(&argc, &argv, &options, &by, &srcline))
		return EXIT_USAGE;
	options.by = by ? by : "site";
	options.name = options_one_file(argc, argv, source_default(NULL));
	if (!options.name)
		return EXIT_USAGE;
	db = source_open(options.name, &error);
	if (!db || !srcline_open(&srcline, db, &error) ||
	    !grow_print(db, &options, stdout, &incomplete, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the answer"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
