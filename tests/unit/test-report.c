// SPDX-License-Identifier: GPL-2.0-or-later
/* report and script, on traces with all kinds of events. */
#include <glib.h>
#include <stdlib.h>

#include "report/summary/report.h"
#include "report/script/script.h"
#include "base/closest.h"
#include "report/groups/site.h"
#include "report/print/completeness.h"
#include "output-check.h"
#include "store-check.h"

static const char kallsyms[] = "ffffffff81001000 T reader\n"
			       "ffffffff81002000 t writer\t[mod]\n"
			       "ffffffff81003000 T _etext\n";

enum { READER = 0x1010, WRITER = 0x2010 };

typedef struct {
	struct check_store store;
	guint64 now, older_ns;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	f->now = 1000000;
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nmigratetype 0 unmovable\nmigratetype 1 movable\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

static void put(Fixture *f, struct trace_event event)
{
	f->now += 1000;
	event.time_ns = f->now;
	event.node = KMEMTRACE_NODE_ANY;
	event.tid = 7;
	builder_event(f->store.builder, 0, event);
}

static void put_object(Fixture *f, guint8 type, guint64 addr, guint64 site, guint32 bytes)
{
	put(f, (struct trace_event){ .event = type, .addr = addr, .call_site = TEXT + site,
				     .bytes_req = bytes, .bytes_alloc = bytes });
}

static void put_move(Fixture *f, guint8 type, guint8 order, guint32 req, guint32 alloc)
{
	put(f, (struct trace_event){ .event = type, .addr = 0x100, .call_site = TEXT + READER,
				     .order = order, .migratetype = 0, .bytes_req = req,
				     .bytes_alloc = alloc });
}

/* An event of each kind, and one free. */
static void put_all(Fixture *f)
{
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	put_object(f, KMEMTRACE_EVENT_KFREE_RCU, BASE, WRITER, 0);
	put_object(f, KMEMTRACE_EVENT_PERCPU_ALLOC, 0x1000, READER, 96);
	put_object(f, KMEMTRACE_EVENT_PERCPU_ALLOC, 0x2000, READER, 96);
	put_object(f, KMEMTRACE_EVENT_PERCPU_FREE, 0x2000, READER, 0);
	put_object(f, KMEMTRACE_EVENT_VMAP_ALLOC, BASE, READER, 12288);
	put_object(f, KMEMTRACE_EVENT_VMAP_ALLOC, BASE + 8, READER, 4096);
	put_object(f, KMEMTRACE_EVENT_VMAP_FREE, BASE + 8, READER, 0);
	put_move(f, KMEMTRACE_EVENT_EXTFRAG, 3, 9, 1);
	put_move(f, KMEMTRACE_EVENT_ZONE_LOCKED, 0, 1, 0);
	put_move(f, KMEMTRACE_EVENT_PCPU_DRAIN, 0, 0, 0);
}

/* The report of the loaded trace. */
static char *print_report(Fixture *f, gboolean json)
{
	const ReportOptions options = { .name = "t.kmt", .limit = 9, .older_ns = f->older_ns,
					.site = "", .json = json };

	return CHECK_OUTPUT(report_print(f->store.db, &options, out, &f->store.incomplete, &error));
}

static char *report(Fixture *f, gboolean json)
{
	check_store_load(&f->store);
	return print_report(f, json);
}

static void kinds_have_separate_sections(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	put_all(f);
	text = report(f, FALSE);
	check_has(text, "kind     count  total bytes  live count  live bytes  freeing count  freeing bytes\n"
			"slab         1           64           0           0              1             64\n"
			"percpu       2          192           1          96              0              0\n"
			"vmalloc      2        16.0K           1       12.0K              0              0\n");
	check_has(text, "Live at the end: slab objects and large kmallocs, by call site\nnothing\n");
	check_has(text, "Live at the end: per-CPU memory, on all CPUs, by call site\nlive bytes");
	check_has(text, "Live at the end: addresses of vmalloc space, by call site (the memory in them is "
			"pages)\nlive bytes");
	check_has(text, "\nLive at the end, by stack: per-CPU memory, on all CPUs\n96 in 1,");
	check_has(text, "\nLive at the end, by stack: addresses of vmalloc space\n12.0K in 1,");
	check_has(text, "calls  freed unseen  freeing count  freeing bytes\n"
			"    1             0              1             64\n");
	check_has(text, "count  alloc order  fallback order  alloc type  fallback type  caller  module\n"
			"    1            3               9  unmovable   movable        reader\n");
	check_has(text, "pcpu_drain            0  unmovable                1      1\n");
}

static void put_migration(Fixture *f, guint64 from, guint64 to, guint8 order)
{
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_MOVE, .addr = from,
				     .bytes_req = to, .order = order, .migratetype = 0xff });
}

/* Migrated pages are in use, so they are on no free list. */
static void migrations_are_no_list_moves(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL, *text = NULL;

	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = 0x200,
				     .call_site = TEXT + READER });
	put_migration(f, 0x200, 0x300, 0);
	put_migration(f, 0x201, 0x301, 0);
	put_migration(f, 0x400, 0x800, 9);
	text = report(f, FALSE);
	check_has_not(text, "page_move");
	check_has_not(text, "Pages between the lists");
	check_has(text, "Pages that the kernel migrated (compaction, NUMA balancing and the like)\n"
			"moves  pages  known pages\n"
			"    3    514            1\n"
			"(their allocations keep their row, age and task; ");
	json = print_report(f, TRUE);
	check_has(json, "\"moves\": [\n]");
	check_has(json, "{\"moves\":3,\"pages\":514,\"known_pages\":1}");
}

/* Otherwise the allocation may be lost, or on a path that isn't traced. */
static void frees_before_the_trace_are_normal_only_if_complete(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "paths", KMEMTRACE_PHASE_END,
			 "kfree on\nkmem_cache_alloc_bulk unseen: why\n");
	put_object(f, KMEMTRACE_EVENT_KFREE, BASE, READER, 0);
	text = report(f, FALSE);
	check_has(text, "Trust: INCOMPLETE: not traced: kmem_cache_alloc_bulk: ");
	check_has(text, "('before': allocated before the trace began, or the allocation was lost, or on a path that was not traced)\n");
	check_has_not(text, "that is normal");
}

/* An idle CPU is there, too. */
static void number_of_cpus_includes_idle_ones(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START,
			 "release=6.1\nmachine=x86_64\ncpus=3\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	text = report(f, FALSE);
	check_has(text, "       Linux 6.1 x86_64, 3 CPUs, 1 events in ");
}

static void counts_of_one_are_singular(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START, "cgroup 23\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_NAME, 1);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_STACK_FULL, 1);
	builder_flush(f->store.builder, 0);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, READER, 64);
	text = report(f, FALSE);
	check_has(text, "Trust: INCOMPLETE: 1 event was lost: ");
	check_has(text, "\n  1 event has no stack or no cache: ");
	check_has(text, "\n  1 name of a thread was lost: ");
	check_has(text, "\n  FILTERED to cgroup with the inode number: 23\n");
}

static void one_cpu_is_singular(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START, "release=6.1\nmachine=x86_64\ncpus=1\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	text = report(f, FALSE);
	check_has(text, "       Linux 6.1 x86_64, 1 CPU, ");
}

/* The report of a trace with only slabs and pages. */
static void empty_sections_are_left_out(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	text = report(f, FALSE);
	check_has_not(text, "by call site (what lies");
	check_has_not(text, "per-CPU memory, on all CPUs");
	check_has_not(text, "kfree_rcu");
	check_has_not(text, "Fragmentation");
	check_has_not(text, "UNSEEN");
	check_has_not(text, "TRACED");
	check_has_not(text, "FILTERED");
	check_has_not(text, "SAMPLED");
	check_has_not(text, "the tracer used");
}

static void limits_of_the_recording_are_shown(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_START, "slab page frag buddy\n");
	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START,
			 "pids 12\ncgroup 0\ncache\nsize 64\nsample 16\n");
	builder_snapshot(f->store.builder, "paths", KMEMTRACE_PHASE_END,
			 "kmalloc on\npercpu off\nbulk unseen: no kretprobe left\nsheaf unseen\n");
	builder_snapshot(f->store.builder, "stats", KMEMTRACE_PHASE_END,
			 "cpu written ignored\n0 2 0\nmemory buffers 2097152\nmemory stacks 1048576\n"
			 "memory stacks_used 4096\nstacks recalled 2\nstacks walked 0\nstacks unwound 0\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, READER, 64);
	text = report(f, FALSE);
	check_has(text, "       the tracer used 3.0M: buffers 2.0M, stacks 1.0M, stacks used 4.0K\n"
			"       tracing cost about 385 instructions an event, 770 in all: ");
	check_has(text, " of the time of 1 CPU\n"
			"Trust: complete; no event was lost\n"
			"  UNSEEN: bulk: no kretprobe left\n"
			"  UNSEEN: sheaf\n"
			"  NOT TRACED: percpu, vmalloc (not selected with record -e; Trust is of slab, page, frag, buddy)\n"
			"  FILTERED to processes and their children: 12; bytes at least: 64\n"
			"  1 in 16 SAMPLED: counts and bytes below are scaled by 16: what reuses few addresses is missing, or counts up to 16 times\n"
			"  NO STACKS were recorded: a caller is the call site, even in an allocator\n");
	check_has(text, "    2.0K          32  reader\n");
}

/* 510 instructions for each recalled stack, and those of an event of the kernel's version. */
static void cost_of_bpf_programs_is_by_version(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "host", KMEMTRACE_PHASE_START, "release=7.2.13+deb14-amd64\nsource=bpf\n");
	builder_snapshot(f->store.builder, "stats", KMEMTRACE_PHASE_END,
			 "cpu written ignored\n0 1 0\nstacks recalled 1\nstacks walked 0\nstacks unwound 0\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, READER, 64);
	text = report(f, FALSE);
	check_has(text, "       tracing cost about 1,630 instructions an event, 3,260 in all: ");
}

static void memory_of_the_tracer_has_a_bounded_sum(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "stats", KMEMTRACE_PHASE_END,
			 "cpu written ignored\n0 1 0\nmemory buffers 9223372036854775807\n"
			 "memory stacks 9223372036854775807\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	text = report(f, FALSE);
	check_has(text, "       the tracer used 8388608.0T: buffers 8388608.0T, stacks 8388608.0T\n");
}

static void json_has_all_sections(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "paths", KMEMTRACE_PHASE_END, "bulk unseen: why\n");
	put_all(f);
	text = report(f, TRUE);
	check_has(text, "\"paths\": [\n{\"name\":\"bulk\",\"state\":\"unseen\",\"why\":\"why\"}\n]");
	check_has(text, "\"live_percpu\": [\n{\"live_bytes\":96,\"live_count\":1,\"caller\":\"reader\","
			"\"module\":null}\n]");
	check_has(text, "\"old_vmalloc\": [\n{\"live_bytes\":12288,");
	check_has(text, "\"rcu\": [\n{\"calls\":1,\"freed_unseen\":0,\"freeing_count\":1,"
			"\"freeing_bytes\":64}\n]");
	check_has(text, "\"fragmentation\": [\n{\"count\":1,\"alloc_order\":3,\"fallback_order\":9,");
}

/* Times are printed in the unit of the option. */
static void unknown_size_is_a_dash(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	f->older_ns = G_GUINT64_CONSTANT(3600000000000);
	put_object(f, KMEMTRACE_EVENT_KFREE, BASE, READER, 0);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	text = report(f, FALSE);
	check_has(text, "event  class   count  bytes\nkfree  before      1      -\n"
			"('before': allocated before the trace began, which is normal)\n");
	check_has(text, "(Live is not leaked: ");
	check_has(text, "\nLive and older than 1h, by stack\nnothing\n");
	check_has(text, "\n  NO STACKS were recorded: ");
}

/* An unreadable record may have been a free. */
static void unreadable_records_make_incomplete(Fixture *f, gconstpointer unused)
{
	const struct kmemtrace_record unfinished = { .time_ns = 1 };
	const struct kmemtrace_record newer = { .time_ns = 1, .type = KMEMTRACE_EVENT_NR };
	g_autofree char *text = NULL;

	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	builder_record(f->store.builder, 0, &unfinished);
	builder_record(f->store.builder, 1, &newer);
	builder_record(f->store.builder, 1, &newer);
	text = report(f, FALSE);
	check_has(text, "Trust: INCOMPLETE: 1 record was unfinished; 2 records are of an unknown type: live memory ");
}

static void trace_with_stacks_has_no_stack_note(Fixture *f, gconstpointer unused)
{
	const uint64_t addrs[] = { TEXT + READER };
	guint32 stack = builder_stack(f->store.builder, addrs, 1);
	g_autofree char *text = NULL;

	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC, .addr = BASE,
				     .call_site = TEXT + READER, .stack_id = stack,
				     .bytes_req = 8, .bytes_alloc = 8 });
	text = report(f, FALSE);
	check_has_not(text, "NO STACKS");
}

static void summary_names_missing_parts(Fixture *f, gconstpointer unused)
{
	g_autofree char *summary = NULL, *expected = NULL;
	g_auto(Completeness) completeness = { 0 };
	GError *error = NULL;

	builder_snapshot(f->store.builder, "paths", KMEMTRACE_PHASE_START,
			 "bulk unseen: why\nkmalloc on\naround unseen\nsheaf off\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 1234);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_STACK_FULL, 9);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_NAME, 5);
	builder_skip_subbufs(f->store.builder, 0, 2);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, READER, 64);
	builder_finish_cut(f->store.builder);
	check_store_open(&f->store);
	g_assert_true(completeness_read(f->store.db, &completeness, &error));
	g_assert_no_error(error);
	g_assert_true(completeness_is_incomplete(&completeness));
	expected = g_strdup_printf("INCOMPLETE: 1,234 events were lost; 2 sub-buffers are missing; "
				   "the trace is cut at byte %" G_GINT64_FORMAT "; unseen: around, bulk",
				   completeness.cut_offset);
	summary = completeness_summary(&completeness);
	g_assert_cmpstr(summary, ==, expected);
	g_assert_cmpint(completeness.cut_offset, >, 0);
}

/* put() uses the times 1001000 ns for the first event, 1002000 for the second, and so on. */
static char *trust_with_pauses(Fixture *f, const char *lines)
{
	g_autofree char *abi = g_strconcat("page_size 4096\n", lines, NULL);
	g_auto(Completeness) completeness = { 0 };
	char *summary;

	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_END, abi);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, READER, 64);
	check_store_load(&f->store);
	g_assert_true(completeness_read(f->store.db, &completeness, NULL));
	summary = completeness_summary(&completeness);
	g_assert_cmpint(completeness_is_incomplete(&completeness), ==, summary != NULL);
	return summary;
}

static void pauses_in_the_trace_make_incomplete(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = trust_with_pauses(
		f, "pauses 3 3000000000\npause 5000 900000\npause 1001100 1001400\npause 1001500 1001900\n");

	g_assert_cmpstr(text, ==,
			"INCOMPLETE: PAUSED: 2 times, for 700ns in all (allocations made then have no row)");
}

static void pauses_without_times_make_incomplete(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = trust_with_pauses(f, "pauses 17 3000000000\npause 1001500 1001900\n");

	g_assert_cmpstr(text, ==,
			"INCOMPLETE: PAUSED: 17 times, for 3.00s in all (allocations made then have no row)");
}

static void pauses_that_overlap_have_a_bounded_sum(Fixture *f, gconstpointer unused)
{
	g_autoptr(GString) lines = g_string_new(NULL);
	g_autofree char *text = NULL;

	/* Those before the trace are not among them. */
	g_string_append(lines, "pause 1 1\n");
	for (guint i = 0; i < 5; i++)
		g_string_append(lines, "pause 2305843009213693952 4611686018427387903\n");
	text = trust_with_pauses(f, lines->str);
	g_assert_cmpstr(
		text, ==,
		"INCOMPLETE: PAUSED: 5 times, for 1281023h53m in all (allocations made then have no row)");
}

/* As after extract --keep-running. */
static void pause_before_the_trace_is_ignored(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = trust_with_pauses(f, "pauses 1 900000\npause 100000 1000000\n");

	g_assert_null(text);
}

static void whole_trace_is_complete(Fixture *f, gconstpointer unused)
{
	g_auto(Completeness) completeness = { 0 };

	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	check_store_load(&f->store);
	g_assert_true(completeness_read(f->store.db, &completeness, NULL));
	g_assert_false(completeness_is_incomplete(&completeness));
	g_assert_null(completeness_summary(&completeness));
}

static void unknown_site_names_the_closest(Fixture *f, gconstpointer unused)
{
	static const struct {
		const char *asked, *expected;
	} sites[] = {
		{ "reeder", "no call site matches 'reeder': the closest is reader" },
		{ "rite", "no call site matches 'rite': the closest is writer" },
		{ "nosuch", "no call site matches 'nosuch'" },
		{ "12", "no call site matches '12'" },
	};
	GError *error = NULL;

	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, READER, 64);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, WRITER, 64);
	check_store_load(&f->store);
	g_assert_true(site_check(f->store.db, "writer", FALSE, &error));
	g_assert_no_error(error);
	for (guint i = 0; i < G_N_ELEMENTS(sites); i++) {
		g_assert_false(site_check(f->store.db, sites[i].asked, FALSE, &error));
		g_assert_cmpstr(error->message, ==, sites[i].expected);
		g_clear_error(&error);
	}
	{
		const char *const names[] = { "dentry", "kmalloc-64", "kmalloc-640", NULL };
		g_autofree char *closest = closest_name("kmaloc-64", names);

		g_assert_cmpstr(closest, ==, "kmalloc-64");
		g_assert_null(closest_name("task_struct", names));
	}
	g_assert_cmpuint(closest_distance("", "abc"), ==, 3);
	g_assert_cmpuint(closest_distance("kitten", "sitting"), ==, 3);
	g_assert_cmpuint(closest_distance("same", "same"), ==, 0);
	g_assert_cmpuint(closest_distance("leask", "leaks"), ==, 1);
}

static char *script(Fixture *f)
{
	const ScriptOptions options = { 0 };

	builder_finish(f->store.builder);
	return CHECK_OUTPUT(script_print(f->store.kmt, &options, out, &error));
}

static void script_prints_fields_of_each_event(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	put_all(f);
	text = script(f);
	check_has(text, ": kfree_rcu: ptr=0xffff888000000000 call_site=writer+0x10 [mod]\n");
	check_has(text, ": percpu_alloc: ptr=0x1000 bytes_req=96 bytes_all_cpus=96 gfp=0x0 "
			"call_site=reader+0x10\n");
	check_has(text, ": percpu_free: ptr=0x2000 call_site=");
	check_has(text, ": vmap_alloc: addr=0xffff888000000000 bytes_req=12288 bytes_alloc=12288 call_site=");
	check_has(text, ": vmap_free: addr=0xffff888000000008 call_site=");
	check_has(text, ": extfrag: pfn=0x100 order=3 migratetype=unmovable block_order=9 block_migratetype=movable "
			"call_site=reader+0x10\n");
	check_has(text, ": zone_locked: pfn=0x100 order=0 migratetype=unmovable refill call_site=");
	check_has(text, ": pcpu_drain: pfn=0x100 order=0 migratetype=unmovable call_site=");
}

/* Failed allocations are marked; numbers get their names from the trace's snapshots. */
static void script_prints_failures_and_names(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "migratetype 2 reclaimable\ngfp __GFP_B 0x8\ngfp __GFP_A 0x1\n");
	builder_snapshot(f->store.builder, "caches", KMEMTRACE_PHASE_END, "5 192 a\\012b\n");
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .order = 9,
				     .migratetype = 2, .gfp = 0x19 });
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = 8,
				     .migratetype = 1, .gfp = 0x10 });
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_CACHE_ALLOC, .cache = 5 });
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_CACHE_FREE, .cache = 6 });
	text = script(f);
	check_has(text, ": page_alloc: FAILED pfn=0x0 order=9 migratetype=reclaimable gfp=__GFP_A|__GFP_B call_site=");
	check_has(text, ": page_alloc: pfn=0x8 order=0 migratetype=1 gfp=0x10 call_site=");
	check_has(text, ": kmem_cache_alloc: FAILED ptr=0x0 bytes_req=0 bytes_alloc=0 gfp=0x0 cache=a\\012b call_site=");
	check_has(text, ": kmem_cache_free: ptr=0x0 cache=6 call_site=");
}

static void script_names_the_module_of_the_time(Fixture *f, gconstpointer unused)
{
	g_autofree char *text = NULL;

	builder_snapshot(f->store.builder, "module_times", KMEMTRACE_PHASE_END,
			 "0 1001500 0xffffffff81002000 0x1000 gone\n"
			 "1001600 0 0xffffffff81002000 0x1000 mod\n");
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE, WRITER, 64);
	put_object(f, KMEMTRACE_EVENT_KMALLOC, BASE + 64, WRITER, 64);
	text = script(f);
	check_has(text, "call_site=[gone]+0x10\n");
	check_has(text, "call_site=writer+0x10 [mod]\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/report/" #test, Fixture, NULL, setup, test, teardown)
	ADD(kinds_have_separate_sections);
	ADD(empty_sections_are_left_out);
	ADD(migrations_are_no_list_moves);
	ADD(frees_before_the_trace_are_normal_only_if_complete);
	ADD(number_of_cpus_includes_idle_ones);
	ADD(one_cpu_is_singular);
	ADD(counts_of_one_are_singular);
	ADD(limits_of_the_recording_are_shown);
	ADD(cost_of_bpf_programs_is_by_version);
	ADD(memory_of_the_tracer_has_a_bounded_sum);
	ADD(json_has_all_sections);
	ADD(unknown_size_is_a_dash);
	ADD(unreadable_records_make_incomplete);
	ADD(trace_with_stacks_has_no_stack_note);
	ADD(summary_names_missing_parts);
	ADD(pauses_in_the_trace_make_incomplete);
	ADD(pauses_without_times_make_incomplete);
	ADD(pauses_that_overlap_have_a_bounded_sum);
	ADD(pause_before_the_trace_is_ignored);
	ADD(whole_trace_is_complete);
	ADD(unknown_site_names_the_closest);
	ADD(script_prints_fields_of_each_event);
	ADD(script_prints_failures_and_names);
	ADD(script_names_the_module_of_the_time);
	return g_test_run();
}
