// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/query/explain.h"

#include <string.h>

#include "base/escape.h"

#define LICENCE "-- SPDX-License-Identifier"

/* Columns of EXPLAIN QUERY PLAN. */
enum { ID, PARENT, UNUSED, DETAIL };

typedef struct {
	gint64 id, parent;
	char *detail;
} Step;

static void free_step(gpointer data)
{
	Step *step = data;

	g_free(step->detail);
	g_free(step);
}

/* Prints the parts of a step indented below it. A parent comes before its children. */
static void print_steps(const GPtrArray *steps, guint first, gint64 parent, int depth, FILE *out)
{
	for (guint i = first; i < steps->len; i++) {
		const Step *step = g_ptr_array_index(steps, i);

		if (step->parent != parent)
			continue;
		fprintf(out, "%*s%s\n", 2 * depth, "", step->detail);
		print_steps(steps, i + 1, step->id, depth + 1, out);
	}
}

static GPtrArray *read_steps(StoreDb *db, const char *sql, const char *const *params,
			     GError **error)
{
	g_autofree char *text = g_strconcat("EXPLAIN QUERY PLAN ", sql, NULL);
	g_autoptr(StoreRows) rows = store_query(db, text, params, error);
	g_autoptr(GPtrArray) steps = g_ptr_array_new_with_free_func(free_step);

	while (store_rows_next(rows)) {
		Step *step = g_new0(Step, 1);

		step->id = store_rows_int(rows, ID);
		step->parent = store_rows_int(rows, PARENT);
		step->detail = g_strdup(store_rows_text(rows, DETAIL));
		g_ptr_array_add(steps, step);
	}
	return store_rows_done(rows, error) ? g_steal_pointer(&steps) : NULL;
}

void explain_print_text(const char *sql, const char *const *params, FILE *out)
{
	if (g_str_has_prefix(sql, LICENCE))
		sql += strcspn(sql, "\n") + 1;
	escape_print_lines(sql, out);
	if (!g_str_has_suffix(sql, "\n"))
		fputc('\n', out);
	for (; params && *params; params += 2) {
		fprintf(out, "-- %s is ", params[0]);
		escape_print_line("", *params[1] ? params[1] : "empty", out);
	}
}

gboolean explain_print(StoreDb *db, const char *sql, const char *const *params, FILE *out,
		       GError **error)
{
	g_autoptr(GPtrArray) steps = read_steps(db, sql, params, error);

	if (!steps)
		return FALSE;
	explain_print_text(sql, params, out);
	fputs("\nPlan:\n", out);
	print_steps(steps, 0, 0, 1, out);
	return TRUE;
}
