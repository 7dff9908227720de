// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/quickselect.h"

#include "base/seed.h"

static void swap(guint64 *values, gsize a, gsize b)
{
	guint64 value = values[a];

	values[a] = values[b];
	values[b] = value;
}

/* Never the last value: a pivot that is larger than all others would not divide them. */
static guint64 random_value(const guint64 *values, gsize from, gsize to, guint index)
{
	return values[from + seed_mix(from ^ (guint64)to << 32, index) % (to - from)];
}

/*
 * Returns the median of three as a pivot. They are chosen at random, as for any fixed choice there
 * are values that take quadratic time.
 */
static guint64 find_pivot(const guint64 *values, gsize from, gsize to)
{
	guint64 a = random_value(values, from, to, 0);
	guint64 b = random_value(values, from, to, 1);
	guint64 c = random_value(values, from, to, 2);

	if (a > b)
		return c > a ? a : MAX(b, c);
	return c > b ? b : MAX(a, c);
}

guint64 quickselect(guint64 *values, gsize count, gsize rank)
{
	gsize from = 0, to = count - 1;

	while (from < to) {
		guint64 pivot = find_pivot(values, from, to);
		gsize low = from, high = to;

		for (;;) {
			while (values[low] < pivot)
				low++;
			while (values[high] > pivot)
				high--;
			if (low >= high)
				break;
			swap(values, low++, high--);
		}
		/* Elements up to high are at most the pivot, elements after it at least. */
		if (rank <= high)
			to = high;
		else
			from = high + 1;
	}
	return values[rank];
}

void quickselect_percentiles(guint64 *values, gsize count, const guint *percents, guint n,
			     gint64 *results)
{
	gsize from = 0; /* values before it are at most those after it */

	for (guint i = 0; i < n; i++) {
		gsize rank = (count * percents[i] + 99) / 100 - 1;

		results[i] = PERCENTILE_NONE;
		if (!count || (percents[i] < 100 && count * (100 - percents[i]) < 100))
			continue;
		results[i] = (gint64)quickselect(values + from, count - from, rank - from);
		from = rank;
	}
}

gint64 quickselect_percentile(guint64 *values, gsize count, guint percent)
{
	gint64 result;

	quickselect_percentiles(values, count, &percent, 1, &result);
	return result;
}
