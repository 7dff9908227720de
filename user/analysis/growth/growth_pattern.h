/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the bytes that somebody holds go on over time: what tells a leak from a cache. Shapes are
 * told from values at GROWTH_STEPS + 1 times in equal distances, so what goes up and down again
 * between two of them isn't seen.
 *
 * The rule. The range is the largest value less the smallest; a fall goes from the largest value
 * so far to a later one, and is one if it is a quarter of the range at least. In this order:
 *
 *   steady        the range is 0;
 *   sawtooth      there is a fall before the last eighth of the time: partly freed, at least once;
 *   freed_at_end  a fall of three quarters in the last eighth, and none before: most was
 *                 freed near the end, as at the end of a workload;
 *   sawtooth      a smaller fall in the last eighth;
 *   late          less than an eighth of the growth is there when three quarters of the time
 *                 are over: too young to be judged;
 *   plateau       of the time from the first growth on, the last quarter adds less than an eighth
 *                 of the growth: a cache that is full, or something that was taken once;
 *   linear        the last and the last but one quarter of that time add an eighth or more each: it
 *                 goes on, as a leak does;
 *   late          what is left: it rose again in the last quarter alone.
 *
 * What a curve can't tell: orphaned is what is live and was taken by a module that is gone.
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
	GROWTH_ORPHANED, /* never of growth_pattern_of() */
	SHAPES,
} GrowthPattern;

/* @live: bytes (or anything) at GROWTH_STEPS + 1 times, the first and the last of the span. */
GrowthPattern growth_pattern_of(const gint64 *live);

/* "linear" and so on, as above. */
const char *growth_pattern_name(GrowthPattern shape);

/* The shape of this name; SHAPES if it is none. */
GrowthPattern growth_pattern_find(const char *name);

/* All names, with ", " between them. For g_free(). */
char *growth_pattern_names(void);

/*
 * The first of these times, by number from 0, that is not before @ns; the span goes from @from_ns
 * to @to_ns, which is later. GROWTH_STEPS + 1: all are before it.
 */
guint growth_pattern_step(gint64 ns, gint64 from_ns, gint64 to_ns);

#endif
