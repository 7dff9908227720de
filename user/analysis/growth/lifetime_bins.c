// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/growth/lifetime_bins.h"

#define SUB_BITS 3 /* log2 of the bins of a power of two */
#define SUBS     (1 << SUB_BITS)

/* Below SUBS each number has a bin; above, each power of two has SUBS bins. */
static guint bin_of(gint64 ns)
{
	guint64 value = (guint64)MAX(ns, 0);
	guint shift;

	if (value < SUBS)
		return (guint)value;
	shift = 63 - (guint)__builtin_clzll(value) - SUB_BITS;
	return (shift << SUB_BITS) + (guint)(value >> shift);
}

/* Returns the largest number of a bin. */
static gint64 bin_end(guint bin)
{
	guint shift;

	if (bin < 2 * SUBS)
		return bin;
	shift = (bin >> SUB_BITS) - 1;
	return (gint64)((((guint64)(bin & (SUBS - 1)) + SUBS + 1) << shift) - 1);
}

void lifetime_bins_add(LifetimeBins *bins, gint64 ns)
{
	bins->total++;
	bins->longest = MAX(bins->longest, ns);
	bins->counts[bin_of(ns)]++;
}

void lifetime_bins_merge(LifetimeBins *to, const LifetimeBins *from)
{
	to->total += from->total;
	to->longest = MAX(to->longest, from->longest);
	for (guint i = 0; i < LIFETIME_BINS; i++)
		to->counts[i] += from->counts[i];
}

gint64 lifetime_bins_quantile(const LifetimeBins *bins, guint percent)
{
	gint64 rest = (bins->total * percent + 99) / 100;
	guint bin = 0;

	if (!bins->total)
		return 0;
	while (bin < LIFETIME_BINS - 1 && rest > bins->counts[bin])
		rest -= bins->counts[bin++];
	return MIN(bin_end(bin), bins->longest);
}

gint64 lifetime_bins_above(const LifetimeBins *bins, gint64 ns)
{
	gint64 count = 0;

	for (guint bin = bin_of(ns) + 1; bin < LIFETIME_BINS; bin++)
		count += bins->counts[bin];
	return count;
}
