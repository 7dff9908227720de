// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cursor never reads beyond the end, and reads both byte orders correctly.
 */
#include <glib.h>

#include "trace/file/cursor.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

/* Whether @swap selects the byte order of a big-endian machine. */
static bool is_big(bool swap)
{
	return (G_BYTE_ORDER == G_BIG_ENDIAN) != swap;
}

static void check_numbers(bool swap)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, sizeof(bytes), swap);
	bool big = is_big(swap);

	g_assert_cmphex(trace_cursor_u8(&cursor), ==, 0x01);
	g_assert_cmphex(trace_cursor_u16(&cursor), ==, big ? 0x0203 : 0x0302);
	g_assert_cmphex(trace_cursor_u32(&cursor), ==, big ? 0x04050607 : 0x07060504);
	g_assert_cmphex(trace_cursor_u64(&cursor), ==,
			big ? 0x08090a0b0c0d0e0f : 0x0f0e0d0c0b0a0908);
	g_assert_false(cursor.overrun);
	g_assert_cmpuint(cursor.pos, ==, sizeof(bytes));
}

static void cursor_reads_unaligned_numbers_of_this_order(void)
{
	check_numbers(false);
}

static void cursor_reads_unaligned_numbers_of_the_other_order(void)
{
	check_numbers(true);
}

static void truncated_number_is_zero_and_sets_overrun(void)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, 7, false);

	g_assert_cmpuint(trace_cursor_u64(&cursor), ==, 0);
	g_assert_true(cursor.overrun);
	g_assert_cmpuint(cursor.pos, ==, 0);

	cursor = trace_cursor_init(bytes, 3, false);
	g_assert_cmpuint(trace_cursor_u32(&cursor), ==, 0);
	g_assert_true(cursor.overrun);

	cursor = trace_cursor_init(bytes, 1, false);
	g_assert_cmpuint(trace_cursor_u16(&cursor), ==, 0);
	g_assert_true(cursor.overrun);

	cursor = trace_cursor_init(bytes, 0, false);
	g_assert_cmpuint(trace_cursor_u8(&cursor), ==, 0);
	g_assert_true(cursor.overrun);
}

static void overrun_stays_set_after_a_read_that_fits(void)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, 2, false);

	trace_cursor_u32(&cursor);
	g_assert_cmphex(trace_cursor_u8(&cursor), ==, 1);
	g_assert_true(cursor.overrun);
}

static void length_that_would_wrap_is_refused(void)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, sizeof(bytes), false);

	trace_cursor_u32(&cursor);
	g_assert_null(trace_cursor_bytes(&cursor, SIZE_MAX));
	g_assert_null(trace_cursor_bytes(&cursor, SIZE_MAX - 3));
	g_assert_true(cursor.overrun);
	g_assert_cmpuint(cursor.pos, ==, 4);
}

static void cursor_gives_bytes_up_to_the_end(void)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, sizeof(bytes), false);

	g_assert_true(trace_cursor_bytes(&cursor, sizeof(bytes)) == bytes);
	g_assert_nonnull(trace_cursor_bytes(&cursor, 0));
	g_assert_false(cursor.overrun);
	g_assert_null(trace_cursor_bytes(&cursor, 1));
	g_assert_true(cursor.overrun);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/cursor/" #name, name)
	TEST(cursor_reads_unaligned_numbers_of_this_order);
	TEST(cursor_reads_unaligned_numbers_of_the_other_order);
	TEST(truncated_number_is_zero_and_sets_overrun);
	TEST(overrun_stays_set_after_a_read_that_fits);
	TEST(length_that_would_wrap_is_refused);
	TEST(cursor_gives_bytes_up_to_the_end);
	return g_test_run();
}
