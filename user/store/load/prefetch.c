// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/prefetch.h"

/* Events between the two fetches of one event: the second one needs the result of the first. */
#define STEP (PREFETCH_EVENTS / 2)

void prefetch_add(Prefetch *prefetch, const struct trace_event *event)
{
	guint last = (prefetch->first + prefetch->count++) % PREFETCH_EVENTS;
	guint earlier = (last - STEP) % PREFETCH_EVENTS;

	prefetch->events[last].event = *event;
	prefetch->events[last].origin = origins_prefetch(prefetch->origins, event);
	pair_prefetch(prefetch->pair, event);
	if (prefetch->count <= STEP)
		return;
	origins_prefetch_row(prefetch->origins, prefetch->events[earlier].origin);
	pair_prefetch_allocation(prefetch->pair, &prefetch->events[earlier].event);
}

const struct trace_event *prefetch_take(Prefetch *prefetch, gboolean all)
{
	const struct trace_event *oldest = &prefetch->events[prefetch->first].event;

	if (!prefetch->count || (!all && prefetch->count < PREFETCH_EVENTS))
		return NULL;
	prefetch->first = (prefetch->first + 1) % PREFETCH_EVENTS;
	prefetch->count--;
	return oldest;
}
