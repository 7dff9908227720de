// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts in terminal columns: their width, shortening in the middle, and folding. */
#include <glib.h>
#include <locale.h>
#include <string.h>

#include "base/text_width.h"

static void wide_and_combining_characters_count_as_drawn(void)
{
	g_assert_cmpuint(text_width(""), ==, 0);
	g_assert_cmpuint(text_width("kmalloc"), ==, 7);
	g_assert_cmpuint(text_width("é…│"), ==, 3);
	g_assert_cmpuint(text_width("漢字"), ==, 4);
	g_assert_cmpuint(text_width("e\xcc\x81"), ==, 1);
	g_assert_cmpuint(text_width("a\xff" "b"), ==, 3);
	g_assert_cmpuint(text_width("\033[1;31mred\033[m"), ==, 3);
}

static void expect_short(const char *text, gsize width, const char *expected)
{
	g_autofree char *got = text_shorten(text, width);

	g_assert_cmpstr(got, ==, expected);
	g_assert_cmpuint(text_width(got), <=, width);
}

static void names_keep_both_ends(void)
{
	expect_short("kmalloc", 7, "kmalloc");
	expect_short("radix_tree_node_alloc", 11, "radix…alloc");
	expect_short("radix_tree_node_alloc", 10, "radix…lloc");
	expect_short("漢字漢字漢字", 7, "漢…字");
	expect_short("kmalloc", 1, "k");
	expect_short("漢", 1, "");
}

static void expect_fold(const char *line, gsize width, const char *expected)
{
	g_autoptr(GString) got = g_string_new(NULL);

	text_fold(line, strlen(line), width, got);
	g_assert_cmpstr(got->str, ==, expected);
}

static void lines_are_folded_at_spaces(void)
{
	expect_fold("short", 10, "short\n");
	expect_fold("", 10, "\n");
	expect_fold("any length at all", 0, "any length at all\n");
	expect_fold("one two three four five six", 16, "one two three\n    four five\n    six\n");
	expect_fold("(one two three four)", 12, "(one two\n three four)\n");
	expect_fold("--from=A  one two three", 20, "--from=A  one two\n          three\n");
	expect_fold("\033[1mone two\033[m three", 10, "\033[1mone two\033[m\n    three\n");
}

/* Nothing is lost, and no line is wider, for any width and any text. */
static void any_line_fits_any_width(void)
{
	static const char *const parts[] = { "a", " ", "  ", "abcdefghij", "漢", "\xff", "(", "\033[1m", "e\xcc\x81" };

	for (guint round = 0; round < 5000; round++) {
		g_autoptr(GString) line = g_string_new(NULL), folded = g_string_new(NULL);
		gsize width = g_random_int_range(2, 30);
		g_auto(GStrv) lines = NULL;

		for (guint i = g_random_int_range(0, 20); i > 0; i--)
			g_string_append(line, parts[g_random_int_range(0, G_N_ELEMENTS(parts))]);
		text_fold(line->str, line->len, width, folded);
		lines = g_strsplit(folded->str, "\n", -1);
		for (guint i = 0; lines[i]; i++)
			g_assert_cmpuint(text_width(lines[i]), <=, width);
		g_strdelimit(folded->str, "\n", ' ');
		for (char *from = line->str, *in = folded->str; *from; from++) {
			if (*from == ' ')
				continue;
			in += strspn(in, " ");
			g_assert_cmpint(*in++, ==, *from);
		}
	}
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "C.UTF-8");
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/text-width/width", wide_and_combining_characters_count_as_drawn);
	g_test_add_func("/text-width/shorten", names_keep_both_ends);
	g_test_add_func("/text-width/fold", lines_are_folded_at_spaces);
	g_test_add_func("/text-width/any", any_line_fits_any_width);
	return g_test_run();
}
