/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes the packed columns of the table lifetime, as the view alloc does in SQL: for scans.
 * Statements pass them to scan(), and load encodes them.
 */
#ifndef KMT_STORE_SCAN_LIFETIME_H
#define KMT_STORE_SCAN_LIFETIME_H

#include <glib.h>

/* As in the table state. */
typedef enum {
	LIFETIME_LIVE,      /* when the trace ended */
	LIFETIME_FREED,     /* by an event */
	LIFETIME_UNSEEN,    /* freed without an event */
	LIFETIME_FREED_RCU, /* passed to kfree_rcu() */
	LIFETIME_FREEING,   /* passed to kfree_rcu(), and not freed when the trace ended */
} LifetimeState;

#define LIFETIME_STATE_BITS    3 /* of ending, from the lowest; followed by: */
#define LIFETIME_BACKING_BITS  2
#define LIFETIME_ADDR_WHOLE    (1 << 5) /* addr is a whole address, not in words */
#define LIFETIME_MOVES_SHIFT   6
#define LIFETIME_WORD_SHIFT    3
#define LIFETIME_CONTEXT_SHIFT 2  /* of place: the CPU is in the bits above */
#define LIFETIME_PAGES_SHIFT   24 /* of parts: the freed pages are in the bits above */

static inline LifetimeState lifetime_state(gint64 ending)
{
	return ending & ((1 << LIFETIME_STATE_BITS) - 1);
}

/* Returns whether it ended at a known time. */
static inline gboolean lifetime_is_freed(gint64 ending)
{
	LifetimeState state = lifetime_state(ending);

	return state == LIFETIME_FREED || state == LIFETIME_FREED_RCU;
}

/* Returns what these pages back, a PairBacking; 0: nothing, or not pages. */
static inline gint64 lifetime_backing(gint64 ending)
{
	return ending >> LIFETIME_STATE_BITS & ((1 << LIFETIME_BACKING_BITS) - 1);
}

/* Returns TRUE for pages that back slabs, large kmallocs or per-CPU memory. */
static inline gboolean lifetime_is_backing(gint64 ending)
{
	return lifetime_backing(ending) != 0;
}

/* Returns the address. @base: of addresses in words. */
static inline guint64 lifetime_addr(guint64 base, gint64 addr, gint64 ending)
{
	return ending & LIFETIME_ADDR_WHOLE ? (guint64)addr
					    : base + ((guint64)addr << LIFETIME_WORD_SHIFT);
}

static inline gint64 lifetime_cpu(gint64 place)
{
	return place >> LIFETIME_CONTEXT_SHIFT;
}

static inline gboolean lifetime_is_of_interrupt(gint64 place)
{
	return place & ((1 << LIFETIME_CONTEXT_SHIFT) - 1);
}

/* Returns whether it was freed on another CPU; free_place is relative to place. */
static inline gboolean lifetime_is_elsewhere(gint64 place, gint64 free_place)
{
	return lifetime_cpu(place) != lifetime_cpu(place + free_place);
}

static inline gint64 lifetime_pages_freed(gint64 parts)
{
	return parts >> LIFETIME_PAGES_SHIFT;
}

#endif
