// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user module: what did a module take, and not give back?
 */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/source.h"
#include "report/module.h"

static gboolean is_file(const char *word)
{
	return g_str_has_suffix(word, ".kmt") || g_str_has_suffix(word, ".db") ||
	       g_file_test(word, G_FILE_TEST_IS_REGULAR);
}

/* A name was forgotten: those that it may be. An enum exit_code. */
static int ask_which(const char *path)
{
	GError *error = NULL;
	g_autoptr(StoreDb) db = source_open(path, &error);
	g_autofree char *names = db ? module_names(db, &error) : NULL;

	if (!names)
		return message_failed(error);
	if (*names)
		message("which module of %s? It knows %s", path, names);
	else
		message("%s knows no modules", path);
	return EXIT_USAGE;
}

/* A file and a name, or a name alone. */
static gboolean check_words(int argc, char **argv, ModuleOptions *options)
{
	if (argc < 2 || argc > 3)
		message("a module is needed, as in: module [FILE] ext4");
	else if (options_check_rows(options->limit)) {
		options->name = source_default(argc == 3 ? argv[1] : NULL);
		options->module = argv[argc - 1];
		return TRUE;
	}
	return FALSE;
}

int cmd_module(int argc, char **argv)
{
	ModuleOptions options = { .limit = 10 };
	g_autoptr(StoreDb) db = NULL;
	gboolean incomplete = FALSE;
	GError *error = NULL;
	const GOptionEntry entries[] = {
		{ "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit, "Rows of each table (default 10)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print an object of arrays, plain values", NULL },
		G_OPTION_ENTRY_NULL
	};

	if (!options_parse(entries, "[FILE] NAME",
			   "Says what the module NAME took when it was loaded and later, what it gave back before "
			   "and when it was unloaded, and what is left. FILE is a .kmt, which is loaded first, or a "
			   ".db (default " CMD_DEFAULT_TRACE ").", &argc, &argv))
		return EXIT_USAGE;
	if (argc == 2 && is_file(argv[1]))
		return ask_which(argv[1]);
	if (!check_words(argc, argv, &options))
		return EXIT_USAGE;
	db = source_open(options.name, &error);
	if (!db || !module_print(db, &options, stdout, &incomplete, &error))
		return message_failed(error);
	if (!message_wrote_stdout("the answer"))
		return EXIT_FAILED;
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}
