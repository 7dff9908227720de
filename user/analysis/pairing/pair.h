/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs frees with allocations. Takes events in time order, and reports lifetimes as they end;
 * allocations left at the end are live. Memory is proportional to the live allocations, never to
 * the length of the trace.
 *
 * Tracepoints do not match one to one: some paths free objects without an event, and pages may be
 * freed at another order than that of their allocation. pair.c describes how each case is handled.
 */
#ifndef KMT_ANALYSIS_PAIRING_PAIR_H
#define KMT_ANALYSIS_PAIRING_PAIR_H

#include <glib.h>

#include "trace/event/event.h"

/*
 * The maximum difference of the clocks of two CPUs, in nanoseconds: a free on another CPU, at most
 * this much before the allocation, matches it.
 */
#define PAIR_SKEW_NS 1000

typedef enum {
	PAIR_LIVE = 0,        /* not freed when the trace ended */
	PAIR_FREED = 1,       /* freed by an event */
	PAIR_FREE_UNSEEN = 2, /* freed on a path without events, no later than its end */
	PAIR_FREED_RCU = 3,   /* passed to kfree_rcu() at its end; freed unseen after that */
	PAIR_FREEING = 4,     /* passed to kfree_rcu(), and not freed when the trace ended */
} PairState;

/* What a page allocation backs, and so is counted as. NONE for all other memory. */
typedef enum {
	PAIR_BACKING_NONE = 0,
	PAIR_BACKING_SLAB = 1,    /* a slab */
	PAIR_BACKING_KMALLOC = 2, /* one large kmalloc */
	PAIR_BACKING_PERCPU = 3,  /* a part of a chunk of per-CPU memory */
} PairBacking;

/* An event with the caller's data. The numbers are the caller's and are returned unchanged. */
typedef struct {
	const struct trace_event *event;
	guint32 origin;
	guint32 task;
	guint8 backing;    /* PairBacking by the stack of a page event; NONE: unknown */
	guint32 alloc_seq; /* number of the allocation in its thread; 0: not counted */
} PairEvent;

/* The freeing task. For kfree_rcu(), its caller, not the task that frees the memory later. */
typedef struct {
	guint32 origin;
	guint32 task;
	guint32 cpu;
	guint8 context; /* enum kmemtrace_context */
} PairEnd;

typedef struct {
	guint64 addr;       /* pointer, or pfn after the last migration */
	guint64 time_ns;    /* of the allocation */
	guint64 end_ns;     /* unset if PAIR_LIVE or PAIR_FREEING */
	const PairEnd *end; /* NULL if PAIR_LIVE or PAIR_FREE_UNSEEN */
	guint32 origin;     /* of the allocation, as the next two */
	guint32 task;
	guint32 cpu;
	guint32 pieces;      /* events that freed a part */
	guint32 pages_freed; /* PAIR_LIVE pages: how many were freed */
	guint32 moves;       /* pages: how often the kernel migrated some of them */
	guint32 alloc_seq;   /* that of the PairEvent, or of the pages that back it */
	guint8 event;        /* enum kmemtrace_event */
	guint8 context;      /* enum kmemtrace_context */
	guint8 state;        /* PairState */
	guint8 backing;      /* PairBacking */
} PairLifetime;

/* Why a free has no allocation. */
typedef enum {
	PAIR_BEFORE = 0, /* allocated before the trace, or on a path without events */
	PAIR_UNSEEN = 1, /* allocated on a path without events: the page is of the trace */
} PairClass;

typedef struct {
	/* An allocation ended, or is live at the end. */
	void (*lifetime)(gpointer data, const PairLifetime *lifetime);
	/* @pages: pages of a page_free that had no owner; 0 for other frees. */
	void (*unmatched)(gpointer data, const PairEvent *event, PairClass class, guint64 pages);
	/*
	 * A free that was reported as unmatched belongs to an allocation: one that came later, from
	 * another CPU, or one that failed, whose pages the kernel freed.
	 */
	void (*matched_late)(gpointer data, const PairEvent *event, PairClass class, guint64 pages);
	/* A failed allocation. One of vmalloc space may be reported with a delay. */
	void (*failed)(gpointer data, const PairEvent *event);
	gpointer data;
} PairSink;

typedef struct {
	guint64 allocs;        /* successful ones */
	guint64 matched;       /* frees that ended or shrank an allocation */
	guint64 unmatched;     /* frees without an allocation */
	guint64 failed;        /* failed allocations */
	guint64 undone;        /* frees of pages of failed allocations */
	guint64 areas_retried; /* failed areas that were tried again at once */
	guint64 duplicates;    /* second events of one large kmalloc */
	guint64 renumbered;    /* objects with the alloc_seq of the pages that back them */
	guint64 null_pointers; /* of NULL or of no size: dropped */
	guint64 absurd_pages;  /* page events that no kernel writes: dropped */
	guint64 free_unseen;   /* lifetimes with this state */
	guint64 resized;       /* objects that krealloc() resized in place */
	guint64 given_to_rcu;  /* calls of kfree_rcu() */
	guint64 freed_rcu;     /* lifetimes with this state */
	guint64 freeing;       /* the same */
	guint64 early;         /* frees before their allocation: matched */
	guint64 moves;         /* PAGE_MOVE events */
	guint64 moved_pages;   /* pages of allocations that were migrated */
	guint64 moved_out;     /* allocations that ended by leaving the sample */
	guint64 frees_moved;   /* frees of migrated pages without an owner: not unmatched */
	guint64 peak_live;     /* allocations open at once */
} PairStats;

typedef struct Pair Pair;

/*
 * @page_shift, @linear_base: of the traced kernel; with an unknown base, 0, objects are not linked
 * to pages. @sink is copied.
 */
Pair *pair_new(guint page_shift, guint64 linear_base, const PairSink *sink);
void pair_free(Pair *pair); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pair, pair_free)

/* @bits: __GFP_ACCOUNT in the gfp flags of events; 0: unknown, so any allocation may be charged. */
void pair_set_account(Pair *pair, guint32 bits);

/*
 * Sets @backed, which is called with the sink's data when pages of @origin are found to back other
 * memory.
 */
void pair_set_backed(Pair *pair, void (*backed)(gpointer data, guint32 origin));

/*
 * Sets @resized, which is called with the sink's data when an object of @origin is resized in place
 * to the size in @event. It returns the new origin of the object.
 */
void pair_set_resized(Pair *pair,
		      guint32 (*resized)(gpointer data, guint32 origin, const PairEvent *event));

/*
 * Prefetches what pair_feed() will read for a later event: first the map entry of its address, and
 * a few events later the allocation.
 */
void pair_prefetch(const Pair *pair, const struct trace_event *event);
void pair_prefetch_allocation(const Pair *pair, const struct trace_event *event);

/* Processes one event. Events of TRACE_NAME, TRACE_BUDDY and the like are ignored. */
void pair_feed(Pair *pair, const PairEvent *event);

/*
 * Ends the pairing: reports allocations whose free came early and was the last, then those that
 * were not freed, each in the order of their allocation. Returns the number of the latter.
 */
guint64 pair_finish(Pair *pair);

/*
 * Calls @func for each live allocation, in no order, as pair_finish() would, but keeps them. @func
 * must not call pair_feed().
 */
void pair_each_live(const Pair *pair, void (*func)(gpointer data, const PairLifetime *lifetime),
		    gpointer data);

/*
 * Replaces the origin of each allocation that is not known to be freed by what @func returns for
 * it. @func must not call functions of @pair.
 */
void pair_map_origins(Pair *pair, guint32 (*func)(gpointer data, guint32 origin), gpointer data);

/* Returns the number of live allocations, which determines the memory in use. */
guint64 pair_live(const Pair *pair);

const PairStats *pair_stats(const Pair *pair);

#endif
