// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/growth/growth_pattern.h"

#include <string.h>

#define FALL      4                                 /* a fall is at least 1/FALL of the range */
#define END_STEP  (GROWTH_STEPS - GROWTH_STEPS / 8) /* start of the last eighth */
#define LATE_STEP (GROWTH_STEPS - GROWTH_STEPS / 4)
#define ADDS      8 /* growth of less than 1/ADDS counts as none */

/* Returns the deepest fall that ends at step @first to @last; it may begin before. */
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

/* Classifies a curve without deep falls that ends higher than it begins. */
static GrowthPattern shape_of_growth(const gint64 *live)
{
	gint64 growth = live[GROWTH_STEPS] - live[0];
	guint begin = 0, quarter;
	gint64 last, before;

	if ((live[LATE_STEP] - live[0]) * ADDS < growth)
		return GROWTH_LATE;
	while (live[begin + 1] == live[0])
		begin++;
	quarter = MAX((GROWTH_STEPS - begin) / 4, 1);
	last = live[GROWTH_STEPS] - live[GROWTH_STEPS - quarter];
	before = live[GROWTH_STEPS - quarter] - live[GROWTH_STEPS - 2 * quarter];
	if (last * ADDS < growth)
		return GROWTH_PLATEAU;
	return before * ADDS < growth ? GROWTH_LATE : GROWTH_LINEAR;
}

GrowthPattern growth_pattern_of(const gint64 *live)
{
	gint64 low = live[0], high = live[0], end_fall;

	for (guint i = 1; i <= GROWTH_STEPS; i++) {
		low = MIN(low, live[i]);
		high = MAX(high, live[i]);
	}
	if (low == high)
		return GROWTH_STEADY;
	if (deepest_fall(live, 0, END_STEP) * FALL >= high - low)
		return GROWTH_SAWTOOTH;
	end_fall = deepest_fall(live, END_STEP + 1, GROWTH_STEPS);
	if (end_fall * FALL >= 3 * (high - low))
		return GROWTH_FREED_AT_END;
	if (end_fall * FALL >= high - low)
		return GROWTH_SAWTOOTH;
	return shape_of_growth(live);
}

const char *growth_pattern_name(GrowthPattern shape)
{
	static const char *const names[] = {
		[GROWTH_STEADY] = "steady",
		[GROWTH_LINEAR] = "linear",
		[GROWTH_PLATEAU] = "plateau",
		[GROWTH_SAWTOOTH] = "sawtooth",
		[GROWTH_FREED_AT_END] = "freed_at_end",
		[GROWTH_LATE] = "late",
		[GROWTH_ORPHANED] = "orphaned",
	};

	return names[shape];
}

const char *growth_pattern_legend(GrowthPattern shape)
{
	static const char *const legends[] = {
		[GROWTH_STEADY] = "did not change",
		[GROWTH_LINEAR] = "grew to the end, as a leak does",
		[GROWTH_PLATEAU] = "grew, then hardly: a full cache, or a leak whose cause paused",
		[GROWTH_SAWTOOTH] = "rose and fell: partly freed, at least once",
		[GROWTH_FREED_AT_END] = "grew, and was mostly freed near the end",
		[GROWTH_LATE] = "grew again, or only, in the last quarter: too early to judge",
		[GROWTH_ORPHANED] = "allocated by a module that was unloaded",
	};

	return legends[shape];
}

GrowthPattern growth_pattern_find(const char *name)
{
	GrowthPattern shape = 0;

	while (shape < SHAPES && strcmp(growth_pattern_name(shape), name) != 0)
		shape++;
	return shape;
}

char *growth_pattern_names(void)
{
	GString *names = g_string_new(growth_pattern_name(0));

	for (GrowthPattern shape = 1; shape < SHAPES; shape++)
		g_string_append_printf(names, ", %s", growth_pattern_name(shape));
	return g_string_free(names, FALSE);
}

guint growth_pattern_step(gint64 ns, gint64 from_ns, gint64 to_ns)
{
	gint64 span = to_ns - from_ns;

	if (ns <= from_ns)
		return 0;
	if (ns > to_ns)
		return GROWTH_STEPS + 1;
	/* Exact unless that would overflow, with a span of years; then nearly so. */
	if (span > G_MAXINT64 / (GROWTH_STEPS + 1))
		return MIN((guint)((ns - from_ns - 1) / (span / GROWTH_STEPS)) + 1, GROWTH_STEPS);
	return (guint)(((ns - from_ns) * GROWTH_STEPS + span - 1) / span);
}
