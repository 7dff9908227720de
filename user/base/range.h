/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses ranges of numbers, sizes and times.
 */
#ifndef KMT_BASE_RANGE_H
#define KMT_BASE_RANGE_H

#include <glib.h>

/* Both ends are included. */
typedef struct {
	gint64 least, most;
} Range;

typedef enum {
	RANGE_NUMBER,
	RANGE_SIZE, /* in bytes, as of units_parse_size() */
	RANGE_TIME, /* in nanoseconds, as of units_parse_time(); a single time is the lower end */
} RangeUnit;

/*
 * Parses "2" or the ranges "2..5", "2..", "..5". FALSE with an error that does not name the option.
 */
gboolean range_parse(const char *text, RangeUnit unit, Range *range, GError **error);

#endif
