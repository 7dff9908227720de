/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs frees with allocations. Events go in, in time order; lifetimes come out as they end, and
 * what is left at the end is live. Memory is proportional to what is live, never to the length of
 * the trace.
 *
 * Tracepoints do not match one to one: some paths free objects without an event, and pages are
 * freed at other orders than they were allocated at. pair.c says how each case is handled.
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
	PAIR_FREE_UNSEEN = 2, /* freed on a path without events, at the latest when it ends */
	PAIR_FREED_RCU = 3,   /* given to kfree_rcu() when it ends; freed unseen after that */
	PAIR_FREEING = 4,     /* given to kfree_rcu(), and still there when the trace ended */
} PairState;

/* What else a page allocation is, and so is counted as. Slab objects have none. */
typedef enum {
	PAIR_BACKING_NONE = 0,
	PAIR_BACKING_SLAB = 1,    /* objects lie in it */
	PAIR_BACKING_KMALLOC = 2, /* it is one large kmalloc */
	PAIR_BACKING_PERCPU = 3,  /* it is a part of a chunk of per-CPU memory */
} PairBacking;

/* An event with the caller's data. The numbers are the caller's and are returned unchanged. */
typedef struct {
	const struct trace_event *event;
	guint32 origin;
	guint32 task;
	guint8 backing; /* PairBacking that the stack of a page event shows, NONE if it doesn't */
	guint32 turn;   /* of an allocation: the caller's number, which its lifetime has, too */
} PairEvent;

/* The freeing task: for kfree_rcu() its caller, never the task that frees in the end. */
typedef struct {
	guint32 origin;
	guint32 task;
	guint32 cpu;
	guint8 context; /* enum kmemtrace_context */
} PairEnd;

typedef struct {
	guint64 addr;       /* pointer, or pfn: where the last migration put it */
	guint64 time_ns;    /* of the allocation */
	guint64 end_ns;     /* not if PAIR_LIVE or PAIR_FREEING */
	const PairEnd *end; /* not if PAIR_LIVE or PAIR_FREE_UNSEEN */
	guint32 origin;     /* of the allocation, as the next two */
	guint32 task;
	guint32 cpu;
	guint32 pieces;      /* events that freed a part of it */
	guint32 pages_freed; /* PAIR_LIVE pages: how many were freed */
	guint32 moves;       /* pages: how often the kernel migrated some of them */
	guint32 turn;        /* as it came in */
	guint8 event;        /* enum kmemtrace_event */
	guint8 context;      /* enum kmemtrace_context */
	guint8 state;        /* PairState */
	guint8 backing;      /* PairBacking */
} PairLifetime;

/* Why a free has no allocation. */
typedef enum {
	PAIR_BEFORE = 0, /* from before the trace, or allocated on a path without events */
	PAIR_UNSEEN = 1, /* surely the latter: its page was allocated during the trace */
} PairClass;

typedef struct {
	void (*closed)(gpointer data, const PairLifetime *lifetime);
	/* @pages: how many pages of a page_free had no owner; 0 for all else. */
	void (*unmatched)(gpointer data, const PairEvent *event, PairClass class, guint64 pages);
	/*
	 * A free reported as unmatched was an allocation's after all: it came before it, on another
	 * CPU, or the allocation failed and the kernel gave back what it had got.
	 */
	void (*matched_late)(gpointer data, const PairEvent *event, PairClass class, guint64 pages);
	/* A failed allocation. One of an area of vmalloc space may be reported later. */
	void (*failed)(gpointer data, const PairEvent *event);
	gpointer data;
} PairSink;

typedef struct {
	guint64 allocs;        /* successful ones */
	guint64 matched;       /* frees that ended or shrank an allocation */
	guint64 unmatched;     /* frees that ended none */
	guint64 failed;        /* failed allocations */
	guint64 undone;        /* frees of what these had, and gave back */
	guint64 areas_retried; /* areas that failed, and were tried once more at once */
	guint64 duplicates;    /* second events of one large kmalloc */
	guint64 renumbered;    /* allocations that have the turn of the pages that back them */
	guint64 null_pointers; /* of NULL or of no size: dropped */
	guint64 absurd_pages;  /* page events that no kernel writes: dropped */
	guint64 free_unseen;   /* lifetimes that ended so */
	guint64 resized;       /* objects that krealloc() left where they were */
	guint64 given_to_rcu;  /* calls of kfree_rcu() */
	guint64 freed_rcu;     /* lifetimes that ended so */
	guint64 freeing;       /* the same */
	guint64 early;         /* frees that came before their allocation: matched */
	guint64 moves;         /* PAGE_MOVE events */
	guint64 moved_pages;   /* that had an allocation and have it still, elsewhere */
	guint64 moved_out;     /* allocations that ended, since they left the sample */
	guint64 frees_moved;   /* of what a migration left or brought: neither */
	guint64 peak_live;     /* allocations open at once */
} PairStats;

typedef struct Pair Pair;

/*
 * @page_shift, @linear_base: of the traced kernel; a linear base of 0 means it isn't known, and
 * objects are not linked to pages. @sink is copied.
 */
Pair *pair_new(guint page_shift, guint64 linear_base, const PairSink *sink);
void pair_free(Pair *pair); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pair, pair_free)

/* @bits: __GFP_ACCOUNT in the flags of its events; 0: not known, and any flags may be charged. */
void pair_set_account(Pair *pair, guint32 bits);

/*
 * From now on @backed is called, with the sink's data, when pages of @origin turn out to back
 * something.
 */
void pair_tell_backed(Pair *pair, void (*backed)(gpointer data, guint32 origin));

/*
 * Sets @resized, which is called with the sink's data when an object of @origin is resized in place
 * to the size in @event. It returns the new origin of the object.
 */
void pair_tell_resized(Pair *pair,
		       guint32 (*resized)(gpointer data, guint32 origin, const PairEvent *event));

/*
 * Fetches what pair_feed() will read of a later event into the cache: first where its address
 * leads to, then, a few events later, the allocation.
 */
void pair_prefetch(const Pair *pair, const struct trace_event *event);
void pair_prefetch_allocation(const Pair *pair, const struct trace_event *event);

/* Processes one event. Events of TRACE_NAME, TRACE_BUDDY and the like are ignored. */
void pair_feed(Pair *pair, const PairEvent *event);

/* Ends the pairing: reports live allocations, in the order of their allocation. */
void pair_finish(Pair *pair);

/*
 * Calls @func for all that is live now, in no order: as pair_finish() would give it out, but it
 * stays. It must feed nothing.
 */
void pair_each_live(const Pair *pair, void (*func)(gpointer data, const PairLifetime *lifetime),
		    gpointer data);

/* Returns the number of live allocations, which determines the memory in use. */
guint64 pair_live(const Pair *pair);

const PairStats *pair_stats(const Pair *pair);

#endif
