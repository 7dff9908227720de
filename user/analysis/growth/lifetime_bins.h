/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A logarithmic histogram of lifetimes, with eight bins for each power of two: a quantile is at
 * most an eighth too large, and never above the maximum. Histograms can be added.
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
 * Returns the lifetime that @percent of the lifetimes do not exceed, rounded up to the end of a bin
 * or the maximum; 0: no lifetimes.
 */
gint64 lifetime_bins_quantile(const LifetimeBins *bins, guint percent);

/* Counts the lifetimes above @ns, without those in its bin. */
gint64 lifetime_bins_above(const LifetimeBins *bins, gint64 ns);

#endif
