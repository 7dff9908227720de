// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes that a recording asks of the tracer: whether they fit, and that they are put back. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "capture/room.h"
#include "capture/settings.h"

#define GIB	(G_GUINT64_CONSTANT(1) << 30)

/* ---- control files, as plain ones ---- */

static const char *const names[] = { "subbuf_size", "subbufs", "stack_bytes", "stack_depth" };

typedef struct {
	char *dir;
	Control *control;
} Fixture;

static void put(Fixture *f, const char *name, const char *value)
{
	g_autofree char *path = g_build_filename(f->dir, name, NULL);

	g_assert_true(g_file_set_contents(path, value, -1, NULL));
}

/* What was written last: a plain file may have the rest of an older text behind it. */
static void expect(Fixture *f, const char *name, guint64 expected)
{
	guint64 value = 0;

	g_assert_true(control_get(f->control, name, &value, NULL));
	g_assert_cmpuint(value, ==, expected);
}

static void setup(Fixture *f, gconstpointer unused)
{
	static const char *const values[] = { "131072\n", "32\n", "8388608\n", "16\n" };

	(void)unused;
	f->dir = g_dir_make_tmp("kmemtrace-settings-XXXXXX", NULL);
	f->control = control_new(f->dir);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		put(f, names[i], values[i]);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	(void)unused;
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(f->dir, names[i], NULL);

		g_unlink(path);
	}
	control_close(f->control);
	g_rmdir(f->dir);
	g_free(f->dir);
}

static void settings_keep_sizes(Fixture *f, gconstpointer unused)
{
	Settings before = { 0 };
	const Settings asked = { .buffer_bytes = 8192, .stack_depth = 0, .stack_bytes = 65536 };
	GError *error = NULL;

	(void)unused;
	g_assert_true(settings_read_sizes(f->control, &before, &error));
	g_assert_no_error(error);
	g_assert_true(settings_set_sizes(f->control, &asked, &error));
	g_assert_no_error(error);
	expect(f, "subbuf_size", 4096);
	expect(f, "subbufs", 2);
	expect(f, "stack_depth", 0);
	expect(f, "stack_bytes", 65536);
	g_assert_true(settings_set_sizes(f->control, &before, &error));
	g_assert_no_error(error);
	expect(f, "subbuf_size", 131072);
	expect(f, "subbufs", 32);
	expect(f, "stack_depth", 16);
	expect(f, "stack_bytes", 8388608);
}

static void settings_read_what_is_not_there(Fixture *f, gconstpointer unused)
{
	g_autofree char *path = g_build_filename(f->dir, "stack_bytes", NULL);
	g_autoptr(GError) error = NULL;
	Settings before = { 0 };

	(void)unused;
	g_unlink(path);
	g_assert_false(settings_read_sizes(f->control, &before, &error));
	g_assert_nonnull(strstr(error->message, path));
}

/* ---- room ---- */

static void expect_refusal(const Settings *settings, const char *expected)
{
	const Room room = { .cpus = 4, .total = 8 * GIB, .available = 3 * GIB };
	g_autofree char *refusal = room_refusal(&room, settings);

	g_assert_cmpstr(refusal, ==, expected);
}

static void room_takes_too_much(Fixture *f, gconstpointer unused)
{
	(void)f;
	(void)unused;
	expect_refusal(&(Settings){ .buffer_bytes = 100 * GIB },
		       "a buffer for each CPU is too large: 100.0G, the limit is 1.0G; 3.0G of "
		       "this machine's 8.0G of memory are free");
	expect_refusal(&(Settings){ .subbufs = 65536, .subbuf_size = 1 << 20 },
		       "a buffer for each CPU is too large: 64.0G, the limit is 1.0G; 3.0G of "
		       "this machine's 8.0G of memory are free");
	expect_refusal(&(Settings){ .stack_bytes = 2 * GIB },
		       "a table of stacks is too large: 2.0G, the limit is 1.0G; 3.0G of "
		       "this machine's 8.0G of memory are free");
	expect_refusal(&(Settings){ .buffer_bytes = GIB },
		       "there is no room for 4.0G (buffers of 1.0G for each of 4 CPUs, and stacks): "
		       "3.0G of this machine's 8.0G of memory are free");
}

static void room_refuses_what_fits(Fixture *f, gconstpointer unused)
{
	const Room unknown = { .cpus = 64 };
	const Settings large = { .buffer_bytes = GIB, .stack_bytes = GIB };

	(void)f;
	(void)unused;
	expect_refusal(&(Settings){ 0 }, NULL);
	expect_refusal(&(Settings){ .subbufs = 65536 }, NULL);
	expect_refusal(&(Settings){ .buffer_bytes = GIB / 2, .stack_bytes = GIB }, NULL);
	g_assert_null(room_refusal(&unknown, &large));
}

static void room_misses_memory(Fixture *f, gconstpointer unused)
{
	Room room = room_read();

	(void)f;
	(void)unused;
	g_assert_cmpuint(room.cpus, >=, 1);
	g_assert_cmpuint(room.available, >, 0);
	g_assert_cmpuint(room.total, >=, room.available);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/settings/" #test, Fixture, NULL, setup, test, teardown)
	ADD(settings_keep_sizes);
	ADD(settings_read_what_is_not_there);
	ADD(room_takes_too_much);
	ADD(room_refuses_what_fits);
	ADD(room_misses_memory);
	return g_test_run();
}
