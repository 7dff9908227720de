// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/query/query_run.h"

#include <string.h>

#include "base/message.h"
#include "base/object.h"
#include "base/units.h"
#include "report/groups/site.h"
#include "report/query/explain.h"
#include "trace/event/kind.h"

/* Prints rows. *@count (may be NULL): their number. */
static gboolean print(const QueryRun *ask, StoreRows *rows, RowsFormat format, guint64 *count,
		      GError **error)
{
	if (!rows_print(rows, format, ask->out, count, error))
		return FALSE;
	if (format == ROWS_JSON)
		fputc('\n', ask->out);
	return TRUE;
}

/* Runs and prints a statement. @params as of store_query(). */
static gboolean printer(const QueryRun *ask, const char *sql, const char *const *params,
			RowsFormat format, guint64 *count, GError **error)
{
	g_autoptr(StoreRows) rows = NULL;

	if (ask->explain)
		return explain_print(ask->db, sql, params, ask->out, error);
	rows = store_query(ask->db, sql, params, error);
	return rows && print(ask, rows, format, count, error);
}

gboolean query_run_statement(const QueryRun *ask, const char *sql, GError **error)
{
	return printer(ask, sql, NULL, ask->format, NULL, error);
}

gboolean query_run_statements(const QueryRun *ask, const char *sql, guint *count, GError **error)
{
	g_autoptr(GError) local = NULL;
	const char *start = sql;

	for (;;) {
		g_autoptr(StoreRows) rows = store_query_first(ask->db, &sql, &local);
		g_autofree char *text = NULL;

		if (!rows)
			break;
		text = g_strndup(start, sql - start);
		start = sql;
		if (ask->explain ? !explain_print(ask->db, g_strstrip(text), NULL, ask->out, &local)
				 : !print(ask, rows, ask->format, NULL, &local))
			break;
		(*count)++;
	}
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

/* Rejects names that are not in the trace, as a likely mistake. */
static gboolean check_names(const QueryRun *ask, const char *const *params, GError **error)
{
	for (; *params; params += 2) {
		const char *name = params[0], *value = params[1];

		if (!strcmp(name, ":kind") && *value && trace_kind_find(value) == TRACE_KINDS)
			return store_fail(
				error, "invalid kind '%s' (expected slab, page, percpu or vmalloc)",
				value);
		if (*value &&
		    ((!strcmp(name, ":site") && !site_check(ask->db, value, FALSE, error)) ||
		     (!strcmp(name, ":cache") && !site_check_cache(ask->db, value, error))))
			return FALSE;
	}
	return TRUE;
}

static void print_reason(StoreRows *rows, gpointer unused)
{
	(void)unused;
	message("%s", store_rows_text(rows, 0));
}

/* Returns the value of the parameter @name in @params, or NULL. */
static const char *find_value(const char *const *params, const char *name)
{
	for (; *params; params += 2) {
		if (!strcmp(params[0], name))
			return params[1];
	}
	return NULL;
}

/*
 * Prints why a query has no rows: its kind was not traced, or a reason from the statement nothing_…
 * of the query, which may have no row.
 */
static gboolean say_why_nothing(const QueryRun *ask, const NamedQuery *query,
				const char *const *params, GError **error)
{
	static const struct {
		const char *query, *kind, *why; /* kind: of a query without --kind */
	} reasons[] = {
		{ "boot", NULL, "nothing_boot" },
		{ "caches", "slab", NULL },
		{ "failed", NULL, "nothing_failed" },
		{ "leaks", NULL, "nothing_leaks" },
		{ "orders", "page", NULL },
		{ "pageblock", "page", "nothing_pageblock" },
		{ "stacks", "slab", NULL },
		{ "unmovable", "page", NULL },
		{ "user-stacks", NULL, "nothing_user_stacks" },
		{ "waste", "slab", NULL },
	};
	const char *kind[] = { ":kind", find_value(params, ":kind"), NULL }, *why = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(reasons); i++) {
		if (strcmp(reasons[i].query, query->name) != 0)
			continue;
		kind[1] = kind[1] ? kind[1] : reasons[i].kind;
		why = reasons[i].why;
	}
	return (!kind[1] ||
		store_each(ask->db, "nothing_untraced", kind, print_reason, NULL, error)) &&
	       (!why || store_each(ask->db, why, params, print_reason, NULL, error));
}

/* Prints how many rows of @query exceed the @count that --lines in @params allowed. */
static gboolean say_more(const QueryRun *ask, const NamedQuery *query, const char *const *params,
			 guint64 count, GError **error)
{
	g_autofree char *sql = named_count_sql(query);
	g_autoptr(StoreRows) rows = NULL;
	gint64 more = 0;

	if (!sql || g_ascii_strtoull(find_value(params, ":lines"), NULL, 10) != count)
		return TRUE;
	rows = store_query(ask->db, sql, params, error);
	if (store_rows_next(rows))
		more = store_rows_int(rows, 0) - (gint64)count;
	if (more > 0) {
		g_autofree char *text = units_format_count(more);

		fprintf(ask->out, "(%s more: -n shows them)\n", text);
	}
	return store_rows_done(rows, error);
}

gboolean query_run_named(const QueryRun *ask, const NamedQuery *query, GHashTable *values,
			 GError **error)
{
	g_auto(GStrv) params = named_bind(query, values, error);
	RowsFormat format = ask->format == ROWS_TABLE ? ROWS_REPORT : ask->format;
	guint64 count = 1; /* of explained statements */

	if (!params || !check_names(ask, (const char *const *)params, error) ||
	    !printer(ask, query->sql, (const char *const *)params, format, &count, error))
		return FALSE;
	if (!count)
		return say_why_nothing(ask, query, (const char *const *)params, error);
	return ask->explain || format != ROWS_REPORT ||
	       say_more(ask, query, (const char *const *)params, count, error);
}

void query_run_list(const GPtrArray *queries, FILE *out)
{
	for (guint i = 0; i < queries->len; i++) {
		const NamedQuery *query = g_ptr_array_index(queries, i);

		fprintf(out, "%-10s %s\n", query->name, query->summary);
		for (guint j = 0; j < query->params->len; j++) {
			const NamedParam *param = g_ptr_array_index(query->params, j);
			g_autofree char *text =
				g_strdup_printf("--%s %s", param->option, param->value);

			fprintf(out, "             %-14s %s\n", text, param->help);
		}
	}
}

static void add_query(JsonBuilder *builder, const NamedQuery *query)
{
	json_builder_begin_object(builder);
	object_add_text(builder, "name", query->name);
	object_add_text(builder, "summary", query->summary);
	json_builder_set_member_name(builder, "options");
	json_builder_begin_array(builder);
	for (guint i = 0; i < query->params->len; i++) {
		const NamedParam *param = g_ptr_array_index(query->params, i);

		json_builder_begin_object(builder);
		object_add_text(builder, "option", param->option);
		object_add_text(builder, "default", param->value);
		object_add_text(builder, "help", param->help);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_builder_end_object(builder);
}

void query_run_list_json(const GPtrArray *queries, FILE *out)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_array(builder);
	for (guint i = 0; i < queries->len; i++)
		add_query(builder, g_ptr_array_index(queries, i));
	json_builder_end_array(builder);
	object_print(builder, out);
	fputc('\n', out);
}
