// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces whose oldest events were overwritten: reports begin where all CPUs have events. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>

#include "report/summary/report.h"
#include "report/script/script.h"
#include "report/print/completeness.h"
#include "output-check.h"
#include "store-check.h"
#include "trace-check.h"

#define MS	G_GUINT64_CONSTANT(1000000)
#define START	(1000 * MS)	/* of the first remaining event */

typedef struct {
	struct check_store store;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START, "page_size 4096\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* CPU 1 has freed the first of CPU 0's objects, but no longer has events that old. */
static void put_events(Fixture *f)
{
	struct builder *b = f->store.builder;

	builder_task(b, 0, START, 7, 7, "early");
	builder_kmalloc(b, 0, START + 1 * MS, 7, BASE, 100, 128, 0);
	builder_kmalloc(b, 0, START + 2 * MS, 7, BASE + 128, 100, 128, 0);
	builder_overwrite(b, 1, 3, 1234);
	builder_kmalloc(b, 1, START + 3930 * MS, 7, BASE + 256, 50, 64, 0);
	builder_kfree(b, 0, START + 3940 * MS, 7, BASE + 128);
	builder_kmalloc(b, 0, START + 3950 * MS, 7, BASE + 384, 50, 64, 0);
	builder_kfree(b, 1, START + 4000 * MS, 7, BASE + 256);
	builder_stats(b);
}

/* Also sets whether the trace is incomplete. */
static void check_trust(Fixture *f, const char *expected)
{
	g_auto(Completeness) completeness = { 0 };
	g_autofree char *text = NULL;

	g_assert_true(completeness_read(f->store.db, &completeness, NULL));
	f->store.incomplete = completeness_is_incomplete(&completeness);
	text = CHECK_OUTPUT(completeness_print(&completeness, 0, out));
	g_assert_cmpstr(text, ==, expected);
}

static void allocations_before_the_late_cpu_are_left_out(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	put_events(f);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT bytes_alloc, state, time_ns, lifetime_ns, comm FROM allocations ORDER BY time_ns",
		  "64|freed|0|70000000|early\n64|live|20000000||early");
	check_sql(f->store.db, "SELECT class, count FROM unmatched_frees", "before|1");
	check_sql(f->store.db, "SELECT key, value FROM meta WHERE key IN ('events', 'span_ns') OR key GLOB 'late_*' ORDER BY 1",
		  "events|4\nlate_cpu|1\nlate_left_out|3\nlate_missing|1234\nlate_ns|3930000000\nspan_ns|70000000");
	check_sql(f->store.db, "SELECT sum(count) FROM events", "4");
	check_sql(f->store.db, "SELECT id, events, written, first_ns FROM cpu",
		  "0|5|5|-3930000000\n1|2|1236|0");
}

/* CPU 1 may have lost the thread's renaming. The thread is alive at the end, with another name. */
static void names_before_the_late_cpu_are_not_used_with_bpf(Fixture *f, gconstpointer unused)
{
	const ScriptOptions options = { .relative = TRUE };
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START, "mode=extract\nsource=bpf\n");
	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	builder_snapshot(f->store.builder, "tasks", KMEMTRACE_PHASE_START, "7 7 late\n");
	put_events(f);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT DISTINCT comm FROM allocations", "late");
	text = CHECK_OUTPUT(script_print(f->store.kmt, &options, out, &error));
	g_assert_nonnull(strstr(text, "late"));
	g_assert_null(strstr(text, "early-7"));
}

/* The times in the output of script, without the rest. */
static void script_times_are_relative_to_the_late_cpu(Fixture *f, gconstpointer unused)
{
	const ScriptOptions options = { .relative = TRUE };
	g_autoptr(GRegex) others = g_regex_new("^.* \\. (-?[0-9.]+): .*$", G_REGEX_MULTILINE, 0, NULL);
	g_autofree char *times = NULL, *text = NULL;

	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	put_events(f);
	builder_finish(f->store.builder);
	text = CHECK_OUTPUT(script_print(f->store.kmt, &options, out, &error));
	times = g_regex_replace(others, text, -1, 0, "\\1", 0, NULL);
	g_assert_cmpstr(times, ==, "-3.930000000\n-3.929000000\n-3.928000000\n"
			"0.000000000\n0.010000000\n0.020000000\n0.070000000\n");
}

static void overwritten_events_are_reported(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	put_events(f);
	check_store_load(&f->store);
	check_trust(f, "Trust: OVERWRITTEN: 1,234 older events were dropped; complete from time 0 on, 3.93s after the first "
			"event, when CPU 1's begin: 3 events before that are left out; no other event was lost\n");
	g_assert_false(f->store.incomplete);
}

/* A recorder that was killed has read some of CPU 1's older events; its file has them. */
static void events_read_before_are_in_another_file(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START, "mode=extract\n");
	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	put_events(f);
	builder_snapshot(f->store.builder, "stats", KMEMTRACE_PHASE_END,
			 "cpu written ignored overwritten consumed\n0 5 0 0 1\n1 1236 0 1000 4\n");
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'late_elsewhere'", "234");
	check_trust(f, "Trust: BEGINS LATE: 1,234 older events are in another file, or were overwritten; complete from time 0 on, 3.93s "
			"after the first event, when CPU 1's begin: 3 events before that are left out"
			"; thread names may be older or newer: load all files together; no other event was lost\n");
}

static void all_older_events_were_overwritten(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	put_events(f);
	builder_snapshot(f->store.builder, "stats", KMEMTRACE_PHASE_END,
			 "cpu written ignored overwritten consumed\n0 5 0 0 1\n1 1236 0 1234 4\n");
	check_store_load(&f->store);
	check_trust(f, "Trust: OVERWRITTEN: 1,234 older events were dropped; complete from time 0 on, 3.93s after the first "
			"event, when CPU 1's begin: 3 events before that are left out; no other event was lost\n");
}

static void later_part_begins_late(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START, "mode=record\npart=3\n");
	builder_snapshot(f->store.builder, "last_part", KMEMTRACE_PHASE_END, "3\n");
	put_events(f);
	check_store_load(&f->store);
	check_trust(f, "Trust: BEGINS LATE: 1,234 older events are in another file, or were overwritten; complete from time 0 on, 3.93s "
			"after the first event, when CPU 1's begin: 3 events before that are left out"
			"; thread names may be older or newer: load all files together; no other event was lost\n");
}

/* A second extract: CPU 1 had three sub-buffers and losses before the first extract ended. */
static void put_second_extract(Fixture *f, const char *stats)
{
	struct builder *b = f->store.builder;

	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "mode=extract\n");
	builder_snapshot(b, "overwrite", KMEMTRACE_PHASE_START, "0\n");
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_START, stats);
	builder_overwrite(b, 1, 3, 1234);
	builder_lose(b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 7);
	builder_kmalloc(b, 1, START, 7, BASE, 100, 128, 0);
	builder_kmalloc(b, 0, START + MS, 7, BASE + 128, 100, 128, 0);
	builder_stats(b);
	check_store_load(&f->store);
}

static void extracted_events_are_not_lost(Fixture *f, gconstpointer unused)
{
	put_second_extract(f, "cpu written consumed\n0 1 0\n1 1234 3\nmemory buffers 3\n");
	check_trust(f, "Trust: BEGINS LATE: 1,234 older events are in another file, or were overwritten"
			"; thread names may be older or newer: load all files together; no other event was lost\n");
	g_assert_false(f->store.incomplete);
	check_sql(f->store.db, "SELECT count(*) FROM loss WHERE count > 0", "0");
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'late_ns'", "0");
}

/* CPU 2 has no event in this file, but its earlier ones are missing nevertheless. */
static void events_of_a_silent_cpu_are_in_an_earlier_file(Fixture *f, gconstpointer unused)
{
	put_second_extract(f, "cpu written consumed\n0 1 0\n1 1234 3\n2 1000 2\nmemory buffers 3\n");
	check_trust(f, "Trust: BEGINS LATE: 2,234 older events are in another file, or were overwritten"
			"; thread names may be older or newer: load all files together; no other event was lost\n");
	g_assert_false(f->store.incomplete);
}

/* All events are in another file, as after a killed extract. */
static void extract_without_events_begins_late(Fixture *f, gconstpointer unused)
{
	static const char stats[] = "cpu written consumed\n0 7 1\n1 1234 3\n";
	struct builder *b = f->store.builder;

	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "mode=extract\n");
	builder_snapshot(b, "overwrite", KMEMTRACE_PHASE_START, "0\n");
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_START, stats);
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_END, stats);
	check_store_load(&f->store);
	check_trust(f, "Trust: BEGINS LATE: 1,241 older events are in another file, or were overwritten"
			"; thread names may be older or newer: load all files together; no other event was lost\n");
}

/* The fourth one is in no file. */
static void loss_after_extract_is_reported(Fixture *f, gconstpointer unused)
{
	put_second_extract(f, "cpu written consumed\n0 1 0\n1 1234 2\n");
	check_trust(f, "Trust: INCOMPLETE: 1 sub-buffer is missing: live memory may have been freed unseen; "
			"BEGINS LATE: older events are in another file, or were overwritten"
			"; thread names may be older or newer: load all files together\n");
	g_assert_true(f->store.incomplete);
}

/* A tracer without valid counts of consumed sub-buffers. */
static void without_consumed_counts_events_are_lost(void)
{
	static const char *const stats[] = {
		"cpu written\n1 3\n", "", "\n", "consumed", "cpu consumed\n1\n1 x\n1 -3\n5000000000 3\n0 3\nx 3\n",
		"cpu consumed \n1  3\n1 99999999999999999999\n",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(stats); i++) {
		Fixture fixture = { 0 };

		setup(&fixture, NULL);
		put_second_extract(&fixture, stats[i]);
		check_trust(&fixture, "Trust: INCOMPLETE: 7 events were lost; 3 sub-buffers are missing: "
				"live memory may have been freed unseen\n");
		teardown(&fixture, NULL);
	}
}

/* An extract of some sub-buffers of CPU 0, @read of which earlier ones had read. */
static void write_extract(const char *path, guint64 read, guint64 time_ns)
{
	struct builder *b = builder_new(path);
	g_autofree char *stats = g_strdup_printf("cpu written consumed\n0 %" G_GUINT64_FORMAT " %"
						 G_GUINT64_FORMAT "\n", 10 * read, read);

	builder_kmalloc(b, 1, time_ns, 7, BASE, 100, 128, 0);
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "mode=extract\n");
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_START, stats);
	if (read)
		builder_overwrite(b, 0, read, 10 * read);
	for (guint64 i = 1; i <= 10; i++)
		builder_kmalloc(b, 0, time_ns + i, 7, BASE + 128 * (10 * read + i), 100, 128, 0);
	builder_finish(b);
}

/* What was read before the last file began may be in none of the files. */
static void missing_file_between_two_is_reported(void)
{
	g_auto(check_file) first = check_file_make(), last = check_file_make();
	g_auto(check_file) db = check_file_make();
	const char *paths[] = { first.path, last.path };
	g_auto(Completeness) completeness = { 0 };
	StoreLoadResult result;
	StoreDb *store;

	write_extract(first.path, 0, START);
	write_extract(last.path, 2, START + MS);
	g_unlink(db.path);
	g_assert_true(store_load_all(paths, 2, db.path, NULL, NULL, &result, NULL));
	store = store_open(db.path, NULL);
	g_assert_nonnull(store);
	g_assert_true(completeness_read(store, &completeness, NULL));
	g_assert_true(completeness_is_incomplete(&completeness));
	store_close(store);
}

static void flight_without_overwriting_is_complete(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "overwrite", KMEMTRACE_PHASE_START, "1\n");
	builder_kmalloc(f->store.builder, 0, START, 7, BASE, 100, 128, 0);
	builder_kmalloc(f->store.builder, 1, START + MS, 7, BASE + 128, 100, 128, 0);
	check_store_load(&f->store);
	check_trust(f, "Trust: complete; no event was lost\n");
	check_sql(f->store.db, "SELECT count(*) FROM live", "2");
}

/* A missing tracepoint of an unrecorded group is no gap. */
static void unseen_paths_of_other_groups_are_off(Fixture *f, gconstpointer unused)
{
	g_auto(Completeness) completeness = { 0 };

	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_START, "slab page\n");
	builder_snapshot(f->store.builder, "paths", KMEMTRACE_PHASE_START,
			 "alloc_vmap_area unseen: this kernel has no such tracepoint\n"
			 "free_vmap_area_noflush unseen: this kernel has no such tracepoint\n"
			 "kmem_cache_alloc_bulk unseen: no ftrace\nkmem_cache_free_bulk unseen: no ftrace\nkfree on\n");
	builder_kmalloc(f->store.builder, 0, START, 7, BASE, 100, 128, 0);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT name, state, event_group FROM paths ORDER BY name",
		  "alloc_vmap_area|off|vmalloc\nfree_vmap_area_noflush|off|vmalloc\nkfree|on|slab\n"
		  "kmem_cache_alloc_bulk|unseen|slab\nkmem_cache_free_bulk|unseen|slab");
	g_assert_true(completeness_read(f->store.db, &completeness, NULL));
	g_assert_cmpstr(completeness.unseen, ==, "kmem_cache_alloc_bulk, kmem_cache_free_bulk");
	g_assert_cmpstr(completeness.unseen_frees, ==, "slab");
	g_assert_cmpstr(completeness.partly_unseen, ==, "kmem_cache_alloc_bulk, kmem_cache_free_bulk");
	g_assert_true(completeness_is_incomplete(&completeness));
}

/* In a trace of @events, @paths leave out @partly_unseen; "": nothing. */
static void check_paths(const char *events, const char *paths, const char *partly_unseen)
{
	Fixture fixture = { 0 };
	g_auto(Completeness) completeness = { 0 };
	g_autofree char *expected = NULL;

	setup(&fixture, NULL);
	builder_snapshot(fixture.store.builder, "events", KMEMTRACE_PHASE_START, events);
	builder_snapshot(fixture.store.builder, "paths", KMEMTRACE_PHASE_END, paths);
	builder_kmalloc(fixture.store.builder, 0, START, 7, BASE, 100, 128, 0);
	check_store_load(&fixture.store);
	g_assert_true(completeness_read(fixture.store.db, &completeness, NULL));
	g_assert_cmpstr(completeness.partly_unseen, ==, partly_unseen);
	g_assert_cmpint(completeness_is_incomplete(&completeness), ==, *partly_unseen != 0);
	expected = *partly_unseen ? g_strdup_printf("Trust: INCOMPLETE: not traced: %s: live memory may "
						    "have been freed unseen\n", partly_unseen)
				  : g_strdup("Trust: complete; no event was lost\n");
	check_trust(&fixture, expected);
	teardown(&fixture, NULL);
}

static void unseen_paths_of_recorded_groups_are_reported(void)
{
	static const char vmap[] = "alloc_vmap_area on\nfree_vmap_area_noflush on\nkfree on\n"
				   "kfree_rcu unseen: ftrace is off\n";
	static const char no_vmap[] = "alloc_vmap_area unseen: x\nfree_vmap_area_noflush unseen: x\n"
				      "kfree on\nkfree_rcu on\nkrealloc on\n";

	check_paths("slab page\n", "kfree on\nkfree_rcu unseen: x\nkrealloc unseen: x\nmm_page_free on\n",
		    "kfree_rcu, krealloc");
	check_paths("vmalloc\n", vmap, "kfree_rcu");
	check_paths("slab\n", vmap, "kfree_rcu");
	check_paths("page\n", vmap, "");
	check_paths("slab vmalloc\n", no_vmap, "");
	check_paths("vmalloc\n", no_vmap, "");
	check_paths("slab\n", "kfree on\nclock unseen: x\nsheaf unseen: x\n", "");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/overwritten/" #test, Fixture, NULL, setup, test, teardown)
	ADD(allocations_before_the_late_cpu_are_left_out);
	ADD(names_before_the_late_cpu_are_not_used_with_bpf);
	ADD(script_times_are_relative_to_the_late_cpu);
	ADD(overwritten_events_are_reported);
	ADD(events_read_before_are_in_another_file);
	ADD(all_older_events_were_overwritten);
	ADD(later_part_begins_late);
	ADD(extracted_events_are_not_lost);
	ADD(events_of_a_silent_cpu_are_in_an_earlier_file);
	ADD(extract_without_events_begins_late);
	ADD(loss_after_extract_is_reported);
	g_test_add_func("/overwritten/without_consumed_counts_events_are_lost", without_consumed_counts_events_are_lost);
	g_test_add_func("/overwritten/missing_file_between_two_is_reported", missing_file_between_two_is_reported);
	ADD(flight_without_overwriting_is_complete);
	ADD(unseen_paths_of_other_groups_are_off);
	g_test_add_func("/overwritten/unseen_paths_of_recorded_groups_are_reported", unseen_paths_of_recorded_groups_are_reported);
	return g_test_run();
}
