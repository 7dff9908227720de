/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the live bytes of a group grow over time: this distinguishes a leak from a cache. The pattern
 * follows from values at GROWTH_STEPS + 1 equally spaced times; a rise and fall between two of
 * them is not seen.
 *
 * The rule. The range is the largest value less the smallest. A fall goes from the largest value so
 * far to a later one, and counts from a quarter of the range. In this order:
 *
 * steady        the range is 0;
 * sawtooth      a fall before the last eighth of the time: partly freed, at least once;
 * freed_at_end  a fall of three quarters in the last eighth, and none before: most was
 *                freed near the end, as at the end of a workload;
 * sawtooth      a smaller fall in the last eighth;
 * late          less than an eighth of the growth happened in the first three quarters of
 *                the time: too young to judge;
 * plateau       counted from the first growth, the last quarter of the time adds less than
 *                an eighth of the growth: a full cache, or a single allocation;
 * linear        each of the last two quarters of that time adds an eighth or more: it grows
 *                on, as a leak does;
 * late          the rest: it rose again, only in the last quarter.
 *
 * A curve does not show orphaned memory: live memory allocated by an unloaded module.
 */
#ifndef KMT_ANALYSIS_GROWTH_GROWTH_PATTERN_H
#define KMT_ANALYSIS_GROWTH_GROWTH_PATTERN_H

#include <glib.h>

#define GROWTH_STEPS 32

typedef enum {
	GROWTH_STEADY,
	GROWTH_LINEAR,
	GROWTH_PLATEAU,
	GROWTH_SAWTOOTH,
	GROWTH_FREED_AT_END,
	GROWTH_LATE,
	GROWTH_ORPHANED, /* never returned by growth_pattern_of() */
	SHAPES,
} GrowthPattern;

/*
 * @live: bytes (or another quantity) at GROWTH_STEPS + 1 times, the first and the last of the span.
 */
GrowthPattern growth_pattern_of(const gint64 *live);

/* Returns "linear" and so on, as above. */
const char *growth_pattern_name(GrowthPattern shape);

/* Describes the pattern in a few words, for the legend of a table. */
const char *growth_pattern_legend(GrowthPattern shape);

/* Returns the pattern with this name; SHAPES if none. */
GrowthPattern growth_pattern_find(const char *name);

/* Returns all names, separated by ", ", for g_free(). */
char *growth_pattern_names(void);

/*
 * Returns the index of the first of these times that is not before @ns; the span is from @from_ns
 * to @to_ns, which is later. GROWTH_STEPS + 1: all are before it.
 */
guint growth_pattern_step(gint64 ns, gint64 from_ns, gint64 to_ns);

#endif
