// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/module.h"

#include <string.h>

#include "base/closest.h"
#include "base/escape.h"
#include "base/units.h"
#include "report/print/jsontext.h"
#include "report/print/printer.h"
#include "report/print/rows.h"
#include "store/query/temp_table.h"
#include "trace/event/kind.h"

static const char *const titles[TRACE_KINDS] = {
	[TRACE_SLAB] = "Slab objects and large kmallocs, by call site",
	[TRACE_PAGE] =
		"Pages (without those that back slabs, large kmallocs or per-CPU memory), by call site",
	[TRACE_PERCPU] = "Per-CPU memory, on all CPUs, by call site",
	[TRACE_VMALLOC] = "Addresses of vmalloc space (the memory in them is pages), by call site",
};

/* ---- its name ---- */

/* Compares names. The kernel replaces - in a file's name by _. */
static gboolean is_module(const char *name, const char *asked)
{
	g_autofree char *plain = g_strdelimit(g_strdup(asked), "-", '_');

	return strcmp(name, asked) == 0 || strcmp(name, plain) == 0;
}

char *module_names(StoreDb *db, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "module_names", NULL, error);
	g_autoptr(GString) names = g_string_new(NULL);

	while (store_rows_next(rows))
		g_string_append_printf(names, "%s%s", names->len ? ", " : "",
				       store_rows_text(rows, 0));
	return store_rows_done(rows, error) ? g_strdup(names->str) : NULL;
}

/* Returns the name as in the trace, for g_free(). */
static char *find_module(StoreDb *db, const char *asked, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "module_names", NULL, error);
	g_auto(Closest) closest = CLOSEST(asked);

	while (store_rows_next(rows)) {
		const char *name = store_rows_raw(rows, 0);

		if (is_module(name, asked))
			return g_strdup(name);
		closest_look(&closest, name);
	}
	if (store_rows_done(rows, error))
		store_fail(error, "the trace has no module '%s'%s%s", asked,
			   closest.name ? ": the closest is " : "", closest.name ?: "");
	return NULL;
}

/* ---- times ---- */

static void print_time(FILE *out, StoreRows *rows)
{
	g_autofree char *load = units_format_time(store_rows_int(rows, 0));
	g_autofree char *unload = units_format_time(store_rows_int(rows, 1));
	gboolean loaded = store_rows_type(rows, 0) != STORE_NULL;
	gboolean unloaded = store_rows_type(rows, 1) != STORE_NULL;

	fprintf(out, "  loaded %s%s, %s%s\n", loaded ? "at " : "before the trace",
		loaded ? load : "", unloaded ? "unloaded at " : "still loaded at the end",
		unloaded ? unload : "");
}

static gboolean print_times(const Printer *printer, const char *module, GError **error)
{
	const char *params[] = { ":name", module, NULL };
	g_autoptr(StoreRows) rows = NULL;
	gboolean any = FALSE;

	if (printer->json) {
		g_autofree char *name = jsontext_quote(module);

		fprintf(printer->out, ",\n\"module\": %s", name);
		return printer_table(printer, "times", NULL, "module_times", params, error);
	}
	rows = store_query_named(printer->db, "module_times", params, error);
	if (!rows)
		return FALSE;
	escape_print_line("Module: ", module, printer->out);
	for (; store_rows_next(rows); any = TRUE)
		print_time(printer->out, rows);
	if (!any && store_rows_done(rows, NULL))
		fputs("  its load and unload times are unknown\n", printer->out);
	return store_rows_done(rows, error);
}

/* ---- sums ---- */

/* Creates the table module_sums. *@has: by kind, whether there are any allocations. */
static gboolean read_sums(StoreDb *db, const char *module, gboolean *has, GError **error)
{
	const char *params[] = { ":name", module, NULL };
	g_autoptr(StoreRows) rows = store_query_named(db, "module_sums", params, error);
	g_autoptr(TempTable) table = temp_table_new(
		"module_sums", "kind, caller, module, init_bytes, init_count, later_bytes, "
			       "later_count, freed_bytes, freed_count, unload_bytes, unload_count, "
			       "left_bytes, left_count");

	while (store_rows_next(rows)) {
		has[trace_kind_find(store_rows_text(rows, 0))] = TRUE;
		temp_table_add_row(table, rows);
	}
	return store_rows_done(rows, error) && temp_table_create(table, db, error);
}

static gboolean print_tables(const Printer *printer, const gboolean *has, const char *limit,
			     GError **error)
{
	if (!printer_table(printer, "kinds", "Totals by kind: separate accounts, never added up",
			   "module_kinds", NULL, error))
		return FALSE;
	for (enum trace_kind i = 0; i < TRACE_KINDS; i++) {
		const char *params[] = { ":kind", trace_kind_names[i], ":limit", limit, NULL };

		if ((printer->json || has[i]) &&
		    !printer_table(printer, trace_kind_names[i], titles[i], "module_sites", params,
				   error))
			return FALSE;
	}
	return TRUE;
}

/* ---- the report ---- */

gboolean module_print(const Printer *printer, gconstpointer data, GError **error)
{
	const ModuleOptions *options = data;
	g_autofree char *module = find_module(printer->db, options->module, error);
	g_autofree char *limit = g_strdup_printf("%d", options->limit);
	gboolean has[TRACE_KINDS + 1] = { FALSE };

	if (!module || !read_sums(printer->db, module, has, error) ||
	    !print_times(printer, module, error))
		return FALSE;
	printer_say_live(printer);
	return print_tables(printer, has, limit, error);
}
