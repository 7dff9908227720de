// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/shape.h"

#include <string.h>

#define FALL		4	/* a fall is 1/FALL of the range or more */
#define END_STEP	(SHAPE_STEPS - SHAPE_STEPS / 8)	/* the last eighth begins */
#define LATE_STEP	(SHAPE_STEPS - SHAPE_STEPS / 4)
#define ADDS		8	/* 1/ADDS of the growth: less than that is none */

/* The deepest fall that ends at step @first to @last; it may begin before. */
static gint64 deepest_fall(const gint64 *live, guint first, guint last)
{
	gint64 top = live[0], deepest = 0;

	for (guint i = 0; i <= last; i++) {
		top = MAX(top, live[i]);
		if (i >= first)
			deepest = MAX(deepest, top - live[i]);
	}
	return deepest;
}

/* Of something that never falls by much, and is more in the end. */
static Shape shape_of_growth(const gint64 *live)
{
	gint64 growth = live[SHAPE_STEPS] - live[0];
	guint begin = 0, quarter;
	gint64 last, before;

	if ((live[LATE_STEP] - live[0]) * ADDS < growth)
		return SHAPE_LATE;
	while (live[begin + 1] == live[0])
		begin++;
	quarter = MAX((SHAPE_STEPS - begin) / 4, 1);
	last = live[SHAPE_STEPS] - live[SHAPE_STEPS - quarter];
	before = live[SHAPE_STEPS - quarter] - live[SHAPE_STEPS - 2 * quarter];
	if (last * ADDS < growth)
		return SHAPE_PLATEAU;
	return before * ADDS < growth ? SHAPE_LATE : SHAPE_LINEAR;
}

Shape shape_of(const gint64 *live)
{
	gint64 low = live[0], high = live[0], end_fall;

	for (guint i = 1; i <= SHAPE_STEPS; i++) {
		low = MIN(low, live[i]);
		high = MAX(high, live[i]);
	}
	if (low == high)
		return SHAPE_STEADY;
	if (deepest_fall(live, 0, END_STEP) * FALL >= high - low)
		return SHAPE_SAWTOOTH;
	end_fall = deepest_fall(live, END_STEP + 1, SHAPE_STEPS);
	if (end_fall * FALL >= 3 * (high - low))
		return SHAPE_FREED_AT_END;
	if (end_fall * FALL >= high - low)
		return SHAPE_SAWTOOTH;
	return shape_of_growth(live);
}

const char *shape_name(Shape shape)
{
	static const char *const names[] = {
		[SHAPE_STEADY] = "steady",	[SHAPE_LINEAR] = "linear",
		[SHAPE_PLATEAU] = "plateau",	[SHAPE_SAWTOOTH] = "sawtooth",
		[SHAPE_FREED_AT_END] = "freed_at_end",
		[SHAPE_LATE] = "late",		[SHAPE_ORPHANED] = "orphaned",
	};

	return names[shape];
}

Shape shape_find(const char *name)
{
	Shape shape = 0;

	while (shape < SHAPES && strcmp(shape_name(shape), name) != 0)
		shape++;
	return shape;
}

char *shape_names(void)
{
	GString *names = g_string_new(shape_name(0));

	for (Shape shape = 1; shape < SHAPES; shape++)
		g_string_append_printf(names, ", %s", shape_name(shape));
	return g_string_free(names, FALSE);
}

guint shape_step(gint64 ns, gint64 from_ns, gint64 to_ns)
{
	gint64 span = to_ns - from_ns;

	if (ns <= from_ns)
		return 0;
	if (ns > to_ns)
		return SHAPE_STEPS + 1;
	/* Where that can't overflow exactly, else nearly: such a span has years. */
	if (span > G_MAXINT64 / (SHAPE_STEPS + 1))
		return MIN((guint)((ns - from_ns - 1) / (span / SHAPE_STEPS)) + 1, SHAPE_STEPS);
	return (guint)(((ns - from_ns) * SHAPE_STEPS + span - 1) / span);
}
