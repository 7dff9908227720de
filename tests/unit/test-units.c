// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes and times in human-readable form. */
#include <glib.h>

#include "base/units.h"
#include "base/escape.h"

#define SECOND	G_GINT64_CONSTANT(1000000000)

static void expect(char *text, const char *expected)
{
	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void times_are_formatted_by_magnitude(void)
{
	expect(units_format_time(999), "999ns");
	expect(units_format_time(1500), "1.5us");
	expect(units_format_time(SECOND / 20), "50.0ms");
	expect(units_format_time(SECOND), "1.00s");
	expect(units_format_time(599 * SECOND), "599.00s");
	expect(units_format_time(725 * SECOND), "12m05s");
	expect(units_format_time(3600 * SECOND), "1h00m");
	expect(units_format_time((26 * 3600 + 7 * 60 + 59) * SECOND), "26h07m");
	expect(units_format_time(-1500), "-1.5us");
	expect(units_format_time(-725 * SECOND), "-12m05s");
	expect(units_format_time(G_MININT64), "-9223372036854775808ns");
}

/* No rounding down by a nanosecond. */
static void fractions_of_times_are_parsed_exactly(void)
{
	for (guint64 ms = 0; ms < 20000; ms++) {
		g_autofree char *text = g_strdup_printf("%u.%03us", (guint)(ms / 1000), (guint)(ms % 1000));
		GError *error = NULL;
		guint64 ns;

		g_assert_true(units_parse_time(text, &ns, &error));
		g_assert_no_error(error);
		g_assert_cmpuint(ns, ==, ms * 1000000);
	}
}

static void control_characters_are_escaped(void)
{
	static const char plain[] = "kworker/0:1 \xc3\xa9\xe6\xbc\xa2 %s\"'\\";

	g_assert_true(escape_is_plain(plain));
	expect(escape_text(plain), plain);
	g_assert_true(escape_is_plain(""));
	expect(escape_text(""), "");
	g_assert_false(escape_is_plain("a\n"));
	expect(escape_text("a\nb\x1b[0m\x7f\t"), "a\\012b\\033[0m\\177\\011");
	g_assert_false(escape_is_plain("\xc2\x9b"));
	expect(escape_text("\xc2\x9b" "1m\xc2\xa0"), "\\302\\2331m\xc2\xa0");
	expect(escape_text("a\xff\xe6\xbc" "b\xc2"), "a\\377\\346\\274b\\302");	/* no UTF-8 */
	expect(escape_text("\xe2\x80\xae" "a\xe2\x81\xa9"), "\\342\\200\\256a\\342\\201\\251");
	expect(escape_json("{\n\t\"\xc2\x9b\xe2\x80\xae\x7f\xc3\xa9\": 1}\n"),
	       "{\n\t\"\\u009b\\u202e\\u007f\xc3\xa9\": 1}\n");
	expect(escape_json("\"\xff\""), "\"\\ufffd\"");
}

static void ages_are_formatted_exactly(void)
{
	expect(units_format_age(0), "0ns");
	expect(units_format_age(17), "17ns");
	expect(units_format_age(2500), "2.5us");
	expect(units_format_age(SECOND / 20), "50ms");
	expect(units_format_age(SECOND), "1s");
	expect(units_format_age(90 * SECOND), "90s");
	expect(units_format_age(90 * 60 * SECOND), "90m");
	expect(units_format_age(3600 * SECOND), "1h");
	expect(units_format_age(48 * 3600 * SECOND), "48h");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/units/times_are_formatted_by_magnitude", times_are_formatted_by_magnitude);
	g_test_add_func("/units/ages_are_formatted_exactly", ages_are_formatted_exactly);
	g_test_add_func("/units/fractions_of_times_are_parsed_exactly", fractions_of_times_are_parsed_exactly);
	g_test_add_func("/visible/control_characters_are_escaped",
			control_characters_are_escaped);
	return g_test_run();
}
