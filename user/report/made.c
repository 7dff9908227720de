// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/made.h"

#include <string.h>

#include "base/units.h"

/* Calls @print for each row of a query. */
typedef void (*RowPrinter)(StoreRows *rows, gpointer data);

static gboolean each_row(StoreDb *db, const char *query, RowPrinter print, gpointer data,
			 GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, query, NULL, error);
	g_autoptr(GError) local = NULL;

	if (!rows)
		return FALSE;
	while (store_rows_next(rows, &local))
		print(rows, data);
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
}

/* ---- memory ---- */

typedef struct {
	GString *parts;
	gint64 bytes;
} Memory;

/* What is used of a part is no part of its own. */
static void add_memory(StoreRows *rows, gpointer data)
{
	Memory *memory = data;
	const char *name = store_rows_text(rows, 0);
	gint64 bytes = store_rows_int(rows, 1);
	g_autofree char *size = units_format_size(bytes);

	g_string_append_printf(memory->parts, "%s%s %s", memory->parts->len ? ", " : "", name, size);
	if (!g_str_has_suffix(name, "_used"))
		memory->bytes += bytes;
}

gboolean made_print_memory(StoreDb *db, FILE *out, GError **error)
{
	g_autoptr(GString) parts = g_string_new(NULL);
	g_autofree char *size = NULL;
	Memory memory = { .parts = parts };

	if (!each_row(db, "report_tracer", add_memory, &memory, error))
		return FALSE;
	size = units_format_size(memory.bytes);
	if (parts->len)
		fprintf(out, "       the tracer took %s: %s\n", size, g_strdelimit(parts->str, "_", ' '));
	return TRUE;
}

/* ---- limits ---- */

static void print_unseen(StoreRows *rows, gpointer data)
{
	const char *state = store_rows_text(rows, 1), *why;

	if (strcmp(state, "unseen") != 0)
		return;
	fprintf(data, "  UNSEEN: %s", store_rows_text(rows, 0));
	why = store_rows_text(rows, 2);
	fprintf(data, "%s%s\n", *why ? ": " : "", why);
}

/* What a filter of this version leaves in; one of another is told by its name. */
static const char *filter_text(const char *name)
{
	static const struct {
		const char *name, *text;
	} filters[] = {
		{ "pids", "processes and their children" },
		{ "cgroup", "cgroup" },
		{ "cache", "cache" },
		{ "size", "bytes at least" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(filters); i++) {
		if (strcmp(name, filters[i].name) == 0)
			return filters[i].text;
	}
	return name;
}

static void add_filter(StoreRows *rows, gpointer data)
{
	GString *filters = data;
	const char *name = store_rows_text(rows, 0);

	if (strcmp(name, "sample") == 0)
		return;
	g_string_append_printf(filters, "%s%s: %s", filters->len ? "; " : "", filter_text(name),
			       store_rows_text(rows, 1));
}

static void print_stackless(StoreRows *rows, gpointer data)
{
	if (!store_rows_int(rows, 0))
		fputs("  NO STACKS were recorded: a caller is the call site, even in an allocator\n",
		      data);
}

gboolean made_print_limits(StoreDb *db, const char *not_traced, gint64 sample, FILE *out,
			   GError **error)
{
	g_autoptr(GString) filters = g_string_new(NULL);
	g_autofree char *number = units_format_count(sample);

	if (!each_row(db, "report_paths", print_unseen, out, error) ||
	    !each_row(db, "report_filters", add_filter, filters, error))
		return FALSE;
	if (*not_traced)
		fprintf(out, "  NOT TRACED: %s (not asked for)\n", not_traced);
	if (filters->len)
		fprintf(out, "  FILTERED to %s\n", filters->str);
	if (sample > 1)
		fprintf(out, "  1 in %s SAMPLED: counts and bytes below are scaled by %s\n", number,
			number);
	return each_row(db, "has_stacks", print_stackless, out, error);
}
