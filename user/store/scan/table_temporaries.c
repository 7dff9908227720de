// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * temporary_totals(tasks): the table temporary_total, for the lifetimes that a restricted
 * connection keeps: how often the thread, or the interrupts of its CPU, allocated between an
 * allocation and its free. These further allocations may be outside of the restriction.
 *
 * @tasks: pairs of a task and its thread id. At equal times frees come first: a free right before
 * the next allocation is common, but equal times are rare.
 */
#include "analysis/containers/intern.h"
#include "analysis/containers/tally.h"
#include "base/compare.h"
#include "store/scan/lifetime.h"
#include "store/scan/table_function.h"

#define FURTHER_MAX  64 /* from this many further allocations on it is not temporary */
#define CLASS_BITS   3  /* of the number of a class: 0, 1, below 4, … below 64 further ones */
#define CONTEXT_MASK ((1 << LIFETIME_CONTEXT_SHIFT) - 1)
#define INTERRUPTS   (G_GUINT64_CONSTANT(1) << 63) /* in a key: of a CPU, not of a thread */
#define NOT_COUNTED  G_MININT64

/* Columns of scan_temporaries.sql. */
enum { ORIGIN, TIME, PLACE, TASK, LIFETIME, ENDING, KEPT };

/* An allocation. */
typedef struct {
	gint64 time_ns, end_ns; /* NOT_COUNTED: outside of the restriction, or not freed */
	guint32 origin;
} Allocation;

typedef struct {
	GArray *threads;        /* of gint64: thread ids by task; SCAN_NULL: unknown */
	Intern *keys;           /* of guint64: thread ids, or keys of interrupts */
	GPtrArray *allocations; /* of GArrays of Allocation, by key */
} TemporariesWorker;

static gpointer make(GArray *const *arguments)
{
	TemporariesWorker *worker = g_new(TemporariesWorker, 1);
	const gint64 *numbers = (const gint64 *)arguments[0]->data, none = SCAN_NULL;

	worker->threads = g_array_new(FALSE, FALSE, sizeof(gint64));
	worker->keys = intern_new(sizeof(guint64));
	worker->allocations = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i + 1 < arguments[0]->len; i += 2) {
		if (numbers[i] < 0 || numbers[i] >= TABLE_ORIGINS_MAX)
			continue;
		while (worker->threads->len <= numbers[i])
			g_array_append_val(worker->threads, none);
		g_array_index(worker->threads, gint64, numbers[i]) = numbers[i + 1];
	}
	return worker;
}

static GArray *allocations_of(const TemporariesWorker *worker, guint64 key)
{
	guint32 number = intern_add(worker->keys, &key, NULL);

	while (worker->allocations->len < number)
		g_ptr_array_add(worker->allocations, g_array_new(FALSE, TRUE, sizeof(Allocation)));
	return g_ptr_array_index(worker->allocations, number - 1);
}

static gint64 thread_of(const TemporariesWorker *worker, gint64 task)
{
	return task >= 0 && task < worker->threads->len
		       ? g_array_index(worker->threads, gint64, task)
		       : SCAN_NULL;
}

static void take(gpointer data, const gint64 *values)
{
	const TemporariesWorker *worker = data;
	gint64 thread = thread_of(worker, values[TASK]);
	gboolean counts = values[KEPT] > 0 && values[LIFETIME] != SCAN_NULL &&
			  lifetime_state(values[ENDING]) == LIFETIME_FREED;
	guint64 key = values[PLACE] & CONTEXT_MASK ? INTERRUPTS | (guint64)values[PLACE]
						   : (guint64)thread;
	Allocation allocation = { values[TIME], NOT_COUNTED, (guint32)values[ORIGIN] };

	if (thread == SCAN_NULL || lifetime_is_backing(values[ENDING]) || values[ORIGIN] < 0 ||
	    values[ORIGIN] >= TABLE_ORIGINS_MAX)
		return;
	if (counts)
		allocation.end_ns = allocation.time_ns + values[LIFETIME];
	g_array_append_val(allocations_of(worker, key), allocation);
}

static void free_worker(gpointer data)
{
	TemporariesWorker *worker = data;

	g_array_unref(worker->threads);
	intern_free(worker->keys);
	g_ptr_array_unref(worker->allocations);
	g_free(worker);
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
	const Allocation *x = a, *y = b;

	return COMPARE(x->time_ns, y->time_ns);
}

/* Counts the allocations after the one at @i until it was freed, up to FURTHER_MAX. */
static guint count_further(const GArray *allocations, guint i)
{
	const Allocation *allocation = &g_array_index(allocations, Allocation, i);
	guint count = 0;

	if (allocation->end_ns == allocation->time_ns)
		return 0;
	while (count < FURTHER_MAX && i + 1 + count < allocations->len &&
	       allocation[1 + count].time_ns < allocation->end_ns)
		count++;
	return count;
}

/* Adds the temporaries of a thread to @counts, by origin and class. */
static void count_temporaries(GArray *allocations, Tally *counts)
{
	g_array_sort(allocations, compare_times); /* equal times stay in order */
	for (guint i = 0; i < allocations->len; i++) {
		const Allocation *allocation = &g_array_index(allocations, Allocation, i);
		guint64 class;
		guint further;

		if (allocation->end_ns == NOT_COUNTED)
			continue;
		further = count_further(allocations, i);
		class = further ? g_bit_storage(further) : 0;
		if (further < FURTHER_MAX)
			tally_add(counts,
				  &(TallyRow){ (guint64)allocation->origin << CLASS_BITS | class,
					       { 1 } });
	}
}

static void finish(gpointer const workers[SCAN_WORKERS], GArray *values)
{
	g_autoptr(Tally) counts = tally_new();
	const TemporariesWorker *first = workers[0];
	g_autoptr(GArray) rows = NULL;

	for (guint w = 1; w < SCAN_WORKERS; w++) { /* the rows of a later worker are later */
		const TemporariesWorker *worker = workers[w];

		for (guint i = 0; i < worker->allocations->len; i++) {
			GArray *more = g_ptr_array_index(worker->allocations, i);
			guint64 key = *(const guint64 *)intern_key(worker->keys, i + 1);

			g_array_append_vals(allocations_of(first, key), more->data, more->len);
		}
	}
	for (guint i = 0; i < first->allocations->len; i++)
		count_temporaries(g_ptr_array_index(first->allocations, i), counts);
	rows = tally_rows(counts);
	for (guint i = 0; i < rows->len; i++) {
		const TallyRow *row = &g_array_index(rows, TallyRow, i);
		guint class = row->key & ((1 << CLASS_BITS) - 1);
		const gint64 one[] = { row->key >> CLASS_BITS, 1 << class, row->sums[0] };

		g_array_append_vals(values, one, G_N_ELEMENTS(one));
	}
}

const TableFunction table_temporary_totals = {
	.name = "temporary_totals",
	.columns = "origin, within, count",
	.count = 3,
	.arguments = 1,
	.scan = "scan_temporaries",
	.make = make,
	.take = take,
	.free = free_worker,
	.finish = finish,
};
