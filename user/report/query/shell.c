// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The language of the shell: statements, which end with a semicolon and may have many lines; named
 * queries, one a line with their options; commands, which begin with a dot.
 */
#include "report/query/shell.h"

#include <string.h>

#include "base/closest.h"
#include "base/escape.h"
#include "base/message.h"
#include "base/prompt.h"
#include "base/seed.h"

typedef struct {
	const QueryRun *ask;
	GString *statement; /* read so far */
	guint count;        /* completed statements and queries */
	gboolean quit;
} Shell;

/* ---- commands ---- */

static gboolean print_tables(const Shell *shell, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(shell->ask->db, "shell_tables", NULL, error);

	return rows && rows_print(rows, ROWS_TABLE, shell->ask->out, NULL, error);
}

static gboolean print_schema(const Shell *shell, const char *name, GError **error)
{
	const char *const params[] = { ":name", name, NULL };
	g_autoptr(StoreRows) rows =
		store_query_named(shell->ask->db, "shell_schema", params, error);

	while (store_rows_next(rows)) {
		escape_print_lines(store_rows_raw(rows, 0), shell->ask->out);
		fputs(";\n", shell->ask->out);
	}
	return store_rows_done(rows, error);
}

static gboolean run_command(Shell *shell, const char *line, GError **error)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t", 2);
	const char *rest = words[1] ? g_strstrip(words[1]) : "";

	shell->count++;
	if (!strcmp(words[0], ".quit") || !strcmp(words[0], ".exit"))
		shell->quit = TRUE;
	else if (!strcmp(words[0], ".tables"))
		return print_tables(shell, error);
	else if (!strcmp(words[0], ".schema"))
		return print_schema(shell, rest, error);
	else if (!strcmp(words[0], ".list"))
		query_run_list(shell->ask->queries, shell->ask->out);
	else if (!strcmp(words[0], ".help"))
		fputs(".help          print this help\n.list          list named queries; NAME [--option VALUE] runs one\n"
		      ".quit          quit, like Ctrl-D\n.schema [NAME] print the SQL of views and tables\n"
		      ".tables        list views and tables\nSELECT …;      a statement ends with a semicolon\n",
		      shell->ask->out);
	else
		return store_fail(error, "unknown command '%s' (.help lists them)", words[0]);
	return TRUE;
}

gboolean shell_command(const QueryRun *ask, const char *line, GError **error)
{
	Shell shell = { .ask = ask };

	return run_command(&shell, line, error);
}

/*
 * Returns whether a line is a command. Accepted also within a statement, in case its semicolon was
 * forgotten.
 */
static gboolean is_command(const char *line)
{
	static const char *const commands[] = { ".exit",   ".help",   ".list", ".quit",
						".schema", ".tables", NULL };
	g_autofree char *word = g_strndup(line, strcspn(line, " \t"));

	return g_strv_contains(commands, word);
}

/* ---- named queries ---- */

static const NamedQuery *find_named(const Shell *shell, const char *line)
{
	g_autofree char *name = g_strndup(line, strcspn(line, " \t;"));

	return named_find(shell->ask->queries, name);
}

/*
 * Returns whether the line looks like the name of a nonexistent query, alone or with options. Other
 * words may begin a statement; SQL keywords may be alone on a line, too.
 */
static gboolean is_slip(const char *line)
{
	static const char *const sql[] = { "select", "with", "values", "explain", "pragma", NULL };
	gsize len = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-");
	g_autofree char *word = g_ascii_strdown(line, len);
	const char *rest = line + len + strspn(line + len, " \t\r");

	if (!len || word[0] == '-' || g_strv_contains(sql, word))
		return FALSE;
	return !*rest || (rest > line + len &&
			  (g_str_has_prefix(rest, "--") || g_str_has_prefix(rest, "-n")));
}

static gboolean fail_slip(const Shell *shell, const char *line, GError **error)
{
	g_autofree char *word = g_strndup(line, strcspn(line, " \t\r"));
	g_auto(Closest) closest = CLOSEST(word);

	for (guint i = 0; i < shell->ask->queries->len; i++) {
		const NamedQuery *query = g_ptr_array_index(shell->ask->queries, i);

		closest_look(&closest, query->name);
	}
	return store_fail(
		error,
		"no query is named '%s'%s%s; .list shows all, and a statement begins with SELECT or WITH",
		word, closest.name ? ": the closest is " : "", closest.name ?: "");
}

/* Parses --option VALUE, --option=VALUE or -n VALUE. Advances *@word. */
static gboolean take_option(const NamedQuery *query, char ***word, GHashTable *values,
			    GError **error)
{
	const char *text = strcmp(**word, "-n") ? **word : "--lines";
	const char *equals = strchr(text, '=');
	g_autofree char *option = NULL;
	const char *value;

	if (!g_str_has_prefix(text, "--"))
		return store_fail(error, "'%s' is not an option of a named query", text);
	option = equals ? g_strndup(text + 2, equals - text - 2) : g_strdup(text + 2);
	if (!named_param(query, option))
		return store_fail(error, "the query has no option '%s' (.list shows its options)",
				  text);
	value = equals ? equals + 1 : *++*word;
	if (!value)
		return store_fail(error, "'%s' needs a value", text);
	g_hash_table_replace(values, g_steal_pointer(&option), g_strdup(value));
	++*word;
	return TRUE;
}

static gboolean run_named(Shell *shell, const NamedQuery *query, const char *line, GError **error)
{
	g_autoptr(GHashTable) values =
		g_hash_table_new_full(seed_text, g_str_equal, g_free, g_free);
	g_autofree char *text = g_strchomp(g_strdup(line));
	g_auto(GStrv) words = NULL;
	gsize len = strlen(text);

	if (len && text[len - 1] == ';')
		text[len - 1] = 0;
	if (!g_shell_parse_argv(text, NULL, &words, error))
		return FALSE;
	for (char **word = words + 1; *word;) {
		if (!take_option(query, &word, values, error))
			return FALSE;
	}
	shell->count++;
	return query_run_named(shell->ask, query, values, error);
}

/* ---- lines ---- */

static gboolean run_statement(Shell *shell, GError **error)
{
	g_autofree char *text = g_strdup(shell->statement->str);

	g_string_truncate(shell->statement, 0);
	return query_run_statements(shell->ask, text, &shell->count, error);
}

static gboolean take_line(Shell *shell, const char *line, GError **error)
{
	const NamedQuery *query = NULL;

	if (shell->statement->len && is_command(line))
		return run_command(shell, line, error);
	if (!shell->statement->len) {
		line += strspn(line, " \t");
		if (!*line)
			return TRUE;
		if (*line == '.')
			return run_command(shell, line, error);
		query = find_named(shell, line);
		if (query)
			return run_named(shell, query, line, error);
		if (is_slip(line))
			return fail_slip(shell, line, error);
	}
	g_string_append_printf(shell->statement, "%s\n", line);
	return !store_is_complete(shell->statement->str) || run_statement(shell, error);
}

gboolean shell_read(const QueryRun *ask, guint *count, GError **error)
{
	Shell shell = { .ask = ask, .statement = g_string_new(NULL) };
	gboolean fine = TRUE;

	while (fine && !shell.quit) {
		g_autofree char *line = prompt_next(stdin);

		if (!line)
			break;
		fine = take_line(&shell, line, error);
	}
	if (fine && !shell.quit) /* the last semicolon may be missing */
		fine = run_statement(&shell, error);
	g_string_free(shell.statement, TRUE);
	*count = shell.count;
	return fine;
}

/* Returns FALSE if output can't be written. An invalid statement gets a message. */
static gboolean talk_line(Shell *shell, const char *line)
{
	g_autoptr(GError) error = NULL;
	gboolean fine = take_line(shell, line, &error);
	gboolean stopped = prompt_was_interrupted();

	if (!fine) {
		g_string_truncate(shell->statement, 0);
		message("%s", stopped ? "stopped" : error->message);
	}
	return fflush(shell->ask->out) == 0 && !ferror(shell->ask->out);
}

gboolean shell_talk(const QueryRun *ask)
{
	Shell shell = { .ask = ask, .statement = g_string_new(NULL) };
	gboolean fine = TRUE;
	Lines lines;

	store_stop_when(ask->db, prompt_begin(&lines));
	while (fine && !shell.quit) {
		g_autofree char *line =
			prompt_ask(shell.statement->len ? "      ...> " : "kmemtrace> ");

		if (!line)
			break;
		if (prompt_was_interrupted())
			g_string_truncate(shell.statement, 0);
		else
			fine = talk_line(&shell, line);
	}
	store_stop_when(ask->db, NULL);
	prompt_end(&lines);
	g_string_free(shell.statement, TRUE);
	return fine;
}
