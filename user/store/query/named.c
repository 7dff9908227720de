// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/query/named.h"

#include <string.h>

#include "base/units.h"
#include "store/schema/statements.h"
#include "store/store.h"

#define PREFIX "query_"
#define LIMIT  "LIMIT :lines"
#define ORDER  "ORDER BY"

/* ---- parsing ---- */

static void free_param(gpointer data)
{
	NamedParam *param = data;

	g_free(param->name);
	g_free(param->option);
	g_free(param->value);
	g_free(param->help);
	g_free(param);
}

static void free_query(gpointer data)
{
	NamedQuery *query = data;

	g_free(query->name);
	g_free(query->summary);
	g_free(query->sql);
	g_ptr_array_unref(query->params);
	g_free(query);
}

/* Returns the option's name: the parameter's without the suffix that is its unit. */
static char *option_of(const char *name)
{
	static const char *const endings[] = { "_ns", "_bytes", "_pfn" };

	for (guint i = 0; i < G_N_ELEMENTS(endings); i++) {
		if (g_str_has_suffix(name, endings[i]))
			return g_strndup(name, strlen(name) - strlen(endings[i]));
	}
	return g_strdup(name);
}

/* Parses ":older_ns 10s  help". */
static NamedParam *parse_param(const char *line)
{
	NamedParam *param = g_new0(NamedParam, 1);
	const char *value = line + strcspn(line, " ");
	const char *end = strstr(value, "  ");

	param->name = g_strndup(line, value - line);
	param->option = option_of(param->name + 1);
	if (!end)
		end = value + strlen(value);
	param->value = g_strstrip(g_strndup(value, end - value));
	param->help = g_strstrip(g_strdup(end));
	return param;
}

static NamedQuery *load_query(const char *file)
{
	g_autoptr(GBytes) sql = db_sql(file);
	NamedQuery *query = g_new0(NamedQuery, 1);
	g_auto(GStrv) lines = NULL;

	query->name = g_strdelimit(g_strdup(file + strlen(PREFIX)), "_", '-');
	query->sql = g_strdup(g_bytes_get_data(sql, NULL));
	query->params = g_ptr_array_new_with_free_func(free_param);
	lines = g_strsplit(query->sql, "\n", -1);
	for (guint i = 1; lines[i] && g_str_has_prefix(lines[i], "-- "); i++) {
		if (lines[i][3] == ':')
			g_ptr_array_add(query->params, parse_param(lines[i] + 3));
		else if (!query->summary)
			query->summary = g_strdup(lines[i] + 3);
	}
	return query;
}

GPtrArray *named_load(void)
{
	g_autoptr(GPtrArray) files = db_sql_names(PREFIX);
	GPtrArray *queries = g_ptr_array_new_with_free_func(free_query);

	for (guint i = 0; i < files->len; i++)
		g_ptr_array_add(queries, load_query(g_ptr_array_index(files, i)));
	return queries;
}

const NamedQuery *named_find(const GPtrArray *queries, const char *name)
{
	for (guint i = 0; i < queries->len; i++) {
		const NamedQuery *query = g_ptr_array_index(queries, i);

		if (!strcmp(query->name, name))
			return query;
	}
	return NULL;
}

const NamedParam *named_param(const NamedQuery *query, const char *option)
{
	for (guint i = 0; i < query->params->len; i++) {
		const NamedParam *param = g_ptr_array_index(query->params, i);

		if (!strcmp(param->option, option))
			return param;
	}
	return NULL;
}

/* ---- counting ---- */

/* Returns the opening bracket that is not closed until @end, or NULL. */
static const char *find_open(const char *start, const char *end)
{
	int closed = 0;

	while (end-- > start) {
		closed += *end == ')';
		if (*end == '(' && !closed--)
			return end;
	}
	return NULL;
}

char *named_count_sql(const NamedQuery *query)
{
	const char *limit = strstr(query->sql, LIMIT);
	const char *order = limit ? g_strrstr_len(query->sql, limit - query->sql, ORDER) : NULL;
	const char *open = order ? find_open(query->sql, order) : NULL, *name;
	g_autofree char *rows = NULL;

	if (!order)
		return NULL;
	rows = g_strndup(query->sql, order - query->sql);
	if (!open)
		return g_strdup_printf("SELECT count(*) FROM (\n%s\n)", rows);
	/* "name AS (", or "name AS MATERIALIZED (" */
	name = g_strrstr_len(query->sql, open - query->sql, " AS ");
	open = name;
	while (name > query->sql && (g_ascii_isalnum(name[-1]) || name[-1] == '_'))
		name--;
	return g_strdup_printf("%s)\nSELECT count(*) FROM %.*s", rows, (int)(open - name), name);
}

/* ---- binding ---- */

/* Parses a page frame number, decimal or hexadecimal. */
static gboolean parse_pfn(const char *text, guint64 *number, GError **error)
{
	gboolean hex = g_str_has_prefix(text, "0x");

	return g_ascii_string_to_unsigned(hex ? text + 2 : text, hex ? 16 : 10, 0, G_MAXINT64 >> 12,
					  number, error);
}

/* Converts a value to its form in SQL. NULL with an error. */
static char *value_of(const NamedParam *param, const char *text, GError **error)
{
	guint64 number;

	if (!strcmp(text, param->value) && !g_ascii_isdigit(*text))
		return g_strdup(text); /* the default is a keyword of the statement */
	if (g_str_has_suffix(param->name, "_ns")) {
		if (!units_parse_time(text, &number, error))
			return NULL;
	} else if (g_str_has_suffix(param->name, "_bytes")) {
		if (!units_parse_size(text, &number, error))
			return NULL;
	} else if (g_str_has_suffix(param->name, "_pfn")) {
		if (!parse_pfn(text, &number, error))
			return NULL;
	} else if (!strcmp(param->option, "lines")) {
		if (!g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT32, &number, error))
			return NULL;
	} else {
		return g_strdup(text);
	}
	return g_strdup_printf("%" G_GUINT64_FORMAT, number);
}

char **named_bind(const NamedQuery *query, GHashTable *values, GError **error)
{
	g_autoptr(GPtrArray) pairs = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < query->params->len; i++) {
		const NamedParam *param = g_ptr_array_index(query->params, i);
		const char *text = g_hash_table_lookup(values, param->option);
		char *value = value_of(param, text ? text : param->value, error);

		if (!value) {
			g_prefix_error(error, "--%s: ", param->option);
			return NULL;
		}
		g_ptr_array_add(pairs, g_strdup(param->name));
		g_ptr_array_add(pairs, value);
	}
	g_ptr_array_add(pairs, NULL);
	return (char **)g_ptr_array_steal(pairs, NULL);
}
