/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Origins: everything about an event except its time, address and thread. A trace of millions of
 * events has thousands of origins, so a lifetime refers to two origins, and the caller is
 * determined once per origin. Also keeps totals by origin. Private to the store.
 */
#ifndef KMT_STORE_LOAD_ORIGINS_H
#define KMT_STORE_LOAD_ORIGINS_H

#include "analysis/pairing/pair.h"
#include "store/load/caches.h"
#include "store/load/frames.h"
#include "store/load/userstacks.h"

typedef struct Origins Origins;

/* @frames, @caches and @times must outlive it. @page_size in bytes. */
Origins *origins_new(Frames *frames, Caches *caches, const ModuleTimes *times, guint64 page_size);
void origins_free(Origins *origins); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Origins, origins_free)

/* Sets whether BPF programs recorded the events, before the first event. */
void origins_set_by_bpf(Origins *origins, gboolean is_by_bpf);

/* Sets the user stacks, which must outlive the origins, before the first event. */
void origins_set_user_stacks(Origins *origins, UserStacks *stacks);

/* Adds the kernel's stack @id, @addrs, innermost first, before the first event. */
void origins_add_stack(Origins *origins, guint32 id, const guint64 *addrs, guint depth);

/* Returns how many stacks of events are missing in the trace. */
guint origins_missing_stacks(const Origins *origins);

/* Returns the origin of an event. */
guint32 origins_of(Origins *origins, const struct trace_event *event);

/* Returns the origin that differs only in its requested size. */
guint32 origins_resized(Origins *origins, guint32 origin, guint32 bytes_req);

/*
 * Prefetches what origins_of() will read for a later event, in two steps with a few events between
 * them. Returns a number for the second. A wrong guess only costs time.
 */
guint32 origins_prefetch(const Origins *origins, const struct trace_event *event);
void origins_prefetch_row(const Origins *origins, guint32 number);

/* Returns what the pages of an origin back, by the allocator in its stack. */
PairBacking origins_backing(const Origins *origins, guint32 origin);

/*
 * Returns TRUE for frees of pages that the kernel allocated without an event, and then did not use.
 */
gboolean origins_is_unused(const Origins *origins, guint32 origin);

/*
 * Notes the order of events. Must be called for each event, with its origin @id, or 0 if it is not
 * known yet: a free right before it may show the use of its pages.
 */
void origins_note_order(Origins *origins, const struct trace_event *event, guint32 id);

void origins_count_lifetime(Origins *origins, const PairLifetime *lifetime);
/* Counts a lifetime that ended after this many further allocations of its thread. */
void origins_count_temporaries(Origins *origins, guint32 origin, guint32 temporaries);
void origins_count_unmatched(Origins *origins, guint32 origin, PairClass class, guint64 pages);
void origins_uncount_unmatched(Origins *origins, guint32 origin, PairClass class, guint64 pages);
/* Counts an event of TRACE_BUDDY or TRACE_MIGRATE. */
void origins_count_move(Origins *origins, guint32 origin);

/*
 * Writes the tables stack, origin, alloc_total, unmatched, failed, page_move, temporary_count and
 * temporary_total.
 */
void origins_write(const Origins *origins, Db *db);

#endif
