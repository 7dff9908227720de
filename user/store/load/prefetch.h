/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Delays a few events between reading and processing, while the table rows that they need are
 * fetched into the processor's cache, which is smaller than the tables of a long trace. Private to
 * the store.
 */
#ifndef KMT_STORE_LOAD_PREFETCH_H
#define KMT_STORE_LOAD_PREFETCH_H

#include "analysis/pairing/pair.h"
#include "store/load/origins.h"

#define PREFETCH_EVENTS 16 /* a power of two */

typedef struct {
	const Origins *origins;
	const Pair *pair;
	guint first, count; /* of the delayed events */
	struct {
		struct trace_event event;
		guint32 origin; /* from origins_prefetch() */
	} events[PREFETCH_EVENTS];
} Prefetch;

/* Appends @event, and begins to fetch what it needs. There must be room: see prefetch_take(). */
void prefetch_add(Prefetch *prefetch, const struct trace_event *event);

/*
 * Removes the oldest event, valid until the next call. Returns NULL if there are none, or, without
 * @all, if there is room for another one.
 */
const struct trace_event *prefetch_take(Prefetch *prefetch, gboolean all);

#endif
