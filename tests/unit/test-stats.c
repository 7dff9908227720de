// SPDX-License-Identifier: GPL-2.0-or-later
/* The tracer's counters, and the lines about losses. */
#include <glib/gstdio.h>
#include <unistd.h>

#include "base/message.h"
#include "capture/recording/loss_monitor.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/stats.h"
#include "cmd/common/tracing.h"

#define COLUMNS "cpu written ignored buffer_full nmi recursion stack_full cache_full name overwritten consumed\n"

typedef struct {
	char *dir, *path;
	Control *control;
} Fixture;

static void put(Fixture *f, const char *rows)
{
	g_autofree char *text = g_strconcat(COLUMNS, rows, NULL);

	g_assert_true(g_file_set_contents(f->path, text, -1, NULL));
}

static void setup(Fixture *f, gconstpointer unused)
{
	f->dir = g_dir_make_tmp("kmt-test-XXXXXX", NULL);
	f->control = module_control_new(f->dir);
	f->path = control_path(f->control, "stats");
	put(f, "0 0 0 0 0 0 0 0 0 0 0\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	g_unlink(f->path);
	g_rmdir(f->dir);
	control_close(f->control);
	g_free(f->path);
	g_free(f->dir);
}

/* CPU 0's buffer was full, CPU 1's wasn't, and CPU 2 came online later. */
static const char rows[] = "0 1000 0 30 0 0 0 0 0 0 5\n"
			   "1 2000 0 0 0 4 0 0 0 0 9\n"
			   "2 0 0 500 0 0 0 0 0 0 0\n";

static void events_of_a_cpu_without_a_buffer_are_counted(Fixture *f, gconstpointer unused)
{
	CaptureStats stats;

	put(f, rows);
	g_assert_true(stats_read(f->control, &stats, NULL));
	g_assert_cmpuint(stats.lost[KMEMTRACE_LOSS_BUFFER_FULL], ==, 530);
	g_assert_cmpuint(stats.unbuffered, ==, 500);
	g_assert_cmpuint(stats_lost_records(&stats), ==, 534);
}

static void a_larger_buffer_is_advised_only_where_it_helps(Fixture *f, gconstpointer unused)
{
	CaptureStats stats;

	if (g_test_subprocess()) {
		put(f, rows);
		g_assert_true(stats_read(f->control, &stats, NULL));
		tracing_say_lost(&stats);
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("*LOST (buffer_full): 30 events: the buffers were full; -m with a larger SIZE helps\n*");
	g_test_trap_assert_stderr("*LOST (buffer_full): 500 events on CPUs that came online after the start*");
	g_test_trap_assert_stderr_unmatched("*530*");
}

static void a_cpu_without_a_buffer_is_told_during_the_recording(Fixture *f, gconstpointer unused)
{
	if (g_test_subprocess()) {
		LossMonitor *monitor = loss_monitor_new(f->control);

		put(f, rows);
		loss_monitor_look(monitor, f->control);
		loss_monitor_free(monitor);
		return;
	}
	g_test_trap_subprocess(NULL, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("*losing events: 500 on CPU 2, which came online after the start and has no buffer*");
	g_test_trap_assert_stderr_unmatched("*--subbufs*");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name) g_test_add("/stats/" #name, Fixture, NULL, setup, name, teardown)
	TEST(events_of_a_cpu_without_a_buffer_are_counted);
	TEST(a_larger_buffer_is_advised_only_where_it_helps);
	TEST(a_cpu_without_a_buffer_is_told_during_the_recording);
	return g_test_run();
}
