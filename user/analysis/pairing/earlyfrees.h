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
	PairEvent paired; /* its event was dropped: the one above stands for it */
	PairClass class;  /* as it was reported, as the next */
	guint64 pages;
} EarlyFree;

typedef struct EarlyFrees EarlyFrees;

EarlyFrees *earlyfrees_new(void);
void earlyfrees_free(EarlyFrees *frees);

/* A free that matched nothing. Copied. Few are kept. */
void earlyfrees_add(EarlyFrees *frees, const PairEvent *event, PairClass class, guint64 pages);

/* Whether @event is the free that is kept as @free. */
gboolean earlyfrees_is(const EarlyFree *free, const struct trace_event *event);

/* A free that was of another thing altogether. FALSE: an allocation waits for it, see below. */
gboolean earlyfrees_forget(EarlyFrees *frees, const struct trace_event *event);

/* TRUE if a free may be that of the allocation @event; it then waits for it at @place. */
gboolean earlyfrees_claim(EarlyFrees *frees, const struct trace_event *event, guint32 place);

/* Removes and returns the free that waits at @place, if there is one. */
EarlyFree earlyfrees_take(EarlyFrees *frees, guint32 place);

#endif
