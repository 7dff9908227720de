/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quickselect: the k-th smallest value, and percentiles.
 */
#ifndef KMT_BASE_QUICKSELECT_H
#define KMT_BASE_QUICKSELECT_H

#include <glib.h>

/*
 * Returns the value that @values[@rank] would have if the @count values were sorted. Reorders them.
 */
guint64 quickselect(guint64 *values, gsize count, gsize rank);

/* Too few values. */
#define PERCENTILE_NONE G_MININT64

/*
 * Returns the percentile of @count values by nearest rank: the smallest value that at least
 * @percent of them do not exceed. PERCENTILE_NONE if less than one value is expected above it, as
 * it would be the largest of a few: the 50th needs 2 values, the 95th 20, the 99th 100. Reorders
 * @values.
 */
gint64 quickselect_percentile(guint64 *values, gsize count, guint percent);

/*
 * The same for @n ascending @percents, faster than one by one. The 100th is the largest value, and
 * needs 1.
 */
void quickselect_percentiles(guint64 *values, gsize count, const guint *percents, guint n,
			     gint64 *results);

#endif
