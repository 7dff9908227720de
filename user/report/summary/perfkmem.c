// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/summary/perfkmem.h"

#include <string.h>

#include "base/terminal.h"
#include "base/text_width.h"
#include "base/units.h"
#include "report/print/printer.h"
#include "store/query/temp_table.h"

#define KEYS_MAX     4
#define LINE_WIDTH   105
#define NAME_WIDTH   34
#define NAME_MIN     10
#define SLAB_FIGURES 70 /* columns besides the name */

/* A key of --sort and its column. */
typedef struct {
	const char *key, *column;
} SortKey;

static const SortKey slab_keys[] = {
	{ "ptr", "ptr" }, { "callsite", "callsite" }, { "bytes", "bytes_alloc" },
	{ "hit", "hit" }, { "pingpong", "pingpong" }, { "frag", "frag_pct" },
	{ NULL, NULL },
};
static const SortKey page_keys[] = {
	{ "page", "pfn" },         { "callsite", "callsite" },
	{ "bytes", "bytes" },      { "hit", "hits" },
	{ "order", "page_order" }, { "migtype", "migratetype" },
	{ "gfp", "gfp" },          { NULL, NULL },
};
static const char *const slab_default[] = { "frag", "hit", "bytes", NULL };
static const char *const page_default[] = { "bytes", "hit", NULL };

typedef struct {
	StoreDb *db;
	const PerfKmemOptions *options;
	FILE *out;
} PerfKmem;

/* A table or a list of totals. */
typedef struct {
	const char *query;
	const char *json; /* its key */
	gboolean is_page;
	gboolean by_address; /* a row is one address: it is in a sample as a whole, or not at all */
	void (*print_head)(FILE *out); /* NULL: without a frame around the rows */
	void (*print_row)(StoreRows *rows, FILE *out);
} Table;

static gboolean shows_slab(const PerfKmemOptions *options)
{
	return options->slab || !options->page;
}

/* Returns the column of @key; NULL if it is not in @keys. */
static const char *column_of(const SortKey *keys, const char *key)
{
	while (keys->key && strcmp(keys->key, key))
		keys++;
	return keys->column;
}

gboolean perfkmem_check_keys(const PerfKmemOptions *options, GError **error)
{
	for (guint i = 0; options->keys && options->keys[i]; i++) {
		const char *key = options->keys[i];

		if (i == KEYS_MAX)
			return store_fail(error, "too many keys at '%s' (at most four)", key);
		if (options->page && !column_of(page_keys, key))
			return store_fail(
				error,
				"invalid key '%s' for pages (expected callsite, bytes, hit, order, migtype, gfp or page)",
				key);
		if (shows_slab(options) && !column_of(slab_keys, key))
			return store_fail(
				error,
				"invalid key '%s' for slabs (expected ptr, callsite, bytes, hit, pingpong or frag)",
				key);
	}
	return TRUE;
}

static StoreRows *query(const PerfKmem *perf, const Table *table, GError **error)
{
	const SortKey *all = table->is_page ? page_keys : slab_keys;
	const char *const *keys = (const char *const *)perf->options->keys;
	g_autofree char *limit = g_strdup_printf("%d", perf->options->limit);
	const char *params[] = { ":limit", limit, NULL };
	g_autoptr(GString) order = g_string_new(NULL);

	if (!keys)
		keys = table->is_page ? page_default : slab_default;
	for (guint i = 0; keys[i]; i++)
		g_string_append_printf(order, "%s%s DESC", i ? ", " : "", column_of(all, keys[i]));
	return store_query_ordered(perf->db, table->query, order->str, params, error);
}

/* ---- text ---- */

static void print_line(FILE *out)
{
	guint width = terminal_width() ? MIN(LINE_WIDTH, terminal_width()) : LINE_WIDTH;

	for (guint i = 0; i < width; i++)
		fputc('-', out);
	fputc('\n', out);
}

/* Prints @text as a column of at most @width, or of the terminal's width without @others. */
static void print_name(const char *text, gsize width, gsize others, FILE *out)
{
	gsize room = terminal_width() > others ? terminal_width() - others : 0;
	gsize fitting = terminal_width() ? MIN(width, MAX(room, NAME_MIN)) : width;
	g_autofree char *shown = terminal_width() ? text_shorten(text, fitting) : g_strdup(text);
	gsize used = text_width(shown);

	fprintf(out, "%s%*s", shown, fitting > used ? (int)(fitting - used) : 0, "");
}

static void print_slab_titles(const char *first, FILE *out)
{
	fputc(' ', out);
	print_name(first, NAME_WIDTH, SLAB_FIGURES, out);
	fputs(" | Total_alloc/Per | Total_req/Per   | Hit      | Ping-pong | Frag\n", out);
}

static void print_slab_caller_head(FILE *out)
{
	print_slab_titles("Callsite", out);
}

static void print_slab_alloc_head(FILE *out)
{
	print_slab_titles("Alloc Ptr", out);
}

static void print_slab_row(StoreRows *rows, FILE *out)
{
	fputc(' ', out);
	print_name(store_rows_text(rows, 0), NAME_WIDTH, SLAB_FIGURES, out);
	fprintf(out,
		" | %9" G_GINT64_FORMAT "/%-5" G_GINT64_FORMAT " | %9" G_GINT64_FORMAT
		"/%-5" G_GINT64_FORMAT " | %8" G_GINT64_FORMAT " | %9" G_GINT64_FORMAT
		" | %6.3f%%\n",
		store_rows_int(rows, 1), store_rows_int(rows, 2), store_rows_int(rows, 3),
		store_rows_int(rows, 4), store_rows_int(rows, 5), store_rows_int(rows, 6),
		store_rows_double(rows, 7));
}

static void print_page_titles(FILE *out)
{
	fprintf(out, " Total alloc (KB) | Hits      | Order | %-11s | %-32s | Callsite\n",
		"Mig.type", "GFP flags");
}

static void print_page_alloc_head(FILE *out)
{
	fprintf(out, " %-16s |", "PFN");
	print_page_titles(out);
}

/* Prints the columns from @first on. */
static void print_page_columns(StoreRows *rows, int first, FILE *out)
{
	g_autofree char *kb = units_format_count(store_rows_int(rows, first) / 1024);
	g_autofree char *hits = units_format_count(store_rows_int(rows, first + 1));

	fprintf(out, " %16s | %9s | %5" G_GINT64_FORMAT " | %-11s | %-32s | %s\n", kb, hits,
		store_rows_int(rows, first + 2), store_rows_text(rows, first + 3),
		store_rows_text(rows, first + 4), store_rows_text(rows, first + 5));
}

static void print_page_caller_row(StoreRows *rows, FILE *out)
{
	print_page_columns(rows, 0, out);
}

static void print_page_alloc_row(StoreRows *rows, FILE *out)
{
	fprintf(out, " %16" G_GINT64_FORMAT " |", store_rows_int(rows, 0));
	print_page_columns(rows, 1, out);
}

static void print_total(FILE *out, const char *what, gint64 value)
{
	g_autofree char *text = units_format_count(value);

	fprintf(out, "%s: %s\n", what, text);
}

static void print_slab_total(StoreRows *rows, FILE *out)
{
	gint64 requested = store_rows_int(rows, 0), allocated = store_rows_int(rows, 1);
	gint64 freed = store_rows_int(rows, 2);
	g_autofree char *allocs = units_format_count(store_rows_int(rows, 3));
	g_autofree char *cross = store_rows_type(rows, 4) == STORE_NULL
					 ? g_strdup("unknown")
					 : units_format_count(store_rows_int(rows, 4));

	fputs("\nSUMMARY (SLAB allocator)\n========================\n", out);
	print_total(out, "Total bytes requested", requested);
	print_total(out, "Total bytes allocated", allocated);
	print_total(out, "Total bytes freed", freed);
	if (allocated > freed)
		print_total(out, "Net total bytes allocated", allocated - freed);
	print_total(out, "Total bytes wasted on internal fragmentation", allocated - requested);
	fprintf(out, "Internal fragmentation: %f%%\n",
		allocated ? 100.0 - 100.0 * requested / allocated : 0.0);
	fprintf(out, "Cross CPU allocations: %s/%s\n", cross, allocs);
}

static void print_page_total(StoreRows *rows, FILE *out)
{
	g_autofree char *count = units_format_count(store_rows_int(rows, 1));
	g_autofree char *kb = units_format_count(store_rows_int(rows, 2) / 1024);

	fprintf(out, "%-30s: %16s   [ %16s KB ]\n", store_rows_text(rows, 0), count, kb);
}

static void print_page_total_head(FILE *out)
{
	fputs("\nSUMMARY (page allocator)\n========================\n", out);
}

static gboolean each_row(const PerfKmem *perf, const Table *table, GError **error)
{
	g_autoptr(StoreRows) rows = query(perf, table, error);

	while (store_rows_next(rows))
		table->print_row(rows, perf->out);
	return store_rows_done(rows, error);
}

static gboolean print_table(const PerfKmem *perf, const Printer *printer, const Table *table,
			    GError **error)
{
	print_line(perf->out);
	table->print_head(perf->out);
	print_line(perf->out);
	if (!each_row(perf, table, error))
		return FALSE;
	print_line(perf->out);
	if (table->by_address && printer->completeness.sample > 1)
		printer_note(printer,
			     "the table is not scaled: each of its rows has all of its events");
	return TRUE;
}

/* Types are columns here: the rows of one order are adjacent, in the order of types. */
static gboolean print_orders(const PerfKmem *perf, const Table *table, GError **error)
{
	g_autoptr(StoreRows) rows = query(perf, table, error);
	g_autoptr(GString) head = g_string_new("\nOrder"), body = g_string_new(NULL);
	gint64 order = -1;

	while (store_rows_next(rows)) {
		g_autofree char *count = units_format_count(store_rows_int(rows, 2));

		if (store_rows_int(rows, 0) == 0)
			g_string_append_printf(head, "  %12s", store_rows_text(rows, 1));
		if (store_rows_int(rows, 0) != order)
			g_string_append_printf(body, "\n%5" G_GINT64_FORMAT,
					       store_rows_int(rows, 0));
		order = store_rows_int(rows, 0);
		g_string_append_printf(body, "  %12s", store_rows_int(rows, 2) ? count : ".");
	}
	if (!store_rows_done(rows, error))
		return FALSE;
	if (order >= 0)
		fprintf(perf->out, "%s%s\n", head->str, body->str);
	return TRUE;
}

/* ---- output ---- */

static const Table slab_caller = { "perf_slab_caller",     "slab_caller", FALSE, FALSE,
				   print_slab_caller_head, print_slab_row };
static const Table slab_alloc = { "perf_slab_alloc",     "slab_alloc",  FALSE, TRUE,
				  print_slab_alloc_head, print_slab_row };
static const Table slab_total = { "perf_slab_total", "slab", FALSE, FALSE, NULL, print_slab_total };
static const Table page_caller = { "perf_page_caller", "page_caller",        TRUE, FALSE,
				   print_page_titles,  print_page_caller_row };
static const Table page_alloc = { "perf_page_alloc",     "page_alloc",        TRUE, TRUE,
				  print_page_alloc_head, print_page_alloc_row };
static const Table page_total = { "perf_page_total", "page", TRUE, FALSE, NULL, print_page_total };
static const Table page_orders = { "perf_page_orders", "page_orders", TRUE, FALSE, NULL, NULL };

static gboolean print_json(const PerfKmem *perf, const Printer *printer, const Table *const *tables,
			   GError **error)
{
	if (!printer_table(printer, "trace", NULL, "report_trace", NULL, error))
		return FALSE;
	for (; *tables; tables++) {
		g_autoptr(StoreRows) rows = query(perf, *tables, error);

		if (!rows || !printer_rows(printer, (*tables)->json, rows, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean print_text(const PerfKmem *perf, const Printer *printer, const Table *const *tables,
			   GError **error)
{
	for (; *tables; tables++) {
		gboolean fine;

		if (*tables == &page_total)
			print_page_total_head(perf->out);
		if (*tables == &page_orders)
			fine = print_orders(perf, *tables, error);
		else if ((*tables)->print_head)
			fine = print_table(perf, printer, *tables, error);
		else
			fine = each_row(perf, *tables, error);
		if (!fine)
			return FALSE;
	}
	return TRUE;
}

/* Chooses the tables. @tables must have room for all, and NULL. */
static void choose_tables(const PerfKmemOptions *options, const Table **tables)
{
	guint count = 0;

	if (shows_slab(options) && options->caller)
		tables[count++] = &slab_caller;
	if (shows_slab(options) && options->alloc)
		tables[count++] = &slab_alloc;
	if (shows_slab(options))
		tables[count++] = &slab_total;
	if (options->page && options->caller)
		tables[count++] = &page_caller;
	if (options->page && options->alloc)
		tables[count++] = &page_alloc;
	if (options->page) {
		tables[count++] = &page_total;
		tables[count++] = &page_orders;
	}
}

gboolean perfkmem_print(StoreDb *db, const PerfKmemOptions *options, FILE *out,
			gboolean *incomplete, GError **error)
{
	const PerfKmem perf = { .db = db, .options = options, .out = out };
	g_auto(Printer)
		printer = { .db = db, .name = options->name, .out = out, .json = options->json };
	const Table *tables[8] = { NULL };

	choose_tables(options, tables);
	if (!temp_view_create(db, "perf_slab_origins", error) || !printer_begin(&printer, error) ||
	    !(options->json ? print_json(&perf, &printer, tables, error)
			    : print_text(&perf, &printer, tables, error)))
		return FALSE;
	printer_end(&printer);
	*incomplete = completeness_is_incomplete(&printer.completeness);
	return TRUE;
}
