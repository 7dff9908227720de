// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/frag/frag.h"

#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "report/frag/slab_occupancy.h"
#include "report/print/merged_caches.h"
#include "report/print/rows.h"

static const char *const part_names[] = {
	[FRAG_ALL] = "",
	[FRAG_ROUNDING] = "rounding",
	[FRAG_SLAB] = "slab",
	[FRAG_PAGE] = "page",
};

typedef struct {
	FragPart part;
	gboolean in_all;   /* also in the summary of all parts */
	gboolean optional; /* left out in text without rows */
	const char *key;   /* in JSON */
	const char *query; /* of store/sql */
	const char *title;
	const char *note; /* line below it, if it has rows; or NULL */
} Table;

static const Table tables[] = {
	{ FRAG_ROUNDING, TRUE, FALSE, "rounding_all", "frag_rounding_all",
	  "Rounding: bytes requested from kmalloc(), and allocated", NULL },
	{ FRAG_ROUNDING, FALSE, FALSE, "rounding_cache", "frag_rounding_cache",
	  "Rounding, by cache and size class, most waste over the trace first; live waste: at the end",
	  NULL },
	{ FRAG_ROUNDING, TRUE, FALSE, "rounding_site", "frag_rounding_site",
	  "Rounding, by call site, cache and size class, with a better fit, most waste over the trace first; live waste: at the end",
	  "fit: a separate cache for objects of this size, or whole pages, and the waste of the same allocations then; "
	  "less: bytes above the next smaller class" },
	{ FRAG_SLAB, TRUE, TRUE, "slab_known", "frag_slab_known",
	  "Slabs at the end: share known to the trace",
	  "older slabs, from before the trace, and their objects are not in the tables below" },
	{ FRAG_SLAB, TRUE, FALSE, "slab_all", "frag_slab_all",
	  "Slabs at the end; nearly empty: less than a quarter full", NULL },
	{ FRAG_SLAB, TRUE, FALSE, "slab_cache", "frag_slab_cache",
	  "Slabs with objects at the end, by cache", NULL },
	{ FRAG_SLAB, TRUE, FALSE, "slab_site", "frag_slab_site",
	  "Owners of objects in nearly empty slabs: each slab's bytes are divided among its objects",
	  "a young slab may still fill up: see the ages" },
	{ FRAG_SLAB, FALSE, FALSE, "slab_lives", "frag_slab_lives",
	  "Slabs over time: live share of their capacity over their lifetime, by cache",
	  "averages over the trace, including freed slabs; below 25 … above 75: slabs by their live share in percent" },
	{ FRAG_SLAB, FALSE, FALSE, "slab_pins", "frag_slab_pins",
	  "Owners of objects in slabs with a live share below 25 %: each slab's bytes are divided by the objects' times in it",
	  NULL },
	{ FRAG_PAGE, TRUE, FALSE, "page_known", "frag_page_known",
	  "Pages at the end: share known to the trace",
	  "other pages in use are from before the trace: the rest of a block may hold such pages" },
	{ FRAG_PAGE, FALSE, FALSE, "page_types", "frag_page_types",
	  "Live pages, by migratetype and order", NULL },
	{ FRAG_PAGE, TRUE, FALSE, "page_blocks", "frag_page_blocks",
	  "Pageblocks with live pages of the trace, by the types of these pages", NULL },
	{ FRAG_PAGE, TRUE, FALSE, "page_owners", "frag_page_owners",
	  "Owners of unmovable and reclaimable pages in pageblocks with mostly movable live pages",
	  "alone: blocks without such pages of other owners" },
	{ FRAG_PAGE, FALSE, FALSE, "fragmentation", "report_fragmentation",
	  "Pages taken from blocks of another type (extfrag), by call site", NULL },
	{ FRAG_PAGE, FALSE, TRUE, "page_compact", "frag_page_compact",
	  "Allocations that started direct compaction, by order and call site", NULL },
	{ FRAG_PAGE, TRUE, TRUE, "page_free", "frag_page_free",
	  "Free pages, and the largest order of a free block, by zone", NULL },
	{ FRAG_PAGE, FALSE, TRUE, "page_times", "frag_page_times",
	  "Largest order of a free block, at each change, by zone",
	  "sampled by the recorder: every second, and in long recordings less often" },
	{ FRAG_PAGE, TRUE, FALSE, "page_failed", "frag_page_failed",
	  "Failed page allocations, by order and call site", NULL },
	{ FRAG_PAGE, FALSE, TRUE, "page_holders", "frag_page_holders",
	  "Owners of the blocks with the fewest live pages, at the last failure of each order",
	  "older pages may have been in these blocks, too; at: time of the failure" },
};

typedef struct {
	const Printer *printer;
	const FragOptions *options;
	char limit[16]; /* option as a parameter */
} Frag;

gboolean frag_parse_part(const char *word, FragPart *part)
{
	for (guint i = FRAG_ROUNDING; i < G_N_ELEMENTS(part_names); i++) {
		if (strcmp(word, part_names[i]) != 0)
			continue;
		*part = i;
		return TRUE;
	}
	return FALSE;
}

static gboolean is_asked_for(const Frag *frag, FragPart part, gboolean in_all)
{
	FragPart asked = frag->options->part;

	return asked == part || (asked == FRAG_ALL && in_all);
}

static StoreRows *query(const Frag *frag, const char *name, GError **error)
{
	const char *params[] = { ":limit", frag->limit, ":site", "", NULL };

	return store_query_named(frag->printer->db, name, params, error);
}

/* ---- text ---- */

/* Prints why @table has no rows: its events were not traced, or none occurred. */
static gboolean print_nothing(const Frag *frag, const Table *table, GError **error)
{
	const char *group = !strcmp(table->key, "fragmentation") ? "frag"
			    : table->part == FRAG_PAGE           ? "page"
								 : "slab";
	const char *params[] = { ":kind", group, NULL };
	g_autoptr(StoreRows) rows =
		store_query_named(frag->printer->db, "nothing_untraced", params, error);
	gboolean untraced = store_rows_next(rows);

	fprintf(frag->printer->out, "%s\n",
		untraced ? store_rows_text(rows, 0) : "none in this trace");
	return !untraced ? store_rows_done(rows, error) : TRUE;
}

/* Prints rows to memory first, since a table without rows may be left out. */
static gboolean print_table(const Frag *frag, const Table *table, GError **error)
{
	g_autoptr(StoreRows) rows = query(frag, table->query, error);
	char *text = NULL;
	gboolean fine;
	guint64 count;
	size_t len;
	FILE *memory;

	if (!rows)
		return FALSE;
	memory = open_memstream(&text, &len);
	fine = rows_print(rows, ROWS_REPORT, memory, &count, error);
	fclose(memory);
	if (fine && (count || !table->optional)) {
		terminal_print_heading(table->title, frag->printer->out);
		if (count)
			fputs(text, frag->printer->out);
		else
			fine = print_nothing(frag, table, error);
	}
	if (fine && count && table->note)
		fprintf(frag->printer->out, "(%s)\n", table->note);
	free(text);
	return fine;
}

/* Prints a line for each requested figure that the trace lacks. */
static gboolean print_limits(const Frag *frag, GError **error)
{
	g_autoptr(StoreRows) rows = query(frag, "frag_limits", error);
	FragPart part = FRAG_ALL;

	while (store_rows_next(rows)) {
		if (frag_parse_part(store_rows_text(rows, 0), &part) &&
		    is_asked_for(frag, part, TRUE))
			fprintf(frag->printer->out, "  %s: %s\n", part_names[part],
				store_rows_text(rows, 1));
	}
	return store_rows_done(rows, error);
}

static gboolean print_text(const Frag *frag, GError **error)
{
	if (!print_limits(frag, error))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
		if (is_asked_for(frag, tables[i].part, tables[i].in_all) &&
		    !print_table(frag, &tables[i], error))
			return FALSE;
	}
	if (frag->options->part == FRAG_ALL)
		fputs("\n(frag rounding, frag slab and frag page have more rows, and tables by cache)\n",
		      frag->printer->out);
	return TRUE;
}

/* ---- JSON ---- */

static gboolean print_json_table(const Frag *frag, const char *key, const char *name,
				 GError **error)
{
	g_autoptr(StoreRows) rows = query(frag, name, error);

	return rows && printer_rows(frag->printer, key, rows, error);
}

static gboolean print_json(const Frag *frag, GError **error)
{
	if (!print_json_table(frag, "limits", "frag_limits", error))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(tables); i++) {
		if (is_asked_for(frag, tables[i].part, tables[i].in_all) &&
		    !print_json_table(frag, tables[i].key, tables[i].query, error))
			return FALSE;
	}
	return TRUE;
}

gboolean frag_print(const Printer *printer, gconstpointer data, GError **error)
{
	const FragOptions *options = data;
	Frag frag = { .printer = printer, .options = options };
	gboolean fine;

	g_snprintf(frag.limit, sizeof(frag.limit), "%d", options->limit);
	fine = (options->part != FRAG_SLAB || slab_occupancy_read(printer->db, error)) &&
	       (printer->json ? print_json(&frag, error) : print_text(&frag, error));
	/* Other parts have no table by cache. */
	if (fine && (options->part == FRAG_ROUNDING || options->part == FRAG_SLAB))
		fine = merged_caches_print(printer, "cache", error);
	return fine;
}
