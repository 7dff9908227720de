// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/growth/time_bins.h"

#include <string.h>

/* Makes bins 2^@by times as wide, by merging. */
static void widen(TimeBins *bins, guint by)
{
	guint32 counts[TIME_BINS] = { 0 };
	gint64 slot = bins->slot >> by;

	for (guint i = 0; i < TIME_BINS; i++) {
		if (bins->counts[i])
			counts[((bins->slot + i) >> by) - slot] += bins->counts[i];
	}
	memcpy(bins->counts, counts, sizeof(counts));
	bins->slot = slot;
	bins->shift += by;
}

/* Makes bins at least 2^@shift ns wide, and wide enough for first_ns and last_ns. */
static void fit(TimeBins *bins, guint shift)
{
	shift = MAX(shift, bins->shift);
	while ((bins->last_ns >> shift) - (bins->first_ns >> shift) >= TIME_BINS)
		shift++;
	if (shift > bins->shift)
		widen(bins, shift - bins->shift);
}

/* Moves the bins up, so that the first one is @slot. */
static void begin_at(TimeBins *bins, gint64 slot)
{
	guint by = (guint)(bins->slot - slot);

	for (guint i = TIME_BINS; i-- > 0;)
		bins->counts[i] = i >= by ? bins->counts[i - by] : 0;
	bins->slot = slot;
}

void time_bins_add(TimeBins *bins, gint64 ns)
{
	if (!bins->total) {
		bins->first_ns = bins->last_ns = ns;
		bins->slot = ns;
	}
	bins->total++;
	bins->first_ns = MIN(bins->first_ns, ns);
	bins->last_ns = MAX(bins->last_ns, ns);
	fit(bins, 0);
	if (ns >> bins->shift < bins->slot)
		begin_at(bins, ns >> bins->shift);
	bins->counts[(ns >> bins->shift) - bins->slot]++;
}

guint time_bins_count(const TimeBins *bins)
{
	return bins->total ? (guint)((bins->last_ns >> bins->shift) - bins->slot) + 1 : 0;
}

gint64 time_bins_from(const TimeBins *bins, guint i)
{
	return MAX((bins->slot + i) << bins->shift, bins->first_ns);
}

gint64 time_bins_to(const TimeBins *bins, guint i)
{
	return MIN(((bins->slot + i + 1) << bins->shift) - 1, bins->last_ns);
}

/* Extends the range of @to by that of @from; both have times. */
static void extend(TimeBins *to, const TimeBins *from)
{
	to->first_ns = MIN(to->first_ns, from->first_ns);
	to->last_ns = MAX(to->last_ns, from->last_ns);
	fit(to, from->shift);
	if (to->first_ns >> to->shift < to->slot)
		begin_at(to, to->first_ns >> to->shift);
}

void time_bins_merge(TimeBins *to, const TimeBins *from)
{
	guint by;

	if (!from->total)
		return;
	if (!to->total) {
		*to = *from;
		return;
	}
	extend(to, from);
	by = to->shift - from->shift;
	to->total += from->total;
	for (guint i = 0; i < time_bins_count(from); i++)
		to->counts[((from->slot + i) >> by) - to->slot] += from->counts[i];
}

gint64 time_bins_before(const TimeBins *bins, gint64 ns)
{
	gint64 count = 0, from_ns, to_ns;
	guint bin;

	if (!bins->total || ns <= bins->first_ns)
		return 0;
	if (ns > bins->last_ns)
		return bins->total;
	bin = (guint)((ns >> bins->shift) - bins->slot);
	for (guint i = 0; i < bin; i++)
		count += bins->counts[i];
	from_ns = time_bins_from(bins, bin);
	to_ns = time_bins_to(bins, bin);
	return count + (gint64)((double)bins->counts[bin] * (ns - from_ns) / (to_ns - from_ns + 1));
}
