// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracer's sizes for a recording: their limits, and restoring the old ones. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "capture/tracer/memory_check.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/settings.h"

#define GIB	(G_GUINT64_CONSTANT(1) << 30)

/* ---- control files, simulated by plain files ---- */

static const char *const names[] = {
	"subbuf_size", "subbufs", "stack_bytes", "stack_depth", "events", "paths",
};

typedef struct {
	char *dir;
	Control *control;
} Fixture;

static void put(Fixture *f, const char *name, const char *value)
{
	g_autofree char *path = g_build_filename(f->dir, name, NULL);

	g_assert_true(g_file_set_contents(path, value, -1, NULL));
}

/* The last written value: a plain file may have the rest of an older text after it. */
static void expect(Fixture *f, const char *name, guint64 expected)
{
	guint64 value = 0;

	g_assert_true(control_get(f->control, name, &value, NULL));
	g_assert_cmpuint(value, ==, expected);
}

static void setup(Fixture *f, gconstpointer unused)
{
	static const char *const values[] = { "131072\n", "32\n", "8388608\n", "16\n",
					     "slab page\n", "" };

	f->dir = g_dir_make_tmp("kmemtrace-settings-XXXXXX", NULL);
	f->control = module_control_new(f->dir);
	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		put(f, names[i], values[i]);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(f->dir, names[i], NULL);

		g_unlink(path);
	}
	control_close(f->control);
	g_rmdir(f->dir);
	g_free(f->dir);
}

static void sizes_are_restored(Fixture *f, gconstpointer unused)
{
	Settings before = { 0 };
	const Settings asked = { .buffer_bytes = 8192, .stack_depth = 0, .stack_bytes = 65536 };
	GError *error = NULL;

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

static void missing_control_file_is_named(Fixture *f, gconstpointer unused)
{
	g_autofree char *path = g_build_filename(f->dir, "stack_bytes", NULL);
	g_autoptr(GError) error = NULL;
	Settings before = { 0 };

	g_unlink(path);
	g_assert_false(settings_read_sizes(f->control, &before, &error));
	g_assert_nonnull(strstr(error->message, path));
}

/* ---- events that this kernel lacks ---- */

#define NO_TRACEPOINT	"this kernel has no such tracepoint"

static void expect_unseen(Fixture *f, const char *events, const char *expected)
{
	const Settings asked = { .events = (char *)events };
	g_autofree char *text = settings_unavailable(f->control, &asked);

	g_assert_cmpstr(text, ==, expected);
}

static void unseen_paths_of_asked_events_are_named(Fixture *f, gconstpointer unused)
{
	put(f, "paths", "task_rename on\nkfree on\nmm_page_alloc off\npercpu_alloc_percpu off\n"
			"free_vmap_area_noflush unseen: " NO_TRACEPOINT "\n"
			"alloc_vmap_area unseen: " NO_TRACEPOINT "\n"
			"mm_page_pcpu_drain unseen: " NO_TRACEPOINT "\n"
			"kmem_cache_free_bulk unseen: this kernel has no such function\n");
	expect_unseen(f, NULL, NULL);
	expect_unseen(f, "page", NULL);
	expect_unseen(f, "percpu frag", NULL);
	expect_unseen(f, "slab", "kmem_cache_free_bulk: this kernel has no such function");
	expect_unseen(f, "vmalloc", "free_vmap_area_noflush, alloc_vmap_area: " NO_TRACEPOINT);
	expect_unseen(f, "page vmalloc slab",
		      "free_vmap_area_noflush, alloc_vmap_area: " NO_TRACEPOINT
		      "; kmem_cache_free_bulk: this kernel has no such function");
}

static void events_without_any_path_are_refused(Fixture *f, gconstpointer unused)
{
	const Settings vmalloc = { .events = (char *)"vmalloc" };
	const Settings both = { .events = (char *)"vmalloc slab" };
	const Settings frag = { .events = (char *)"frag" };
	g_autoptr(GError) error = NULL;

	put(f, "paths", "kfree off\nfree_vmap_area_noflush unseen: " NO_TRACEPOINT "\n"
			"alloc_vmap_area unseen: " NO_TRACEPOINT "\n");
	g_assert_true(settings_check(f->control, &both, NULL));
	g_assert_false(settings_check(f->control, &vmalloc, NULL));
	put(f, "paths", "kfree off\nkfree_rcu off\nfree_vmap_area_noflush unseen: " NO_TRACEPOINT "\n"
			"alloc_vmap_area unseen: " NO_TRACEPOINT "\n");
	g_assert_true(settings_check(f->control, &both, NULL));
	g_assert_true(settings_check(f->control, &frag, NULL));	/* not in paths: an older tracer */
	g_assert_false(settings_check(f->control, &vmalloc, &error));
	g_assert_cmpstr(error->message, ==,
			"events of 'vmalloc' cannot be traced in this kernel: free_vmap_area_noflush, "
			"alloc_vmap_area: " NO_TRACEPOINT);
}

/* ---- memory ---- */

static void expect_refusal(const Settings *settings, const char *expected)
{
	const MemoryCheck room = { .cpus = 4, .total = 8 * GIB, .available = 3 * GIB };
	g_autofree char *refusal = memory_check_refusal(&room, settings);

	g_assert_cmpstr(refusal, ==, expected);
}

static void sizes_above_limit_or_memory_are_refused(Fixture *f, gconstpointer unused)
{
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
		       "not enough memory for 4.0G (buffers of 1.0G for each of 4 CPUs, and stacks): "
		       "3.0G of this machine's 8.0G of memory are free");
}

static void sizes_that_fit_are_accepted(Fixture *f, gconstpointer unused)
{
	const MemoryCheck unknown = { .cpus = 64 };
	const Settings large = { .buffer_bytes = GIB, .stack_bytes = GIB };

	expect_refusal(&(Settings){ 0 }, NULL);
	expect_refusal(&(Settings){ .subbufs = 65536 }, NULL);
	expect_refusal(&(Settings){ .buffer_bytes = GIB / 2, .stack_bytes = GIB }, NULL);
	g_assert_null(memory_check_refusal(&unknown, &large));
}

static void memory_and_cpus_are_read(Fixture *f, gconstpointer unused)
{
	MemoryCheck room = memory_check_read();

	g_assert_cmpuint(room.cpus, >=, 1);
	g_assert_cmpuint(room.available, >, 0);
	g_assert_cmpuint(room.total, >=, room.available);
}

/* ---- locks ---- */

static const char lock_of_another[] = "1: POSIX  ADVISORY  WRITE 7 00:05:9 0 0\n";

/* A growing number of locks by others. */
static ssize_t read_on(void *at, char *text, size_t size)
{
	gsize *place = at;

	for (size_t i = 0; i < size; i++)
		text[i] = lock_of_another[(*place)++ % (sizeof(lock_of_another) - 1)];
	return (ssize_t)size;
}

static void endless_locks_are_not_read_to_the_end(Fixture *f, gconstpointer unused)
{
	static const char own[] = "2: FLOCK  ADVISORY  WRITE 8 00:05:9 0 EOF\n";
	const struct stat st = { .st_dev = makedev(0, 5), .st_ino = 9 };
	gsize place = 0;
	FILE *endless = fopencookie(&place, "r", (cookie_io_functions_t){ .read = read_on });
	FILE *few = fmemopen((char *)own, strlen(own), "r");

	g_assert_cmpint(module_control_find_lock_holder(few, &st), ==, 8);
	g_assert_cmpint(module_control_find_lock_holder(endless, &st), ==, 0);
	fclose(few);
	fclose(endless);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/settings/" #test, Fixture, NULL, setup, test, teardown)
	ADD(sizes_are_restored);
	ADD(missing_control_file_is_named);
	ADD(unseen_paths_of_asked_events_are_named);
	ADD(events_without_any_path_are_refused);
	ADD(sizes_above_limit_or_memory_are_refused);
	ADD(sizes_that_fit_are_accepted);
	ADD(memory_and_cpus_are_read);
	ADD(endless_locks_are_not_read_to_the_end);
	return g_test_run();
}
