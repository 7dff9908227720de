// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user query: one SQL statement on a trace.
 */
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "report/rows.h"
#include "report/trust.h"

/* An answer of an incomplete trace may be a wrong one. */
static int say_trust(const Trust *trust)
{
	g_autofree char *summary = trust_summary(trust);

	if (summary)
		message("%s: kmemtrace-user report says more", summary);
	return trust_is_incomplete(trust) ? EXIT_INCOMPLETE : EXIT_FINE;
}

static int run(const char *path, const char *sql, RowsFormat format)
{
	g_autoptr(StoreDb) db = NULL;
	g_autoptr(StoreRows) rows = NULL;
	g_auto(Trust) trust = { 0 };
	GError *error = NULL;

	db = source_open(path, &error);
	if (db)
		rows = store_query(db, sql, NULL, &error);
	if (!rows || !rows_print(rows, format, stdout, NULL, &error) ||
	    !trust_read(db, &trust, &error))
		return message_failed(error);
	if (format == ROWS_JSON)
		putchar('\n');
	if (fflush(stdout) == 0)
		return say_trust(&trust);
	message("can't write the result");
	return EXIT_FAILED;
}

static gboolean is_file(const char *word)
{
	return g_file_test(word, G_FILE_TEST_EXISTS) || g_str_has_suffix(word, ".kmt") ||
	       g_str_has_suffix(word, ".db");
}

/* A file and a statement, or a statement alone. FALSE, after saying what is missing. */
static gboolean check_words(int argc, char **argv)
{
	if (argc == 2 && is_file(argv[1]))
		message("a statement is needed behind %s, as in: query %s \"SELECT * FROM call_sites\"",
			argv[1], argv[1]);
	else if (argc == 3 && !is_file(argv[1]) && is_file(argv[2]))
		message("the file stands before the statement, as in: query %s \"SELECT * FROM call_sites\"",
			argv[2]);
	else if (argc < 2 || argc > 3)
		message("one statement is needed, as in: query \"SELECT * FROM call_sites\"");
	else
		return TRUE;
	return FALSE;
}

int cmd_query(int argc, char **argv)
{
	gboolean json = FALSE, csv = FALSE;
	const GOptionEntry entries[] = {
		{ "json", 0, 0, G_OPTION_ARG_NONE, &json, "Print an array of objects", NULL },
		{ "csv", 0, 0, G_OPTION_ARG_NONE, &csv, "Print comma-separated values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE] \"SELECT …\"",
			   "Runs one SQL statement on FILE (a .kmt, which is loaded first, or a .db; default "
			   CMD_DEFAULT_TRACE "). Nothing can be changed. The tables and views: "
			   "Documentation/schema.rst.", &argc, &argv))
		return EXIT_USAGE;
	if (json && csv) {
		message("--json or --csv, not both");
		return EXIT_USAGE;
	}
	if (!check_words(argc, argv))
		return EXIT_USAGE;
	return run(source_default(argc == 3 ? argv[1] : NULL), argv[argc - 1],
		   json ? ROWS_JSON : csv ? ROWS_CSV : ROWS_TABLE);
}
