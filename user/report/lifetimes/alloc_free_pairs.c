// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "analysis/containers/tally.h"
#include "base/compare.h"
#include "report/groups/groups.h"
#include "report/lifetimes/lifetimes.h"

/* Columns of scan_frees.sql. */
enum { ORIGIN, PLACE, TASK, FREE_ORIGIN, FREE_PLACE, FREE_TASK, ENDING };

/* Sums of a pair. */
enum { COUNT, BYTES, CROSS_CPU, CROSS_TASK, CROSS_NODE };

#define CPUS_MAX 65536
#define NO_NODE  (-1)

typedef struct {
	const Groups *groups; /* of allocations, by the options */
	const Groups *frees;  /* of all freeing groups */
	const GArray *nodes;  /* of gint32, by CPU; NO_NODE: unknown */
	LifetimesCross cross;
	Tally *pairs; /* by allocating group << 32 | freeing group */
} PairsWorker;

static gboolean is_other_task(const Groups *groups, gint64 a, gint64 b)
{
	if (a < 0 || b < 0 || a > groups->tasks || b > groups->tasks)
		return TRUE;
	return groups->task[a] != groups->task[b];
}

static gint32 node_of(const PairsWorker *worker, gint64 place)
{
	gint64 cpu = lifetime_cpu(place);

	return cpu >= 0 && cpu < worker->nodes->len ? g_array_index(worker->nodes, gint32, cpu)
						    : NO_NODE;
}

static gboolean is_other_node(const PairsWorker *worker, gint64 place, gint64 free_place)
{
	gint32 node = node_of(worker, place), free_node = node_of(worker, free_place);

	return node != NO_NODE && free_node != NO_NODE && node != free_node;
}

static void add_lifetime(gpointer data, const gint64 *values)
{
	PairsWorker *worker = data;
	const GroupOrigin *origin = groups_origin(worker->groups, values[ORIGIN]);
	const GroupOrigin *end = groups_origin(worker->frees, values[FREE_ORIGIN]);
	gboolean cross_cpu = lifetime_is_elsewhere(values[PLACE], values[FREE_PLACE]);
	gboolean cross_task, cross_node;

	if (!origin || !end || lifetime_is_backing(values[ENDING]))
		return;
	cross_task = values[FREE_TASK] &&
		     is_other_task(worker->frees, values[TASK], values[TASK] + values[FREE_TASK]);
	cross_node = cross_cpu &&
		     is_other_node(worker, values[PLACE], values[PLACE] + values[FREE_PLACE]);
	if ((worker->cross == LIFETIMES_CROSS_CPU && !cross_cpu) ||
	    (worker->cross == LIFETIMES_CROSS_THREAD && !cross_task) ||
	    (worker->cross == LIFETIMES_CROSS_NODE && !cross_node))
		return;
	tally_add(worker->pairs,
		  &(TallyRow){ (guint64)origin->group << 32 | end->group,
			       { 1, origin->bytes, cross_cpu, cross_task, cross_node } });
}

/* Sorts the most frequent pairs first, equal ones in the order of their groups. */
static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const TallyRow *x = a, *y = b;

	return COMPARE(y->sums[COUNT], x->sums[COUNT]) ?: COMPARE(x->key, y->key);
}

/* Adds up into the first worker. */
static gboolean print_pairs(const Printer *printer, const LifetimesOptions *options,
			    PairsWorker *workers, const char *title, GError **error)
{
	const Groups *groups = workers[0].groups, *frees = workers[0].frees;
	const char *params[] = { ":by", options->by, NULL };
	g_autoptr(TempTable) table = temp_table_new(
		"pairs", "origin, free_origin, count, bytes, other_cpu, other_task, other_node");
	g_autoptr(GArray) rows = NULL;

	for (guint i = 1; i < SCAN_WORKERS; i++)
		tally_merge(workers[0].pairs, workers[i].pairs);
	rows = tally_rows(workers[0].pairs);
	g_array_sort(rows, compare_rows);
	for (guint i = 0; i < MIN(rows->len, (guint)options->limit); i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);

		TEMP_TABLE_ADD(table, groups_first(groups, row->key >> 32),
			       groups_first(frees, (guint32)row->key));
		for (guint j = 0; j < TALLY_SUMS; j++)
			TEMP_TABLE_ADD(table, row->sums[j] * groups->factor);
	}
	return temp_table_create(table, printer->db, error) &&
	       printer_table(printer, "pairs", title, "lifetimes_pairs", params, error);
}

/*
 * Returns the node of each CPU; NULL with an error. With @all, the unknown node of a CPU is an
 * error.
 */
static GArray *read_nodes(StoreDb *db, gboolean all, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "cpu_nodes", NULL, error);
	g_autoptr(GArray) nodes = g_array_new(FALSE, FALSE, sizeof(gint32));
	gboolean unknown = FALSE;

	while (store_rows_next(rows)) {
		gboolean known = store_rows_type(rows, 1) != STORE_NULL;
		gint32 node = known ? store_rows_int(rows, 1) : NO_NODE, none = NO_NODE;
		gint64 cpu = store_rows_int(rows, 0);

		unknown |= !known;
		if (cpu < 0 || cpu >= CPUS_MAX)
			continue;
		while (nodes->len <= cpu)
			g_array_append_val(nodes, none);
		g_array_index(nodes, gint32, cpu) = node;
	}
	if (!store_rows_done(rows, error))
		return NULL;
	if (!all || !unknown)
		return g_steal_pointer(&nodes);
	store_fail(error, "--cross node: the trace lacks the nodes of CPUs");
	return NULL;
}

gboolean alloc_free_pairs_print(const Printer *printer, gconstpointer data, GError **error)
{
	const LifetimesOptions *options = data;
	static const char *const titles[] = {
		[LIFETIMES_ANY] = "Pairs of allocation and free",
		[LIFETIMES_CROSS_CPU] = "Pairs of allocation and free on another CPU",
		[LIFETIMES_CROSS_THREAD] = "Pairs of allocation and free in another thread",
		[LIFETIMES_CROSS_NODE] = "Pairs of allocation and free on a CPU of another node",
	};
	g_auto(Groups) groups = { 0 }, frees = { 0 };
	PairsWorker workers[SCAN_WORKERS];
	g_autoptr(GArray) nodes =
		read_nodes(printer->db, options->cross == LIFETIMES_CROSS_NODE, error);
	gboolean fine;

	if (!nodes || !groups_read(printer->db, options->by, options->site, &groups, error) ||
	    !groups_read_frees(printer->db, options->by, &frees, error))
		return FALSE;
	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = (PairsWorker){ &groups, &frees, nodes, options->cross, tally_new() };
	fine = store_scan(printer->db, "scan_frees", NULL, add_lifetime, workers, sizeof(*workers),
			  error);
	fine = fine && print_pairs(printer, options, workers, titles[options->cross], error);
	for (guint i = 0; i < SCAN_WORKERS; i++)
		tally_free(workers[i].pairs);
	return fine;
}
