// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user module: show what a module allocated, freed and left behind. */
#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/report_command.h"
#include "report/summary/module.h"

/*
 * Returns whether an argument is a file. A folder in a kernel's source tree may have the name of
 * its module.
 */
static gboolean may_be_trace(const char *word)
{
	return input_is_file(word) && !g_file_test(word, G_FILE_TEST_IS_DIR);
}

/* Prints the possible names if no name was given. Returns an enum exit_code. */
static int print_modules(const char *path)
{
	GError *error = NULL;
	g_autoptr(StoreDb) db = input_open(path, &error);
	g_autofree char *names = db ? module_names(db, &error) : NULL;

	if (!names)
		return message_failed(error);
	if (*names)
		message("module needs a name; the modules of %s are %s", path, names);
	else
		message("%s contains no modules", path);
	return EXIT_USAGE;
}

/* Accepts a file and a name, or only a name. */
static gboolean check_words(int argc)
{
	if (argc == 2 || argc == 3)
		return TRUE;
	message("module needs a name, as in: module [FILE] ext4");
	return FALSE;
}

int cmd_module(int argc, char **argv)
{
	ModuleOptions options = { .limit = REPORT_ROWS };
	const char *path;
	gboolean file_last;
	g_auto(FilterOptions) filters = { 0 };
	gboolean json = FALSE;
	const GOptionEntry entries[] = { { "lines", 'n', 0, G_OPTION_ARG_INT, &options.limit,
					   "Rows of each table (default 10)", "N" },
					 { "json", 0, 0, G_OPTION_ARG_NONE, &json,
					   "Print JSON: an object of arrays", NULL },
					 G_OPTION_ENTRY_NULL };
	const GOptionEntry *const groups[] = { entries, NULL };

	if (!filter_options_parse(
		    &filters, groups, "[FILE] NAME",
		    "Show what the module NAME allocated when it was loaded and later, "
		    "what it freed before and while it was unloaded, and what it left. " CMD_FILE_HELP,
		    &argc, &argv))
		return EXIT_USAGE;
	if (argc == 2 && may_be_trace(argv[1]))
		return print_modules(argv[1]);
	if (!check_words(argc) || !options_check_rows(options.limit))
		return EXIT_USAGE;
	file_last = argc == 3 && !may_be_trace(argv[1]) && may_be_trace(argv[2]);
	options.module = argv[file_last ? 1 : argc - 1];
	path = argc == 3 ? argv[file_last ? 2 : 1] : default_file_find(DEFAULT_ANY);
	if (!path)
		return EXIT_USAGE;
	return report_command_run_on(path, &(ReportCommand){ .print = module_print,
							     .options = &options,
							     .json = json,
							     .selection = &filters.selection });
}
