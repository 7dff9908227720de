/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts lifetimes in bins that grow with them: eight for each power of two, so that a quantile is
 * at most an eighth too large, and never above the longest. Sums of two are bins again.
 */
#ifndef KMT_ANALYSIS_GROWTH_LIFETIME_BINS_H
#define KMT_ANALYSIS_GROWTH_LIFETIME_BINS_H

#include <glib.h>

#define LIFETIME_BINS 488 /* up to 2^63 - 1 ns */

typedef struct {
	gint64 total, longest;
	guint32 counts[LIFETIME_BINS];
} LifetimeBins;

/* Adds a lifetime to @bins, which are 0 at first; one below 0 counts as 0. */
void lifetime_bins_add(LifetimeBins *bins, gint64 ns);

/* Adds all of @from to @to. */
void lifetime_bins_merge(LifetimeBins *to, const LifetimeBins *from);

/*
 * What @percent of the lifetimes are not above, rounded up to the end of a bin or the longest; 0:
 * no lifetimes.
 */
gint64 lifetime_bins_quantile(const LifetimeBins *bins, guint percent);

/* How many are above @ns and not in the bin of it. */
gint64 lifetime_bins_above(const LifetimeBins *bins, gint64 ns);

#endif
