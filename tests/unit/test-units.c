// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes and times as people read them, and whose a file is. */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/owner.h"
#include "base/units.h"
#include "base/visible.h"

#define SECOND	G_GINT64_CONSTANT(1000000000)

static void expect(char *text, const char *expected)
{
	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void units_counts_hours_in_seconds(void)
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

/* No fraction that people write is a nanosecond less than it says. */
static void units_parses_fractions_exactly(void)
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

static void visible_escapes_control_characters(void)
{
	static const char plain[] = "kworker/0:1 \xc3\xa9\xe6\xbc\xa2 %s\"'\\\xff";

	g_assert_true(visible_is(plain));
	expect(visible_text(plain), plain);
	g_assert_true(visible_is(""));
	expect(visible_text(""), "");
	g_assert_false(visible_is("a\n"));
	expect(visible_text("a\nb\x1b[0m\x7f\t"), "a\\012b\\033[0m\\177\\011");
	g_assert_false(visible_is("\xc2\x9b"));
	expect(visible_text("\xc2\x9b" "1m\xc2\xa0\xc2"), "\\302\\2331m\xc2\xa0\xc2");
}

static void units_rounds_what_was_asked(void)
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

/* ---- whose a file is ---- */

#define MAGIC		"magic"
#define USER		54321
#define GROUP		54322

typedef struct {
	char *dir, *path;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	(void)unused;
	f->dir = g_dir_make_tmp("kmemtrace-owner-XXXXXX", NULL);
	f->path = g_build_filename(f->dir, "t.kmt", NULL);
	g_setenv("SUDO_UID", G_STRINGIFY(USER), TRUE);
	g_setenv("SUDO_GID", G_STRINGIFY(GROUP), TRUE);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	(void)unused;
	g_unsetenv("SUDO_UID");
	g_unsetenv("SUDO_GID");
	g_unlink(f->path);
	g_rmdir(f->dir);
	g_free(f->path);
	g_free(f->dir);
}

static gboolean is_root(void)
{
	if (geteuid() == 0)
		return TRUE;
	g_test_skip("only root can give a file away");
	return FALSE;
}

static void write_file(const char *path, const char *text)
{
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static guint owner_of(const char *path)
{
	struct stat st;

	g_assert_cmpint(lstat(path, &st), ==, 0);
	g_assert_cmpint(st.st_gid, ==, st.st_uid == USER ? GROUP : 0);
	return st.st_uid;
}

static void owner_keeps_file(Fixture *f, gconstpointer unused)
{
	Owner owner = { NULL };

	(void)unused;
	if (!is_root())
		return;
	owner_begin(&owner, f->path, FALSE);
	write_file(f->path, MAGIC " and more");
	owner_end(&owner, MAGIC, strlen(MAGIC));
	g_assert_cmpuint(owner_of(f->path), ==, USER);
	g_assert_null(owner.path);
	owner_end(&owner, MAGIC, strlen(MAGIC));
}

static void owner_gives_older_file(Fixture *f, gconstpointer unused)
{
	Owner owner = { NULL };

	(void)unused;
	if (!is_root())
		return;
	write_file(f->path, MAGIC);
	owner_begin(&owner, f->path, FALSE);
	owner_end(&owner, MAGIC, strlen(MAGIC));
	g_assert_cmpuint(owner_of(f->path), ==, 0);
	owner_begin(&owner, f->path, TRUE);
	write_file(f->path, MAGIC);
	owner_end(&owner, MAGIC, strlen(MAGIC));
	g_assert_cmpuint(owner_of(f->path), ==, USER);
}

/* What somebody has put in its place meanwhile. */
static void owner_gives_other_file(Fixture *f, gconstpointer unused)
{
	g_autofree char *other = g_build_filename(f->dir, "other", NULL);
	Owner owner = { NULL };

	(void)unused;
	if (!is_root())
		return;
	write_file(other, MAGIC);
	owner_begin(&owner, f->path, FALSE);
	g_assert_cmpint(symlink(other, f->path), ==, 0);
	owner_end(&owner, MAGIC, strlen(MAGIC));
	g_assert_cmpuint(owner_of(other), ==, 0);
	g_unlink(f->path);
	owner_begin(&owner, f->path, FALSE);
	g_assert_cmpint(link(other, f->path), ==, 0);
	owner_end(&owner, MAGIC, strlen(MAGIC));
	g_assert_cmpuint(owner_of(other), ==, 0);
	g_unlink(f->path);
	owner_begin(&owner, f->path, FALSE);
	write_file(f->path, "other");
	owner_end(&owner, MAGIC, strlen(MAGIC));
	g_assert_cmpuint(owner_of(f->path), ==, 0);
	g_unlink(other);
}

static void owner_gives_open_file(Fixture *f, gconstpointer unused)
{
	int fd;

	(void)unused;
	if (!is_root())
		return;
	write_file(f->path, "");
	fd = open(f->path, O_RDONLY | O_CLOEXEC);
	owner_give(fd);
	g_assert_cmpuint(owner_of(f->path), ==, USER);
	g_unsetenv("SUDO_GID");
	g_assert_cmpint(fchown(fd, 0, 0), ==, 0);
	owner_give(fd);
	g_assert_cmpuint(owner_of(f->path), ==, 0);
	close(fd);
}

static void owner_gives_without_sudo(Fixture *f, gconstpointer unused)
{
	static const char *const wrong[] = { NULL, "", "0", "-1", "12x", "4294967295" };
	Owner owner = { NULL };

	(void)unused;
	if (!is_root())
		return;
	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		if (wrong[i])
			g_setenv("SUDO_UID", wrong[i], TRUE);
		else
			g_unsetenv("SUDO_UID");
		owner_begin(&owner, f->path, FALSE);
		write_file(f->path, MAGIC);
		owner_end(&owner, MAGIC, strlen(MAGIC));
		g_assert_cmpuint(owner_of(f->path), ==, 0);
		g_unlink(f->path);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/owner/" #test, Fixture, NULL, setup, test, teardown)
	g_test_add_func("/units/units_counts_hours_in_seconds", units_counts_hours_in_seconds);
	g_test_add_func("/units/units_rounds_what_was_asked", units_rounds_what_was_asked);
	g_test_add_func("/units/units_parses_fractions_exactly", units_parses_fractions_exactly);
	g_test_add_func("/visible/visible_escapes_control_characters",
			visible_escapes_control_characters);
	ADD(owner_keeps_file);
	ADD(owner_gives_older_file);
	ADD(owner_gives_other_file);
	ADD(owner_gives_open_file);
	ADD(owner_gives_without_sudo);
	return g_test_run();
}
