/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few events wait here between being read and being taken, while what they lead to is fetched
 * into the cache: the tables of a long trace are larger than that. Private to the store.
 */
#ifndef KMT_STORE_LOAD_COMING_H
#define KMT_STORE_LOAD_COMING_H

#include "analysis/pairing/pair.h"
#include "store/load/origins.h"

#define COMING_EVENTS 16 /* a power of two */

typedef struct {
	const Origins *origins;
	const Pair *pair;
	guint first, count; /* of the events that wait */
	struct {
		struct trace_event event;
		guint32 origin; /* of origins_prefetch() */
	} events[COMING_EVENTS];
} Coming;

/* Puts @event behind those that wait. There must be room: see coming_take(). */
void coming_add(Coming *coming, const struct trace_event *event);

/*
 * The oldest one, until the next call, if there is no room for another one, or else with @all.
 * NULL: none.
 */
const struct trace_event *coming_take(Coming *coming, gboolean all);

#endif
