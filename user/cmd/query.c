// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace-user query: SQL on a trace. One statement or a named query as argument, any number of
 * them from stdin, or a shell on a terminal.
 */
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "base/terminal.h"
#include "cmd/cmd.h"
#include "cmd/common/default_file.h"
#include "cmd/common/input.h"
#include "cmd/common/options.h"
#include "cmd/common/srcline.h"
#include "report/print/completeness.h"
#include "report/query/explain.h"
#include "report/query/query_run.h"
#include "report/query/shell.h"
#include "store/query/named.h"

#define EXAMPLE "\"SELECT * FROM call_sites\""

typedef struct {
	gboolean json, csv, explain, list;
	GPtrArray *queries; /* of NamedQuery: all of them */
	GHashTable *values; /* option of a named query to its value, as given */
	const char *path;   /* NULL: the default file */
	Srcline srcline;
	const char *text; /* statement or name; NULL: statements from stdin */
} Options;

/* ---- options ---- */

/* Options of named queries, with the names, letters and arguments of all commands. */
static const GOptionEntry shared[] = {
	{ "lines", 'n', 0, 0, NULL, "Rows at most", "N" },
	{ "kind", 'k', 0, 0, NULL, "Show only this kind: slab, page, percpu or vmalloc", "KIND" },
	{ "cache", 0, 0, 0, NULL, "Show only slab objects of this cache", "NAME" },
	{ "site", 0, 0, 0, NULL, "Show only allocations made by FUNCTION", "FUNCTION" },
	{ "older", 0, 0, 0, NULL,
	  "Show only allocations older than this at the end; half: 30s, or half of a shorter trace",
	  "TIME" },
	{ "at", 0, 0, 0, NULL, "Time after the first event", "TIME" },
	{ "first", 0, 0, 0, NULL, "First page frame, such as 0x1f400 or 128000", "PFN" },
	{ "end", 0, 0, 0, NULL,
	  "Page frame after the last, or pageblock: the end of the first one's block", "PFN" },
	G_OPTION_ENTRY_NULL
};

/* Old names of options, hidden in --help. */
static const struct {
	const char *old, *name;
} renamed[] = { { "time", "at" }, { "from", "first" }, { "to", "end" } };

static gboolean take_value(const char *option, const char *value, gpointer data, GError **error)
{
	Options *options = data;
	const char *name = option + strspn(option, "-");

	(void)error;
	if (option[1] != '-')
		name = option[1] == 'n' ? "lines" : "kind";
	for (guint i = 0; i < G_N_ELEMENTS(renamed); i++) {
		if (!strcmp(name, renamed[i].old))
			name = renamed[i].name;
	}
	g_hash_table_replace(options->values, g_strdup(name), g_strdup(value));
	return TRUE;
}

static gboolean is_added(const GArray *entries, const char *name)
{
	for (guint i = 0; i < entries->len; i++) {
		if (!strcmp(g_array_index(entries, GOptionEntry, i).long_name, name))
			return TRUE;
	}
	return FALSE;
}

static GOptionEntry named_entry(const NamedParam *param)
{
	GOptionEntry entry = { .long_name = param->option,
			       .description = param->help,
			       .arg_description = "VALUE" };

	for (const GOptionEntry *at = shared; at->long_name; at++) {
		if (!strcmp(at->long_name, param->option))
			entry = *at;
	}
	entry.arg = G_OPTION_ARG_CALLBACK;
	entry.arg_data = (gpointer)take_value;
	return entry;
}

static void add_renamed(GArray *entries)
{
	for (guint i = 0; i < G_N_ELEMENTS(renamed); i++) {
		const GOptionEntry entry = { .long_name = renamed[i].old,
					     .flags = G_OPTION_FLAG_HIDDEN,
					     .arg = G_OPTION_ARG_CALLBACK,
					     .arg_data = (gpointer)take_value };

		g_array_append_val(entries, entry);
	}
}

/* Returns an entry for each option of any named query. The caller unrefs it. */
static GArray *named_entries(const GPtrArray *queries)
{
	GArray *entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));

	for (guint i = 0; i < queries->len; i++) {
		const NamedQuery *query = g_ptr_array_index(queries, i);

		for (guint j = 0; j < query->params->len; j++) {
			const NamedParam *param = g_ptr_array_index(query->params, j);
			const GOptionEntry entry = named_entry(param);

			if (!is_added(entries, param->option))
				g_array_append_val(entries, entry);
		}
	}
	add_renamed(entries);
	return entries;
}

static gboolean parse_all(Options *options, int *argc, char ***argv)
{
	g_autoptr(GArray) named = named_entries(options->queries);
	const GOptionEntry entries[] = { { "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
					   "Print JSON: an array of objects", NULL },
					 { "csv", 0, 0, G_OPTION_ARG_NONE, &options->csv,
					   "Print CSV", NULL },
					 SRCLINE_ENTRIES(options->srcline),
					 { "list", 0, 0, G_OPTION_ARG_NONE, &options->list,
					   "List the named queries and their options", NULL },
					 { "explain", 0, 0, G_OPTION_ARG_NONE, &options->explain,
					   "Print the statement and its query plan", NULL },
					 G_OPTION_ENTRY_NULL };
	const GOptionEntry *const groups[] = { entries, (const GOptionEntry *)named->data, NULL };

	return options_parse_with(
		groups, options, "[FILE] [NAME [--option VALUE…] | \"SELECT …\"]",
		"Run SQL, or one of the named queries that --list shows. "
		"Without a statement, read statements from standard input, or "
		"start a shell on a terminal. Databases are opened read-only; "
		"Documentation/schema.rst describes tables, views and "
		"functions. The views allocations and live have slab objects and "
		"the pages of slabs: WHERE backing_id = 0 counts memory once. " CMD_FILE_HELP,
		argc, argv);
}

/* ---- arguments ---- */

/* Returns whether @word is a name: it has only letters, unlike statements. */
static gboolean is_name(const char *word)
{
	return *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyz-")];
}

static gboolean is_listed(const Options *options, const char *word)
{
	return named_find(options->queries, word) != NULL;
}

/* Parses a file, a statement or name, or both in this order. Returns FALSE after a message. */
static gboolean take_words(Options *options, int argc, char **argv)
{
	if (argc == 2 && !is_listed(options, argv[1]) && input_is_file(argv[1])) {
		options->path = argv[1];
		return TRUE;
	}
	if (argc == 3 && !input_is_file(argv[1]) && input_is_file(argv[2])) {
		if (!is_listed(options, argv[1]) && is_name(argv[1])) {
			message("unknown query '%s' (query --list lists them)", argv[1]);
			return FALSE;
		}
		if (!is_listed(options, argv[1])) {
			message("the file comes before the statement, as in: query %s " EXAMPLE,
				argv[2]);
			return FALSE;
		}
		options->text = argv[1];
		options->path = argv[2];
		return TRUE;
	}
	if (argc > 3) {
		message("query needs one statement, as in: query " EXAMPLE);
		return FALSE;
	}
	options->text = argc > 1 ? argv[argc - 1] : NULL;
	options->path = argc == 3 ? argv[1] : NULL;
	return TRUE;
}

static const NamedQuery *find_query(const Options *options)
{
	return options->text ? named_find(options->queries, options->text) : NULL;
}

static gboolean check_bound(const NamedQuery *query, GHashTable *values)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) params = named_bind(query, values, &error);

	if (!params)
		message("%s", error->message);
	return params != NULL;
}

/* Rejects options of named queries without one that has them. */
static gboolean check_values(const Options *options)
{
	const NamedQuery *query = find_query(options);
	g_autoptr(GList) names =
		g_list_sort(g_hash_table_get_keys(options->values), (GCompareFunc)strcmp);

	for (const GList *at = names; at; at = at->next) {
		const char *option = at->data;

		if (query && named_param(query, option))
			continue;
		if (query)
			message("query %s has no option --%s (--list shows its options)",
				query->name, option);
		else
			message("--%s is for named queries, which --list shows", option);
		return FALSE;
	}
	return !query || check_bound(query, options->values);
}

static gboolean check(const Options *options)
{
	if (options->json && options->csv)
		message("--json and --csv are mutually exclusive");
	else if (options->explain && (options->json || options->csv))
		message("--explain prints text: it takes no --json or --csv");
	else if (options->text && is_name(options->text) && !is_listed(options, options->text))
		message("no query is named '%s' (--list shows them; a statement begins with SELECT)",
			options->text);
	else
		return check_values(options);
	return FALSE;
}

/* ---- output ---- */

/* Prints that an incomplete trace may give wrong results. */
static int say_completeness(const Completeness *completeness)
{
	completeness_say(completeness);
	return completeness_is_incomplete(completeness) ? EXIT_INCOMPLETE : EXIT_FINE;
}

static int finish(StoreDb *db)
{
	g_auto(Completeness) completeness = { 0 };
	GError *error = NULL;

	if (!completeness_read(db, &completeness, &error))
		return message_failed(error);
	return message_wrote_stdout("the result") ? say_completeness(&completeness) : EXIT_FAILED;
}

/* Runs the shell. On a terminal, prints completeness before the first statement. */
static int talk(const QueryRun *ask)
{
	g_auto(Completeness) completeness = { 0 };
	GError *error = NULL;
	int result;

	if (!completeness_read(ask->db, &completeness, &error))
		return message_failed(error);
	result = say_completeness(&completeness);
	terminal_leave();
	if (shell_talk(ask))
		return result;
	message("can't write the result");
	return EXIT_FAILED;
}

static int read_stdin(const QueryRun *ask, const Options *options)
{
	GError *error = NULL;
	guint count;

	if (!shell_read(ask, &count, &error)) {
		fflush(stdout);
		return message_failed(error);
	}
	if (count)
		return finish(ask->db);
	if (options->path)
		message("query needs a statement after %s, as in: query %s " EXAMPLE, options->path,
			options->path);
	else
		message("query needs one statement, as in: query " EXAMPLE);
	return EXIT_USAGE;
}

static int answer(const QueryRun *ask, const Options *options)
{
	const NamedQuery *query = find_query(options);
	GError *error = NULL;

	if (query                   ? !query_run_named(ask, query, options->values, &error)
	    : *options->text == '.' ? !shell_command(ask, options->text, &error)
				    : !query_run_statement(ask, options->text, &error))
		return message_failed(error);
	return finish(ask->db);
}

/* Returns whether to explain a named query without its plan, since there is no trace. */
static gboolean is_without_trace(const Options *options)
{
	return options->explain && find_query(options) && !options->path &&
	       !default_file_look(DEFAULT_ANY);
}

static int explain_without_trace(const Options *options)
{
	const NamedQuery *query = find_query(options);
	GError *error = NULL;
	g_auto(GStrv) params = named_bind(query, options->values, &error);

	if (!params)
		return message_failed(error);
	explain_print_text(query->sql, (const char *const *)params, stdout);
	if (!message_wrote_stdout("the statement"))
		return EXIT_FAILED;
	message("no plan: no trace was given, and there is none here");
	return EXIT_FINE;
}

static int run(const Options *options)
{
	gboolean in_stacks = srcline_is_wanted(&options->srcline);
	DebugPlaces places = srcline_places(&options->srcline);
	GError *error = NULL;
	const char *path = options->path ?: default_file_find(DEFAULT_ANY);
	g_autoptr(StoreDb) db = path ? input_open(path, &error) : NULL;
	QueryRun ask = { .db = db,
			 .queries = options->queries,
			 .format = options->json  ? ROWS_JSON
				   : options->csv ? ROWS_CSV
						  : ROWS_TABLE,
			 .explain = options->explain,
			 .out = stdout };

	if (!path)
		return EXIT_USAGE;
	if (!db || !store_open_lines(db, &places, in_stacks, &error))
		return message_failed(error);
	if (options->text)
		return answer(&ask, options);
	return isatty(STDIN_FILENO) ? talk(&ask) : read_stdin(&ask, options);
}

/* Lists the named queries. Ignores a file: the queries do not depend on it. */
static int list(const Options *options, int argc, char **argv)
{
	if (argc > 2 || (argc == 2 && !input_is_file(argv[1])) || options->csv ||
	    options->explain || g_hash_table_size(options->values)) {
		message("--list takes no other option but --json");
		return EXIT_USAGE;
	}
	(options->json ? query_run_list_json : query_run_list)(options->queries, stdout);
	return message_wrote_stdout("the result") ? EXIT_FINE : EXIT_FAILED;
}

int cmd_query(int argc, char **argv)
{
	g_autoptr(GPtrArray) queries = named_load();
	g_autoptr(GHashTable) values =
		g_hash_table_new_full(seed_text, g_str_equal, g_free, g_free);
	Options options = { .queries = queries, .values = values };

	int result = EXIT_USAGE;

	if (!parse_all(&options, &argc, &argv))
		result = EXIT_USAGE;
	else if (options.list)
		result = list(&options, argc, argv);
	else if (take_words(&options, argc, argv) && check(&options))
		result = is_without_trace(&options) ? explain_without_trace(&options)
						    : run(&options);
	srcline_clear(&options.srcline);
	return result;
}
