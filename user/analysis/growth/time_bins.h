/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of times with bins of equal width, which adapts to the range of the times: in any
 * order, without prior knowledge of the first and the last, and in constant memory. The width is
 * the smallest power of two that fits, so more than half of the bins are in use once times differ
 * by TIME_BINS ns.
 */
#ifndef KMT_ANALYSIS_GROWTH_TIME_BINS_H
#define KMT_ANALYSIS_GROWTH_TIME_BINS_H

#include <glib.h>

#define TIME_BINS 128

typedef struct {
	gint64 total;
	gint64 first_ns, last_ns; /* exact; unset if total is 0 */
	guint shift;              /* a bin is 2^shift ns wide, and begins at a multiple of that */
	gint64 slot;              /* the first bin begins at slot << shift */
	guint32 counts[TIME_BINS];
} TimeBins;

/* Adds the time @ns, from 0 to below UNITS_TIME_END, to @bins, which are 0 at first. */
void time_bins_add(TimeBins *bins, gint64 ns);

/* Adds all of @from to @to. The result is the same as of adding each time. */
void time_bins_merge(TimeBins *to, const TimeBins *from);

/* Counts the times before @ns; those in its bin are divided evenly. */
gint64 time_bins_before(const TimeBins *bins, gint64 ns);

/* Returns the number of bins in use; the last has last_ns. */
guint time_bins_count(const TimeBins *bins);

/* Return the start of bin @i, but not before first_ns; and its last ns, but not after last_ns. */
gint64 time_bins_from(const TimeBins *bins, guint i);
gint64 time_bins_to(const TimeBins *bins, guint i);

#endif
