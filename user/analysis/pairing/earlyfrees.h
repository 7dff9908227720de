/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frees that precede their allocation. Clocks of two CPUs may differ a little, so memory that one
 * CPU allocates and another frees immediately may seem to be freed before it was allocated.
 *
 * An unmatched free is remembered. It may belong to an allocation of the same address on another
 * CPU, at most PAIR_SKEW_NS later. The next event of that address decides: if it is a free, the
 * early free belonged to something else; if the address is allocated again without a free, the
 * early free was the allocation's own.
 */
#ifndef KMT_ANALYSIS_PAIRING_EARLYFREES_H
#define KMT_ANALYSIS_PAIRING_EARLYFREES_H

#include "analysis/pairing/pair.h"

typedef struct {
	struct trace_event event;
	PairEvent paired; /* its event pointer is stale: use @event */
	PairClass class;  /* as it was reported, as the next */
	guint64 pages;
} EarlyFree;

typedef struct EarlyFrees EarlyFrees;

EarlyFrees *earlyfrees_new(void);
void earlyfrees_free(EarlyFrees *frees);

/* Remembers a copy of an unmatched free. Only the latest ones are kept. */
void earlyfrees_add(EarlyFrees *frees, const PairEvent *event, PairClass class, guint64 pages);

/* Returns whether @free is a copy of @event. */
gboolean earlyfrees_is(const EarlyFree *free, const struct trace_event *event);

/* Forgets a free that belongs to something else. Returns FALSE if an allocation claimed it. */
gboolean earlyfrees_forget(EarlyFrees *frees, const struct trace_event *event);

/* Returns TRUE if an early free may belong to the allocation @event; it is then kept at @place. */
gboolean earlyfrees_claim(EarlyFrees *frees, const struct trace_event *event, guint32 place);

/* Removes and returns the free that is kept at @place. */
EarlyFree earlyfrees_take(EarlyFrees *frees, guint32 place);

#endif
