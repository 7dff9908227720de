/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the packed columns of the table lifetime mean, as the view alloc decodes them in SQL: for
 * what reads them in a scan. Statements get them with scan(), and load encodes them.
 */
#ifndef KMT_STORE_SCAN_LIFETIME_H
#define KMT_STORE_SCAN_LIFETIME_H

#include <glib.h>

/* As in the table state. */
typedef enum {
	LIFETIME_LIVE,      /* when the trace ended */
	LIFETIME_FREED,     /* by an event */
	LIFETIME_UNSEEN,    /* freed without an event */
	LIFETIME_FREED_RCU, /* given to kfree_rcu() */
	LIFETIME_FREEING,   /* given to kfree_rcu(), and there when the trace ended */
} LifetimeState;

#define LIFETIME_STATE_BITS    3 /* of ending, from the lowest; then come: */
#define LIFETIME_BACKING_BITS  2
#define LIFETIME_ADDR_WHOLE    (1 << 5) /* addr is as it is, not in words */
#define LIFETIME_MOVES_SHIFT   6
#define LIFETIME_WORD_SHIFT    3
#define LIFETIME_CONTEXT_SHIFT 2  /* of place: the CPU is above */
#define LIFETIME_PAGES_SHIFT   24 /* of parts: the pages that were freed are above */

static inline LifetimeState lifetime_state(gint64 ending)
{
	return ending & ((1 << LIFETIME_STATE_BITS) - 1);
}

/* It ended, and when is known. */
static inline gboolean lifetime_is_freed(gint64 ending)
{
	LifetimeState state = lifetime_state(ending);

	return state == LIFETIME_FREED || state == LIFETIME_FREED_RCU;
}

/* What is made of these pages, a PairBacking; 0: nothing, or these are no pages. */
static inline gint64 lifetime_backing(gint64 ending)
{
	return ending >> LIFETIME_STATE_BITS & ((1 << LIFETIME_BACKING_BITS) - 1);
}

/* Pages that back slabs, large kmallocs or per-CPU memory. */
static inline gboolean lifetime_is_backing(gint64 ending)
{
	return lifetime_backing(ending) != 0;
}

/* @base: where addresses in words begin. */
static inline guint64 lifetime_addr(guint64 base, gint64 addr, gint64 ending)
{
	return ending & LIFETIME_ADDR_WHOLE ? (guint64)addr
					    : base + ((guint64)addr << LIFETIME_WORD_SHIFT);
}

static inline gint64 lifetime_cpu(gint64 place)
{
	return place >> LIFETIME_CONTEXT_SHIFT;
}

/* Whether it was freed on another CPU; free_place is less place. */
static inline gboolean lifetime_is_elsewhere(gint64 place, gint64 free_place)
{
	return lifetime_cpu(place) != lifetime_cpu(place + free_place);
}

static inline gint64 lifetime_pages_freed(gint64 parts)
{
	return parts >> LIFETIME_PAGES_SHIFT;
}

#endif
