/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What many allocations and frees share, and is stored once: where they come from and what was asked
 * for. Also counts what has no row of its own: unmatched frees and failed allocations. Private to the
 * store.
 */
#ifndef KMT_STORE_ORIGINS_H
#define KMT_STORE_ORIGINS_H

#include "analysis/pair.h"
#include "store/names.h"

typedef struct Origins Origins;

/* @stacks and @names must outlive it. */
Origins *origins_new(Stacks *stacks, Names *names);
void origins_free(Origins *origins);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Origins, origins_free)

guint32 origins_of_alloc(Origins *origins, const struct trace_event *event);	/* table origin */
guint32 origins_of_free(Origins *origins, const struct trace_event *event);	/* table release */

/* Bytes allocated, of an origin that was given. */
guint32 origins_bytes(const Origins *origins, guint32 origin);

/* @bytes: of the pages that nobody owned. */
void origins_count_unmatched(Origins *origins, const struct trace_event *event, PairClass class,
			     guint64 bytes);
void origins_count_failed(Origins *origins, const struct trace_event *alloc);

void origins_store(Origins *origins, StoreWriter *writer);

#endif
