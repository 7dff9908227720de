// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/coming.h"

/* How many events lie between a fetch and the next one, which needs what the first one brings. */
#define STEP (COMING_EVENTS / 2)

void coming_add(Coming *coming, const struct trace_event *event)
{
	guint last = (coming->first + coming->count++) % COMING_EVENTS;
	guint earlier = (last - STEP) % COMING_EVENTS;

	coming->events[last].event = *event;
	coming->events[last].origin = origins_prefetch(coming->origins, event);
	pair_prefetch(coming->pair, event);
	if (coming->count <= STEP)
		return;
	origins_prefetch_row(coming->origins, coming->events[earlier].origin);
	pair_prefetch_allocation(coming->pair, &coming->events[earlier].event);
}

const struct trace_event *coming_take(Coming *coming, gboolean all)
{
	const struct trace_event *oldest = &coming->events[coming->first].event;

	if (!coming->count || (!all && coming->count < COMING_EVENTS))
		return NULL;
	coming->first = (coming->first + 1) % COMING_EVENTS;
	coming->count--;
	return oldest;
}
