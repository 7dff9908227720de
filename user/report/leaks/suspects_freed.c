// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/suspect.h"

typedef struct {
	gint64 allocated, freed;
	LifetimeBins *freed_at; /* NULL: none */
} Freed;

typedef struct {
	const Suspects *suspects;
	Freed *sums; /* by number of a suspect */
} FreedWorker;

/* A LiveGroupsAlso function. */
static void take_freed(gpointer data, const LiveInterval *interval, const gint64 *values)
{
	const FreedWorker *worker = data;
	const Suspects *suspects = worker->suspects;
	guint32 number = suspects->numbers[interval->group];
	Freed *sums;

	if (number == GROUPS_NONE ||
	    suspect_at(suspects, number)->judgement.verdict < LEAK_POSSIBLE ||
	    interval->time_ns < suspects->from_ns ||
	    (suspects->trace.until_ns < suspects->trace.span_ns &&
	     interval->time_ns >= suspects->trace.until_ns))
		return;
	sums = &worker->sums[number];
	sums->allocated++;
	if (lifetime_state(values[LIVE_INTERVAL_ENDING]) == LIFETIME_LIVE)
		return;
	sums->freed++;
	if (!lifetime_is_freed(values[LIVE_INTERVAL_ENDING]))
		return;
	if (!sums->freed_at)
		sums->freed_at = g_new0(LifetimeBins, 1);
	lifetime_bins_add(sums->freed_at, values[LIVE_INTERVAL_LIFETIME]);
}

static void add_freed(Suspect *to, Freed *from)
{
	to->facts.allocated += from->allocated;
	to->facts.freed += from->freed;
	if (from->freed_at && !to->freed_at)
		to->freed_at = g_steal_pointer(&from->freed_at);
	else if (from->freed_at)
		lifetime_bins_merge(to->freed_at, from->freed_at);
	g_free(from->freed_at);
}

gboolean suspects_read_freed(Suspects *suspects, GError **error)
{
	FreedWorker workers[SCAN_WORKERS];
	LiveGroupsAlso also = { .take = take_freed };
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++) {
		workers[i] = (FreedWorker){ suspects, g_new0(Freed, suspects->all->len + 1) };
		also.data[i] = &workers[i];
	}
	fine = live_groups_read_curves(suspects->live, 0, suspects->trace.span_ns, &also, error);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		for (guint j = 0; j < suspects->all->len; j++)
			add_freed(suspect_at(suspects, j), &workers[i].sums[j]);
		g_free(workers[i].sums);
	}
	return fine;
}
