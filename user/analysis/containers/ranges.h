/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Persistent maps from disjoint ranges of numbers to values: all earlier versions stay readable. A
 * version is a number, and copying it is free. A change makes a new version, which shares
 * unchanged parts with the old one: its memory and time are logarithmic in the number of ranges.
 */
#ifndef KMT_ANALYSIS_CONTAINERS_RANGES_H
#define KMT_ANALYSIS_CONTAINERS_RANGES_H

#include <glib.h>

typedef struct Ranges Ranges;

typedef struct {
	guint64 start, end; /* start < end */
	guint64 offset;     /* of start; a part of the range has its own */
	guint64 from_ns;
	guint32 file;
	guint32 unused; /* 0 */
} Range;

#define RANGES_EMPTY 0U /* the version without ranges */

Ranges *ranges_new(void);
void ranges_free(Ranges *ranges); /* NULL is allowed */

/*
 * Makes existing versions immutable for later changes. Before, a change may modify the version that
 * it starts from.
 */
void ranges_keep(Ranges *ranges);

/*
 * Returns a version without [@start, @end). The rest of a partially removed range is one or two
 * ranges. Returns the same version if there is nothing to remove.
 */
guint32 ranges_cut(Ranges *ranges, guint32 version, guint64 start, guint64 end);

/* Returns a version with @range, which must not overlap another one. */
guint32 ranges_add(Ranges *ranges, guint32 version, const Range *range);

/* Returns the range that contains @at, valid until the next change; NULL: none. */
const Range *ranges_find(const Ranges *ranges, guint32 version, guint64 at);

#endif
