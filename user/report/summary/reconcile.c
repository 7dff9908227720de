// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/reconcile.h"

#include <string.h>

#include "base/terminal.h"
#include "base/units.h"
#include "report/print/rows.h"

/* The texts of /proc that are compared. */
typedef enum { MEMINFO, SLABINFO, BUDDYINFO, TEXTS } Text;

static const char *const text_names[TEXTS] = {
	[MEMINFO] = "meminfo", [SLABINFO] = "slabinfo", [BUDDYINFO] = "buddyinfo"
};

typedef struct {
	const Printer *printer;
	char limit[16]; /* of the options, as a parameter */
	const char
		*lacks[TEXTS]; /* the first phase that lacks a text: "start", "end"; NULL: none */
} Reconcile;

/* A table, in order. */
static const struct {
	const char *key; /* in JSON */
	const char *sql;
	Text text; /* required text */
	const char *title;
	const char *note;
} sections[] = {
	{ "memory", "reconcile_memory", MEMINFO,
	  "Memory: change of each of the kernel's accounts, and how much of it the trace explains",
	  "tracked: taken minus given plus tracer; for free pages given minus taken. Accounts overlap, and are never added "
	  "up.\n explained: tracked as a share of the kernel's change; above 100 %, memory that the trace does not see changed the "
	  "other way.\n Whether slab pages from before the trace were reclaimable is unknown. CPUs cache kernel stacks and page tables" },
	{ "caches", "reconcile_caches", SLABINFO, "Slab caches, by unexplained bytes",
	  "tracked: live objects minus frees of objects from before the trace. slabinfo counts free objects in the slabs of\n "
	  "CPUs as active, so a cache may differ by a few slabs for each CPU" },
	{ "orders", "reconcile_orders", BUDDYINFO, "Free blocks of pages, by order",
	  "blocks are split and merged, and CPUs cache free pages: only the total, above, can be compared" },
};

static StoreRows *query(Reconcile *reconcile, const char *sql, GError **error)
{
	const char *params[] = { ":limit", reconcile->limit, NULL };

	return store_query_named(reconcile->printer->db, sql, params, error);
}

/* ---- available texts ---- */

static gboolean read_texts(Reconcile *reconcile, GError **error)
{
	g_autoptr(StoreRows) rows = query(reconcile, "reconcile_texts", error);

	while (store_rows_next(rows)) {
		const char *name = store_rows_text(rows, 0), *phase = store_rows_text(rows, 1);

		for (int i = 0; i < TEXTS; i++) {
			if (!reconcile->lacks[i] && !strcmp(name, text_names[i]))
				reconcile->lacks[i] = strcmp(phase, "start") ? "end" : "start";
		}
	}
	return store_rows_done(rows, error);
}

static gboolean check_meminfo(const Reconcile *reconcile, GError **error)
{
	const char *lacks = reconcile->lacks[MEMINFO];

	if (!lacks)
		return TRUE;
	return store_fail(error, "%s has no meminfo from the %s%s", reconcile->printer->name, lacks,
			  strcmp(lacks, "start")
				  ? ": its recorder did not finish, or is still writing"
				  : ": 'record --continue' and 'extract' come too late for it, "
				    "and if events were overwritten, it is too old");
}

/* ---- text ---- */

static gboolean print_unknown(Reconcile *reconcile, GError **error)
{
	g_autoptr(StoreRows) rows =
		store_query_row(reconcile->printer->db, "reconcile_unknown", NULL, error);
	g_autofree char *number = NULL;

	if (!rows)
		return FALSE;
	number = units_format_count(store_rows_int(rows, 0));
	if (store_rows_int(rows, 0))
		fprintf(reconcile->printer->out,
			"(%s objects from before the trace were freed by kfree(), which has no cache: they are missing "
			"from caches named kmalloc)\n",
			number);
	return TRUE;
}

static gboolean print_section(Reconcile *reconcile, guint i, GError **error)
{
	Text text = sections[i].text;
	g_autoptr(StoreRows) rows = NULL;
	guint64 count;

	terminal_print_heading(sections[i].title, reconcile->printer->out);
	if (reconcile->lacks[text]) {
		fprintf(reconcile->printer->out, "the trace lacks %s from the %s\n",
			text_names[text], reconcile->lacks[text]);
		return TRUE;
	}
	rows = query(reconcile, sections[i].sql, error);
	if (!rows || !rows_print(rows, ROWS_REPORT, reconcile->printer->out, &count, error))
		return FALSE;
	if (count)
		fprintf(reconcile->printer->out, "(%s)\n", sections[i].note);
	return text != SLABINFO || print_unknown(reconcile, error);
}

static gboolean print_text(Reconcile *reconcile, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(sections); i++) {
		if (!print_section(reconcile, i, error))
			return FALSE;
	}
	return TRUE;
}

/* ---- JSON ---- */

static gboolean print_json_head(const Printer *printer, GError **error)
{
	return printer_table(printer, "trace", NULL, "report_trace", NULL, error) &&
	       printer_table(printer, "paths", NULL, "report_paths", NULL, error) &&
	       printer_table(printer, "filters", NULL, "report_filters", NULL, error);
}

static gboolean print_json(Reconcile *reconcile, GError **error)
{
	const Printer *printer = reconcile->printer;
	g_autoptr(StoreRows) unknown = query(reconcile, "reconcile_unknown", error);

	if (!unknown || !print_json_head(printer, error))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(sections); i++) {
		g_autoptr(StoreRows) rows = query(reconcile, sections[i].sql, error);

		if (!rows)
			return FALSE;
		if (reconcile->lacks[sections[i].text])
			fprintf(printer->out, ",\n\"%s\": []", sections[i].key);
		else if (!printer_rows(printer, sections[i].key, rows, error))
			return FALSE;
	}
	return printer_rows(printer, "cache_unknown", unknown, error);
}

gboolean reconcile_print(const Printer *printer, gconstpointer data, GError **error)
{
	const ReconcileOptions *options = data;
	Reconcile reconcile = { .printer = printer };

	g_snprintf(reconcile.limit, sizeof(reconcile.limit), "%d", options->limit);
	return read_texts(&reconcile, error) && check_meminfo(&reconcile, error) &&
	       (printer->json ? print_json(&reconcile, error) : print_text(&reconcile, error));
}
