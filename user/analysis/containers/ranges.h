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
	guint64 offset;     /* of start; a part of the range has a larger one */
	guint64 from_ns;
	guint32 file;
	guint32 unused; /* 0 */
} Range;

#define RANGES_EMPTY 0U /* the version without ranges */

Ranges *ranges_new(void);
void ranges_free(Ranges *ranges); /* NULL is allowed */

/*
 * From now on a change leaves all versions that are there as they are. Until then it may change
 * the version that it begins with.
 */
void ranges_keep(Ranges *ranges);

/*
 * A version without [@start, @end). What is left of a range of which a part goes is two; each has
 * @from_ns, unless that is G_MAXUINT64. The same version if there is nothing.
 */
guint32 ranges_cut(Ranges *ranges, guint32 version, guint64 start, guint64 end, guint64 from_ns);

/* A version with @range, which nothing in it overlaps. */
guint32 ranges_add(Ranges *ranges, guint32 version, const Range *range);

/* NULL: none has @at. Until the next change. */
const Range *ranges_find(const Ranges *ranges, guint32 version, guint64 at);

#endif
