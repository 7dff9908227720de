// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of parts, which of them are free, and which parts of an earlier recording stay. */
#include <glib.h>
#include <glib/gstdio.h>

#include "capture/recording/parts.h"

static void part_number_precedes_the_suffix(void)
{
	static const char *const names[][2] = {
		{ "x.kmt", "x.7.kmt" }, { "x", "x.7" }, { "a.kmt/x", "a.kmt/x.7" },
		{ "x.kmt.old", "x.kmt.old.7" }, { "%s.kmt", "%s.7.kmt" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = parts_path(names[i][0], 7);

		g_assert_cmpstr(path, ==, names[i][1]);
	}
}

/* Only those that a recording could have made, and that follow its own parts. */
static void parts_of_an_earlier_recording_are_found(void)
{
	static const char *const names[] = {
		"x.1.kmt", "x.3.kmt", "x.12.kmt", "x.4.kmt", "x.05.kmt", "x.6.kmt.part", "x.7",
		"y.8.kmt",
		"x.-1.kmt", "x..kmt", "x.99999999999.kmt", "x.18446744073709551617.kmt", "x.kmt",
	};
	g_autofree char *dir = g_dir_make_tmp("kmt-parts-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "x.kmt", NULL);
	g_autofree char *other = g_build_filename(dir, "none", "x.kmt", NULL);
	guint first;

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *file = g_build_filename(dir, names[i], NULL);

		g_assert_true(g_file_set_contents(file, "", 0, NULL));
	}
	g_assert_cmpuint(parts_after(path, 3, &first), ==, 2);
	g_assert_cmpuint(first, ==, 4);
	g_assert_cmpuint(parts_after(path, 0, &first), ==, 4);
	g_assert_cmpuint(first, ==, 1);
	g_assert_cmpuint(parts_after(path, 12, &first), ==, 0);
	g_assert_cmpuint(parts_after(other, 0, &first), ==, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *file = g_build_filename(dir, names[i], NULL);

		g_unlink(file);
	}
	g_rmdir(dir);
}

/* A folder can't be replaced, so its name is taken. */
static void taken_names_are_skipped(void)
{
	static const char *const taken[] = { "x.2.kmt", "x.3.kmt.part" };
	g_autofree char *dir = g_dir_make_tmp("kmt-parts-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "x.kmt", NULL);
	g_autofree char *whole = g_build_filename(dir, "x.3.kmt", NULL);
	g_autofree char *unfinished = g_build_filename(dir, "x.4.kmt.part", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(taken); i++) {
		g_autofree char *folder = g_build_filename(dir, taken[i], NULL);

		g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
	}
	g_assert_cmpuint(parts_reserve(path, 1, FALSE), ==, 3);
	g_assert_true(g_file_test(whole, G_FILE_TEST_IS_REGULAR));
	g_assert_cmpuint(parts_reserve(path, 1, TRUE), ==, 4);
	g_assert_true(g_file_test(unfinished, G_FILE_TEST_IS_REGULAR));
	g_unlink(whole);
	g_unlink(unfinished);
	for (gsize i = 0; i < G_N_ELEMENTS(taken); i++) {
		g_autofree char *folder = g_build_filename(dir, taken[i], NULL);

		g_rmdir(folder);
	}
	g_rmdir(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/parts/" #name, name)
	TEST(part_number_precedes_the_suffix);
	TEST(parts_of_an_earlier_recording_are_found);
	TEST(taken_names_are_skipped);
	return g_test_run();
}
