/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses ranges of numbers, sizes and times.
 */
#ifndef KMT_BASE_RANGE_H
#define KMT_BASE_RANGE_H

#include <glib.h>

/* Both ends belong to it. */
typedef struct {
	gint64 least, most;
} Range;

typedef enum {
	RANGE_NUMBER,
	RANGE_SIZE, /* in bytes, as of units_parse_size() */
	RANGE_TIME, /* in nanoseconds, as of units_parse_time(); a single time is the least */
} RangeUnit;

/*
 * "2" or, from one to the other, "2..5", "2..", "..5". FALSE with an error that has no name of an
 * option.
 */
gboolean range_parse(const char *text, RangeUnit unit, Range *range, GError **error);

#endif
