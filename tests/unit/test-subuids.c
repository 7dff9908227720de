// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose subordinate uids there are. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/subuids.h"

static GArray *read_texts(const char *subuid, const char *passwd)
{
	g_autofree char *folder = g_dir_make_tmp("kmt-subuids-XXXXXX", NULL);
	g_autofree char *subuids = g_build_filename(folder, "subuid", NULL);
	g_autofree char *users = g_build_filename(folder, "passwd", NULL);
	GArray *ranges;

	g_assert_true(!subuid || g_file_set_contents(subuids, subuid, -1, NULL));
	g_assert_true(!passwd || g_file_set_contents(users, passwd, -1, NULL));
	ranges = subuids_read(folder);
	g_unlink(subuids);
	g_unlink(users);
	g_rmdir(folder);
	return ranges;
}

static const char users[] = "root:x:0:0:root:/:/bin/sh\n"
			    "ann:x:1000:1000::/:/bin/sh\n"
			    "bob:x:1001:1001::/:/bin/sh\n";

static void uids_belong_to_their_users(void)
{
	g_autoptr(GArray) ranges = read_texts("bob:165536:65536\nann:100000:65536\n1002:300000:10\n"
					      "carl:400000:5\nann:500000:1\n",
					      users);
	static const guint32 owners[][2] = {
		{ 0, 0 }, { 1000, 1000 }, { 99999, 99999 }, { 100000, 1000 }, { 165535, 1000 },
		{ 165536, 1001 }, { 231071, 1001 }, { 231072, 231072 }, { 300009, 1002 },
		{ 300010, 300010 }, { 400000, 400000 }, { 400004, 400000 }, { 500000, 1000 },
		{ G_MAXUINT32, G_MAXUINT32 },
	};

	g_assert_cmpuint(ranges->len, ==, 5);
	for (gsize i = 0; i < G_N_ELEMENTS(owners); i++)
		g_assert_cmpuint(subuids_owner(ranges, owners[i][0]), ==, owners[i][1]);
}

/* Root has no limits, so what it may map counts as before. */
static void other_lines_are_left_out(void)
{
	static const char *const texts[] = {
		NULL, "", "\n\n", "# a comment\n", "root:100000:65536\n", "0:100000:65536\n",
		"ann\n", "ann:\n", "ann:1\n", "ann:x:1\n", "ann:-1:1\n", "ann:100000:\n",
		"ann:100000:0\n", "ann:0:10\n", "ann:4294967295:2\n", "ann:4294967296:1\n",
		"ann:1:4294967296\n", "ann:100000:1:2\n", "ann:99999999999999999999:1\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GArray) ranges = read_texts(texts[i], users);

		g_assert_cmpuint(ranges->len, ==, 0);
	}
}

static void unknown_users_have_their_first_uid(void)
{
	g_autoptr(GArray) ranges = read_texts("ann:100000:65536", NULL);

	g_assert_cmpuint(subuids_owner(ranges, 100001), ==, 100000);
}

static void last_line_joins_the_rest(void)
{
	g_autoptr(GArray) ranges = read_texts("ann:100:10\nbob:200:10\nbob:300:10\n", users);
	g_autofree char *all = subuids_to_text(ranges, 3);
	g_autofree char *two = subuids_to_text(ranges, 2);

	g_assert_cmpstr(all, ==, "100 109 1000\n200 209 1001\n300 309 1001\n");
	g_assert_cmpstr(two, ==, "100 109 1000\n200 309 1001\n");
}

static void text_is_read_again(void)
{
	static const char text[] = "100 109 1000\n200 209 1001\n";
	static const char *const bad[] = {
		"x", "1", "1 2", "1 2 x", "1 2 3 4", "1 2 3x", "2 1 3", "1 2 0", "1 2 3\n1 2\n",
	};
	g_autoptr(GArray) ranges = subuids_from_text(text), none = subuids_from_text("\n");
	g_autofree char *again = subuids_to_text(ranges, 64);

	g_assert_cmpstr(again, ==, text);
	g_assert_cmpuint(none->len, ==, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_null(subuids_from_text(bad[i]));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/subuids/" #name, name)
	TEST(uids_belong_to_their_users);
	TEST(other_lines_are_left_out);
	TEST(unknown_users_have_their_first_uid);
	TEST(last_line_joins_the_rest);
	TEST(text_is_read_again);
	return g_test_run();
}
