/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Quickselect: the k-th smallest value, and percentiles.
 */
#ifndef KMT_BASE_QUICKSELECT_H
#define KMT_BASE_QUICKSELECT_H

#include <glib.h>

/* The value that @values[@rank] would be if the @count of them were sorted; they change places. */
guint64 quickselect(guint64 *values, gsize count, gsize rank);

/* Too few values to tell. */
#define PERCENTILE_NONE G_MININT64

/*
 * The percentile of @count values by nearest rank: the smallest value that @percent of them are not
 * above. PERCENTILE_NONE if less than one value is expected above it, since it would be the
 * largest of a few: the 50th needs 2 values, the 95th 20, the 99th 100. @values change places.
 */
gint64 quickselect_percentile(guint64 *values, gsize count, guint percent);

/*
 * The same for @n of @percents, which ascend, in less time than one by one. The 100th is the
 * largest value, and needs 1.
 */
void quickselect_percentiles(guint64 *values, gsize count, const guint *percents, guint n,
			     gint64 *results);

#endif
