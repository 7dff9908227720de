// SPDX-License-Identifier: GPL-2.0-or-later
/* Growth patterns of curves with known patterns. */
#include <glib.h>

#include "analysis/growth/growth_pattern.h"

typedef gint64 Curve[GROWTH_STEPS + 1];

static void expect_at(const gint64 *curve, GrowthPattern shape, int line)
{
	if (growth_pattern_of(curve) != shape)
		g_error("line %d: %s, expected %s", line, growth_pattern_name(growth_pattern_of(curve)),
			growth_pattern_name(shape));
}

#define expect(curve, shape) expect_at(curve, shape, __LINE__)

/* Starts at @first and grows by @step each time. */
static void ramp(gint64 *curve, guint first, guint last, gint64 step)
{
	for (guint i = 1; i <= GROWTH_STEPS; i++)
		curve[i] = curve[i - 1] + (i >= first && i <= last ? step : 0);
}

static void constant_is_steady(void)
{
	Curve curve = { 0 };

	expect(curve, GROWTH_STEADY);
	for (guint i = 0; i <= GROWTH_STEPS; i++)
		curve[i] = 4096;
	expect(curve, GROWTH_STEADY);
}

static void leak_is_linear(void)
{
	Curve curve = { 0 };

	ramp(curve, 1, GROWTH_STEPS, 100);
	expect(curve, GROWTH_LINEAR);
	curve[0] = 1000000;	/* on top of much memory that stays */
	ramp(curve, 1, GROWTH_STEPS, 1);
	expect(curve, GROWTH_LINEAR);
	curve[0] = 0;
	ramp(curve, 17, GROWTH_STEPS, 100);	/* it begins in the middle */
	expect(curve, GROWTH_LINEAR);
	for (guint i = 0; i <= GROWTH_STEPS; i++)	/* faster and faster */
		curve[i] = (gint64)i * i;
	expect(curve, GROWTH_LINEAR);
	for (guint i = 0; i <= GROWTH_STEPS; i++)	/* teeth small relative to live bytes */
		curve[i] = i / 8 * 400 + i % 8 * 100;
	expect(curve, GROWTH_LINEAR);
	for (guint i = 0; i <= GROWTH_STEPS; i++)	/* a little of it is freed */
		curve[i] = 100 * (gint64)i - (i % 2 ? 250 : 0);
	expect(curve, GROWTH_LINEAR);
}

/* A leak of one object now and then: steps count as a line. */
static void slow_leak_is_linear(void)
{
	Curve curve = { 0 };

	for (guint i = 0; i <= GROWTH_STEPS; i++)
		curve[i] = i / 4;
	expect(curve, GROWTH_LINEAR);
}

static void cache_is_plateau(void)
{
	Curve curve = { 0 };

	ramp(curve, 1, 16, 100);
	expect(curve, GROWTH_PLATEAU);
	ramp(curve, 1, 24, 100);
	expect(curve, GROWTH_PLATEAU);
	ramp(curve, 10, 10, 100);	/* once */
	expect(curve, GROWTH_PLATEAU);
	for (guint i = 1; i <= GROWTH_STEPS; i++)	/* full, with some allocations and frees */
		curve[i] = 1000 + (i % 2 ? 100 : 0);
	expect(curve, GROWTH_PLATEAU);
}

static void partly_freed_is_sawtooth(void)
{
	Curve curve = { 0 };

	for (guint i = 0; i <= GROWTH_STEPS; i++)
		curve[i] = i % 8 * 100;
	expect(curve, GROWTH_SAWTOOTH);
	for (guint i = 0; i <= GROWTH_STEPS; i++)	/* a quarter of each tooth stays */
		curve[i] = i / 8 * 200 + i % 8 * 100;
	expect(curve, GROWTH_SAWTOOTH);
	for (guint i = 0; i <= GROWTH_STEPS; i++)	/* once, in the middle, a quarter */
		curve[i] = i < 16 ? 400 : 300;
	expect(curve, GROWTH_SAWTOOTH);
	for (guint i = 0; i <= GROWTH_STEPS; i++)	/* at the end, but only half of it */
		curve[i] = i < 30 ? 400 : 200;
	curve[0] = 0;
	expect(curve, GROWTH_SAWTOOTH);
}

static void freed_at_the_end_has_its_own_pattern(void)
{
	Curve curve = { 0 };

	ramp(curve, 1, 30, 100);
	curve[31] = 200;
	curve[32] = 100;
	expect(curve, GROWTH_FREED_AT_END);
	curve[32] = 0;
	expect(curve, GROWTH_FREED_AT_END);
	curve[31] = curve[32] = 750;	/* exactly three quarters */
	expect(curve, GROWTH_FREED_AT_END);
	curve[31] = curve[32] = 751;
	expect(curve, GROWTH_SAWTOOTH);
	ramp(curve, 1, 28, 100);
	for (guint i = 29; i <= GROWTH_STEPS; i++)	/* with the last eighth */
		curve[i] = 10;
	expect(curve, GROWTH_FREED_AT_END);
	curve[28] = 10;	/* a step earlier */
	expect(curve, GROWTH_SAWTOOTH);
}

static void young_is_late(void)
{
	Curve curve = { 0 };

	ramp(curve, 26, GROWTH_STEPS, 100);
	expect(curve, GROWTH_LATE);
	ramp(curve, GROWTH_STEPS, GROWTH_STEPS, 100);
	expect(curve, GROWTH_LATE);
	ramp(curve, 1, 1, 100);	/* a third at the start, the rest at the end */
	curve[31] = 100;
	curve[32] = 300;
	expect(curve, GROWTH_LATE);
}

static void step_of_time_is_rounded_up(void)
{
	g_assert_cmpuint(growth_pattern_step(-5, 0, 320), ==, 0);
	g_assert_cmpuint(growth_pattern_step(0, 0, 320), ==, 0);
	g_assert_cmpuint(growth_pattern_step(1, 0, 320), ==, 1);
	g_assert_cmpuint(growth_pattern_step(10, 0, 320), ==, 1);
	g_assert_cmpuint(growth_pattern_step(11, 0, 320), ==, 2);
	g_assert_cmpuint(growth_pattern_step(320, 0, 320), ==, GROWTH_STEPS);
	g_assert_cmpuint(growth_pattern_step(321, 0, 320), ==, GROWTH_STEPS + 1);
	g_assert_cmpuint(growth_pattern_step(G_MAXINT64, 0, 320), ==, GROWTH_STEPS + 1);
	g_assert_cmpuint(growth_pattern_step(1000, 1000, 1001), ==, 0);
	g_assert_cmpuint(growth_pattern_step(1001, 1000, 1001), ==, GROWTH_STEPS);
	g_assert_cmpuint(growth_pattern_step(G_MAXINT64 - 1, 0, G_MAXINT64 - 1), ==, GROWTH_STEPS);
	g_assert_cmpuint(growth_pattern_step(1, 0, G_MAXINT64 - 1), ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/shape/constant_is_steady", constant_is_steady);
	g_test_add_func("/shape/leak_is_linear", leak_is_linear);
	g_test_add_func("/shape/slow_leak_is_linear", slow_leak_is_linear);
	g_test_add_func("/shape/cache_is_plateau", cache_is_plateau);
	g_test_add_func("/shape/partly_freed_is_sawtooth", partly_freed_is_sawtooth);
	g_test_add_func("/shape/freed_at_the_end_has_its_own_pattern", freed_at_the_end_has_its_own_pattern);
	g_test_add_func("/shape/young_is_late", young_is_late);
	g_test_add_func("/shape/step_of_time_is_rounded_up", step_of_time_is_rounded_up);
	return g_test_run();
}
