/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of kfree_rcu() whose memory is not freed yet, with caller and time. Each has a place until
 * it is removed; 0 is none.
 */
#ifndef KMT_ANALYSIS_PAIRING_RCUFREES_H
#define KMT_ANALYSIS_PAIRING_RCUFREES_H

#include "analysis/pairing/pair.h"

typedef struct {
	guint64 time_ns;
	PairEnd end;
} RcuFree;

typedef struct RcuFrees RcuFrees;

RcuFrees *rcufrees_new(void);
void rcufrees_free(RcuFrees *frees);

/* Stores a copy, and returns its place. */
guint32 rcufrees_add(RcuFrees *frees, const RcuFree *free);

/* Removes and returns the call at @place. */
RcuFree rcufrees_take(RcuFrees *frees, guint32 place);

#endif
