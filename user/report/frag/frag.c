// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/frag/frag.h"

#include <stdlib.h>
#include <string.h>

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
	gboolean in_all;   /* the summary of all parts has it too */
	gboolean optional; /* in text it is left out if it has no row */
	const char *key;   /* in JSON */
	const char *query; /* of store/sql */
	const char *title;
	const char *note; /* a line below it, if it has a row; or NULL */
} Table;

static const Table tables[] = {
	{ FRAG_ROUNDING, TRUE, FALSE, "rounding_all", "frag_rounding_all",
	  "Rounding: bytes that kmalloc() was asked for, and gave", NULL },
	{ FRAG_ROUNDING, FALSE, FALSE, "rounding_cache", "frag_rounding_cache",
	  "Rounding, by cache and size class, most live waste first", NULL },
	{ FRAG_ROUNDING, TRUE, FALSE, "rounding_site", "frag_rounding_site",
	  "Rounding, by call site, cache and size class, most live waste first, and what would fit better",
	  "fit: a cache of its own for objects of this size, or whole pages, and what the same allocations would waste then; "
	  "less: ask for so much less, and the next smaller class will do" },
	{ FRAG_SLAB, TRUE, TRUE, "slab_known", "frag_slab_known",
	  "Slabs: what the trace knows at the end",
	  "of older slabs, from before the trace, and of who lies in them nothing is said below" },
	{ FRAG_SLAB, TRUE, FALSE, "slab_all", "frag_slab_all",
	  "Slabs at the end; nearly empty: less than a quarter of their objects are there", NULL },
	{ FRAG_SLAB, FALSE, FALSE, "slab_cache", "frag_slab_cache",
	  "Slabs at the end that hold an object, by cache", NULL },
	{ FRAG_SLAB, TRUE, FALSE, "slab_site", "frag_slab_site",
	  "Who keeps nearly empty slabs: the bytes of each, shared out among the objects in it",
	  "a slab that is young may still be filled: see the ages" },
	{ FRAG_SLAB, FALSE, FALSE, "slab_lives", "frag_slab_lives",
	  "Slabs over time: the share of their room that was live, from when they were allocated to when they were freed, by cache",
	  "averages over the trace, of slabs that were freed meanwhile too; below 25 … above 75: slabs by their share in percent" },
	{ FRAG_SLAB, FALSE, FALSE, "slab_pins", "frag_slab_pins",
	  "Who pinned slabs that were below 25 % over their lives: the bytes of each, shared out by how long objects were there",
	  NULL },
	{ FRAG_PAGE, TRUE, FALSE, "page_known", "frag_page_known",
	  "Pages: what the trace knows at the end",
	  "all else in use is from before the trace: what is in a block beside the live pages of the trace is not known" },
	{ FRAG_PAGE, FALSE, FALSE, "page_types", "frag_page_types",
	  "Live pages, by migratetype and order", NULL },
	{ FRAG_PAGE, TRUE, FALSE, "page_blocks", "frag_page_blocks",
	  "Pageblocks with live pages of the trace, by what these are", NULL },
	{ FRAG_PAGE, TRUE, FALSE, "page_owners", "frag_page_owners",
	  "Who holds what can't be moved in pageblocks most of whose live pages are movable",
	  "alone: blocks in which nobody else holds such a page" },
	{ FRAG_PAGE, FALSE, FALSE, "fragmentation", "report_fragmentation",
	  "Pages taken from blocks of another type (extfrag), by call site", NULL },
	{ FRAG_PAGE, FALSE, TRUE, "page_compact", "frag_page_compact",
	  "Allocations that had the kernel compact memory (direct compaction), by order and call site",
	  NULL },
	{ FRAG_PAGE, TRUE, TRUE, "page_free", "frag_page_free",
	  "Free pages, and the largest order of a free block, by zone", NULL },
	{ FRAG_PAGE, FALSE, TRUE, "page_times", "frag_page_times",
	  "Largest order of a free block over time: when it changed, by zone",
	  "as often as the recorder looked: each second, and in long recordings less often" },
	{ FRAG_PAGE, TRUE, FALSE, "page_failed", "frag_page_failed",
	  "Page allocations that failed, by order and call site", NULL },
	{ FRAG_PAGE, FALSE, TRUE, "page_holders", "frag_page_holders",
	  "Who held, when the last of an order failed, the blocks of that order that had the fewest live pages",
	  "as far as the trace knows: older pages may have lain there too; at: when it failed" },
};

typedef struct {
	const Printer *printer;
	const FragOptions *options;
	char limit[16];      /* of the options, as a parameter */
	SlabOccupancy lives; /* if slabs are asked for */
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
	const char *params[] = { ":limit",           frag->limit, ":site",           "",  ":caches",
				 frag->lives.caches, ":sites",    frag->lives.sites, NULL };

	return store_query_named(frag->printer->db, name, params, error);
}

/* ---- text ---- */

/* Rows are printed to memory first, as a table without one may have to be left out. */
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
	if (fine && (count || !table->optional))
		fprintf(frag->printer->out, "\n%s\n%s", table->title, text);
	if (fine && count && table->note)
		fprintf(frag->printer->out, "(%s)\n", table->note);
	free(text);
	return fine;
}

/* A line for each thing that the trace can't tell of what is asked for. */
static gboolean print_limits(const Frag *frag, GError **error)
{
	g_autoptr(StoreRows) rows = query(frag, "frag_limits", error);
	g_autoptr(GError) local = NULL;
	FragPart part = FRAG_ALL;

	if (!rows)
		return FALSE;
	while (store_rows_next(rows, &local)) {
		if (frag_parse_part(store_rows_text(rows, 0), &part) &&
		    is_asked_for(frag, part, TRUE))
			fprintf(frag->printer->out, "  %s: %s\n", part_names[part],
				store_rows_text(rows, 1));
	}
	if (!local)
		return TRUE;
	g_propagate_error(error, g_steal_pointer(&local));
	return FALSE;
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
	fine = (options->part != FRAG_SLAB ||
		slab_occupancy_read(printer->db, &frag.lives, error)) &&
	       (printer->json ? print_json(&frag, error) : print_text(&frag, error));
	slab_occupancy_clear(&frag.lives);
	/* The other parts have no table by cache. */
	if (fine && (options->part == FRAG_ROUNDING || options->part == FRAG_SLAB))
		fine = merged_caches_print(printer, "cache", error);
	return fine;
}
