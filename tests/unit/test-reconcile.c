// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures of reconcile, on known traces. */
#include <glib.h>
#include <stdlib.h>

#include "report/summary/reconcile.h"
#include "store-check.h"

static const char kallsyms[] = "ffffffff81001000 T reader\n"
			       "ffffffff81002000 t allocate_slab\n"
			       "ffffffff81003000 t discard_slab\n"
			       "ffffffff81004000 T __vmalloc_node_range_noprof\n"
			       "ffffffff81005000 t dup_task_struct.isra.0\n"
			       "ffffffff81006000 T pte_alloc_one\n"
			       "ffffffff81007000 T tlb_remove_table_rcu\n"
			       "ffffffff81008000 T __pte_alloc_kernel\n"
			       "ffffffff81009000 t pcpu_populate_chunk\n"
			       "ffffffff8100a000 T vfree\n"
			       "ffffffff8100b000 T copy_process\n"
			       "ffffffff8100c000 T pgd_alloc\n"
			       "ffffffff8100d000 T __pud_alloc\n"
			       "ffffffff8100e000 T _etext\n";

enum {
	READER = 0x1010, SLAB = 0x2010, DISCARD = 0x3010, VMALLOC = 0x4010, TASK = 0x5010,
	PTE = 0x6010, PTE_FREE = 0x7010, PTE_KERNEL = 0x8010, PERCPU = 0x9010, VFREE = 0xa010,
	FORK = 0xb010, PGD = 0xc010, PUD = 0xd010,
};

enum { RECLAIMABLE = 0x10 };

#define STATS "cpu written ignored lost_full\n0 0 0 0\n" \
	      "memory buffers 4096\nmemory stacks 8192\nmemory stacks_used 100\nmemory names 512\n"

typedef struct {
	struct check_store store;
	guint64 now, next_pfn;
} Fixture;

static void text(Fixture *f, const char *name, enum kmemtrace_phase phase, const char *text)
{
	builder_snapshot(f->store.builder, name, phase, text);
}

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	f->now = 1000000;
	f->next_pfn = 0x1000;
	text(f, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	text(f, "abi", KMEMTRACE_PHASE_START, "page_size 4096\ngfp __GFP_RECLAIMABLE 0x10\n");
}

static void teardown(Fixture *f, gconstpointer unused)
{
	check_store_clear(&f->store);
}

/* ---- the trace ---- */

static void put(Fixture *f, struct trace_event event)
{
	f->now += 1000;
	event.time_ns = f->now;
	event.node = KMEMTRACE_NODE_ANY;
	event.tid = 7;
	builder_event(f->store.builder, 0, event);
}

/* @count objects of 64 bytes or, in cache 1, of 192, from @first on. */
static void put_objects(Fixture *f, guint8 type, guint first, guint count)
{
	guint32 cache = type == KMEMTRACE_EVENT_CACHE_ALLOC || type == KMEMTRACE_EVENT_CACHE_FREE;

	for (guint i = first; i < first + count; i++)
		put(f, (struct trace_event){ .event = type,
					     .addr = BASE + 256 * i,
					     .call_site = TEXT + READER,
					     .bytes_req = cache ? 192 : 60,
					     .bytes_alloc = cache ? 192 : 64,
					     .cache = cache });
}

/* @count blocks of pages, allocated or freed; @outer may be 0: not on the stack. */
static void put_pages(Fixture *f, guint8 type, guint count, guint8 order, guint64 inner,
		      guint64 outer, guint32 gfp)
{
	uint64_t addrs[] = { TEXT + inner, TEXT + outer };
	uint32_t stack = builder_stack(f->store.builder, addrs, outer ? 2 : 1);

	for (guint i = 0; i < count; i++) {
		put(f, (struct trace_event){ .event = type,
					     .addr = f->next_pfn,
					     .order = order,
					     .bytes_req = 4096U << order,
					     .bytes_alloc = 4096U << order,
					     .gfp = gfp,
					     .stack_id = stack });
		f->next_pfn += 16;
	}
}

static void put_meminfo(Fixture *f)
{
	text(f, "meminfo", KMEMTRACE_PHASE_START,
	     "Slab: 100 kB\nSReclaimable: 40 kB\nSUnreclaim: 60 kB\nKernelStack: 50 kB\n"
	     "PageTables: 20 kB\nPercpu: 8 kB\nVmallocUsed: 100 kB\n");
	text(f, "meminfo", KMEMTRACE_PHASE_END,
	     "Slab: 140 kB\nSReclaimable: 48 kB\nSUnreclaim: 92 kB\nKernelStack: 66 kB\n"
	     "PageTables: 20 kB\nPercpu: 24 kB\nVmallocUsed: 160 kB\n");
}

static void put_buddyinfo(Fixture *f)
{
	text(f, "buddyinfo", KMEMTRACE_PHASE_START, "Node 0, zone DMA 100 10 5\nNode 0, zone Normal 1 0 0\n");
	text(f, "buddyinfo", KMEMTRACE_PHASE_END, "Node 0, zone DMA 80 4 6\nNode 0, zone Normal 1 0 0\n");
}

#define SLAB_LINE(name, active, size) \
	name " " active " 200 " size " 20 1 : tunables 0 0 0 : slabdata 10 10 0\n"

static void put_slabinfo(Fixture *f)
{
	text(f, "caches", KMEMTRACE_PHASE_END, "1 192 things\n2 40 gone\n");
	text(f, "slabinfo", KMEMTRACE_PHASE_START,
	     "slabinfo - version: 2.1\n" SLAB_LINE("things", "100", "200") SLAB_LINE("kmalloc-64", "50", "64")
	     SLAB_LINE("quiet", "7", "8"));
	text(f, "slabinfo", KMEMTRACE_PHASE_END,
	     "slabinfo - version: 2.1\n" SLAB_LINE("things", "130", "200") SLAB_LINE("kmalloc-64", "51", "64")
	     SLAB_LINE("quiet", "7", "8") SLAB_LINE("new", "2", "16"));
}

/* ---- the answer ---- */

static char *print(Fixture *f, gboolean json, int limit, GError **error)
{
	const ReconcileOptions options = { .limit = limit };

	check_store_load(&f->store);
	return check_answer_error(&f->store, reconcile_print, &options, json, error);
}

static char *print_json(Fixture *f)
{
	GError *error = NULL;
	char *text = print(f, TRUE, 100, &error);

	g_assert_no_error(error);
	return text;
}

/* "number" or "null" of the columns of an account. */
static void expect_account(const char *json, const char *account, const char *source,
			   const char *kernel, const char *taken, const char *given,
			   const char *tracer, const char *tracked,
			   const char *unexplained, const char *percent)
{
	g_autofree char *row = g_strdup_printf(
		"{\"account\":\"%s\",\"source\":\"%s\",\"kernel_bytes\":%s,\"taken_bytes\":%s,"
		"\"given_bytes\":%s,\"tracer_bytes\":%s,\"tracked_bytes\":%s,\"unexplained_bytes\":%s,"
		"\"explained_pct\":%s}",
		account, source, kernel, taken, given, tracer, tracked, unexplained, percent);

	check_has(json, row);
}

/* ---- tests ---- */

static void caches_equal_slabinfo(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_slabinfo(f);
	put_objects(f, KMEMTRACE_EVENT_CACHE_ALLOC, 0, 50);
	put_objects(f, KMEMTRACE_EVENT_CACHE_FREE, 0, 10);
	put_objects(f, KMEMTRACE_EVENT_KFREE_RCU, 10, 5);	/* still held */
	put_objects(f, KMEMTRACE_EVENT_CACHE_FREE, 1000, 12);	/* from before */
	put_objects(f, KMEMTRACE_EVENT_KMALLOC, 100, 3);
	put_objects(f, KMEMTRACE_EVENT_KFREE, 2000, 2);		/* from before, cache unknown */
	json = print_json(f);
	check_has(json, "\"caches\": [\n"
			"{\"cache\":\"things\",\"object_bytes\":200,\"kernel_count\":30,\"live_count\":40,"
			"\"before_count\":12,\"kernel_bytes\":6000,\"tracked_bytes\":5600,"
			"\"unexplained_bytes\":400,\"explained_pct\":93.329999999999998},\n"
			"{\"cache\":\"kmalloc-64\",\"object_bytes\":64,\"kernel_count\":1,\"live_count\":3,"
			"\"before_count\":0,\"kernel_bytes\":64,\"tracked_bytes\":192,"
			"\"unexplained_bytes\":-128,\"explained_pct\":300.0},\n"
			"{\"cache\":\"new\",\"object_bytes\":16,\"kernel_count\":2,\"live_count\":0,"
			"\"before_count\":0,\"kernel_bytes\":32,\"tracked_bytes\":0,"
			"\"unexplained_bytes\":32,\"explained_pct\":0.0}\n]");
	check_has(json, "\"cache_unknown\": [\n{\"count\":2}\n]");
	expect_account(json, "objects", "slabinfo", "6096", "8192", "2400", "null", "5792", "304",
		       "95.010000000000005");
}

/* Unrealistic: their bytes exceed 63 bits. */
static void absurd_counts_of_blocks_stay_positive(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0, READER, 0, 0);
	text(f, "buddyinfo", KMEMTRACE_PHASE_START, "Node 0, zone DMA 0 0 0 0 0 0 0 0 0 0 0\n");
	text(f, "buddyinfo", KMEMTRACE_PHASE_END, "Node 0, zone DMA 0 0 0 0 0 0 0 0 0 0 9007199254740993\n");
	json = print_json(f);
	g_assert_nonnull(strstr(json, "\"account\":\"free pages\",\"source\":\"buddyinfo\",\"kernel_bytes\":3.777"));
	g_assert_nonnull(strstr(json, "\"end_count\":9007199254740993,\"kernel_bytes\":3.777"));
}

static void accounts_equal_meminfo_and_buddyinfo(Fixture *f, gconstpointer unused)
{
	const guint8 alloc = KMEMTRACE_EVENT_PAGE_ALLOC, given = KMEMTRACE_EVENT_PAGE_FREE;
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_buddyinfo(f);
	put_pages(f, alloc, 3, 1, SLAB, READER, 0);
	put_pages(f, alloc, 2, 0, SLAB, READER, RECLAIMABLE);
	put_pages(f, given, 1, 0, DISCARD, READER, 0);
	put_pages(f, alloc, 4, 0, VMALLOC, TASK, 0);	/* a stack */
	put_pages(f, alloc, 5, 0, VMALLOC, READER, 0);
	put_pages(f, alloc, 1, 0, PTE_KERNEL, VMALLOC, 0);
	put_pages(f, given, 2, 0, VFREE, READER, 0);
	put_pages(f, alloc, 2, 0, PTE, READER, 0);
	put_pages(f, given, 1, 0, PTE_FREE, READER, 0);
	put_pages(f, alloc, 4, 0, PERCPU, READER, 0);
	put_pages(f, alloc, 1, 2, READER, 0, 0);
	text(f, "stats", KMEMTRACE_PHASE_END, STATS);
	json = print_json(f);
	expect_account(json, "Slab", "meminfo", "40960", "32768", "4096", "null", "28672", "12288", "70.0");
	expect_account(json, "SReclaimable", "meminfo", "8192", "8192", "null", "null", "null", "null", "null");
	expect_account(json, "SUnreclaim", "meminfo", "32768", "24576", "null", "null", "null", "null", "null");
	expect_account(json, "KernelStack", "meminfo", "16384", "16384", "0", "null", "16384", "0", "100.0");
	expect_account(json, "PageTables", "meminfo", "0", "8192", "4096", "null", "4096", "-4096", "null");
	expect_account(json, "Percpu", "meminfo", "16384", "16384", "0", "null", "16384", "0", "100.0");
	expect_account(json, "VmallocUsed", "meminfo", "61440", "36864", "8192", "8192", "36864", "24576", "60.0");
	/* −20 and −12 and +4 pages; 28 allocated, 4 freed, 3 of the tracer */
	expect_account(json, "free pages", "buddyinfo", "-114688", "114688", "16384", "-12288", "-110592",
		       "-4096", "96.430000000000007");
	check_has(json, "{\"page_order\":0,\"start_count\":101,\"end_count\":81,\"kernel_bytes\":-81920,"
			"\"taken_bytes\":73728,\"given_bytes\":16384,\"tracked_bytes\":-57344},\n"
			"{\"page_order\":1,\"start_count\":10,\"end_count\":4,\"kernel_bytes\":-49152,"
			"\"taken_bytes\":24576,\"given_bytes\":0,\"tracked_bytes\":-24576},\n"
			"{\"page_order\":2,\"start_count\":5,\"end_count\":6,\"kernel_bytes\":16384,"
			"\"taken_bytes\":16384,\"given_bytes\":0,\"tracked_bytes\":-16384}");
	check_has(json, "\"caches\": []");
}

/* The allocator of thread stacks is inlined; copy_process() calls other allocators, too. */
static void pages_of_inlined_stack_allocator_are_kernel_stacks(Fixture *f, gconstpointer unused)
{
	const guint8 alloc = KMEMTRACE_EVENT_PAGE_ALLOC;
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_pages(f, alloc, 4, 0, VMALLOC, FORK, 0);
	put_pages(f, alloc, 1, 2, FORK, READER, 0);	/* a kernel without VMAP_STACK */
	put_pages(f, alloc, 2, 0, PGD, FORK, 0);
	put_pages(f, alloc, 1, 0, SLAB, FORK, 0);
	json = print_json(f);
	expect_account(json, "KernelStack", "meminfo", "16384", "32768", "0", "null", "32768", "-16384", "200.0");
}

static void expect_page_tables(Fixture *f, const char *release, const char *taken)
{
	g_autofree char *host = g_strdup_printf("release=%s\n", release);
	g_autofree char *unexplained = g_strconcat("-", taken, NULL);
	g_autofree char *json = NULL;

	put_meminfo(f);
	text(f, "host", KMEMTRACE_PHASE_START, host);
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 2, 0, PUD, READER, 0);
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0, PTE, READER, 0);
	json = print_json(f);
	expect_account(json, "PageTables", "meminfo", "0", taken, "0", "null", taken, unexplained, "null");
}

static void upper_page_tables_are_not_counted_on_6_1(Fixture *f, gconstpointer unused)
{
	expect_page_tables(f, "6.1.0-56-amd64", "4096");
}

static void upper_page_tables_are_counted_on_6_12(Fixture *f, gconstpointer unused)
{
	expect_page_tables(f, "6.12.117+deb12-amd64", "12288");
}

/* It exists at the start, and the counters of the start include that recording. */
static void memory_of_earlier_recording_is_not_counted(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_buddyinfo(f);
	text(f, "stats", KMEMTRACE_PHASE_START,
	     "cpu written ignored buffer_full\n0 77 0 88\nmemory buffers 0\nmemory stacks 0\nmemory recall 20480\n");
	text(f, "stats", KMEMTRACE_PHASE_END,
	     "cpu written ignored buffer_full\n0 1 0 0\nmemory buffers 4096\nmemory stacks 8192\n"
	     "memory recall 20480\nmemory maps 4096\n");
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0, VMALLOC, READER, 0);
	json = print_json(f);
	g_assert_false(f->store.incomplete);
	expect_account(json, "VmallocUsed", "meminfo", "61440", "4096", "0", "12288", "16384", "45056",
		       "26.670000000000002");
	expect_account(json, "free pages", "buddyinfo", "-114688", "4096", "0", "-16384", "-20480", "-94208",
		       "17.859999999999999");
}

/* Only freed slabs have an unknown account. */
static void slab_is_split_if_no_slab_was_freed(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 3, 1, SLAB, READER, 0);
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 1, 0, SLAB, READER, RECLAIMABLE);
	json = print_json(f);
	expect_account(json, "SReclaimable", "meminfo", "8192", "4096", "0", "null", "4096", "4096", "50.0");
	expect_account(json, "SUnreclaim", "meminfo", "32768", "24576", "0", "null", "24576", "8192", "75.0");
	check_has_not(json, "buddyinfo\"");
	check_has_not(json, "slabinfo\"");
}

/* One address in four was traced. The kernel's figures and the tracer's own are not sampled. */
static void sampled_figures_are_scaled(Fixture *f, gconstpointer unused)
{
	g_autofree char *json = NULL;

	put_meminfo(f);
	put_slabinfo(f);
	put_buddyinfo(f);
	text(f, "filters", KMEMTRACE_PHASE_START, "sample 4\n");
	text(f, "stats", KMEMTRACE_PHASE_END, STATS);
	put_objects(f, KMEMTRACE_EVENT_CACHE_ALLOC, 0, 9);
	put_objects(f, KMEMTRACE_EVENT_CACHE_FREE, 1000, 2);
	put_objects(f, KMEMTRACE_EVENT_KFREE, 2000, 3);
	put_pages(f, KMEMTRACE_EVENT_PAGE_ALLOC, 2, 1, VMALLOC, READER, 0);
	json = print_json(f);
	check_has(json, "{\"cache\":\"things\",\"object_bytes\":200,\"kernel_count\":30,\"live_count\":36,"
			"\"before_count\":8,\"kernel_bytes\":6000,\"tracked_bytes\":5600,");
	check_has(json, "\"cache_unknown\": [\n{\"count\":12}\n]");
	expect_account(json, "VmallocUsed", "meminfo", "61440", "65536", "0", "8192", "73728", "-12288", "120.0");
	check_has(json, "{\"page_order\":1,\"start_count\":10,\"end_count\":4,\"kernel_bytes\":-49152,"
			"\"taken_bytes\":65536,");
}

static void number_of_caches_is_limited(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autofree char *text = NULL;

	put_meminfo(f);
	put_slabinfo(f);
	put_buddyinfo(f);
	put_objects(f, KMEMTRACE_EVENT_KFREE, 2000, 2);
	text = print(f, FALSE, 1, &error);
	g_assert_no_error(error);
	g_assert_false(f->store.incomplete);
	check_has(text, "Trace: t.kmt\nTrust: complete; no event was lost\n");
	check_has(text, "\nthings           200            30           0             0          5.9K              0"
			"               5.9K         0.0%\n(");
	check_has(text, "(2 objects from before the trace were freed by kfree()");
	check_has_not(text, "\nnew ");
}

static void missing_snapshot_is_named(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autofree char *printer = NULL;

	put_meminfo(f);
	text(f, "slabinfo", KMEMTRACE_PHASE_START, SLAB_LINE("things", "100", "200"));
	put_objects(f, KMEMTRACE_EVENT_KMALLOC, 0, 1);
	printer = print(f, FALSE, 10, &error);
	g_assert_no_error(error);
	check_has(printer, "by unexplained bytes\nthe trace lacks slabinfo from the end\n");
	check_has(printer, "by order\nthe trace lacks buddyinfo from the start\n");
	check_has_not(printer, "objects  ");
}

static void trace_without_meminfo_at_start_is_rejected(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;
	g_autofree char *printer = NULL;

	text(f, "meminfo", KMEMTRACE_PHASE_END, "Slab: 140 kB\n");
	put_objects(f, KMEMTRACE_EVENT_KMALLOC, 0, 1);
	printer = print(f, FALSE, 10, &error);
	g_assert_error(error, STORE_ERROR, STORE_ERROR_FAILED);
	g_assert_cmpstr(error->message, ==,
			"t.kmt has no meminfo from the start: 'record --continue' "
			"and 'extract' come too late for it, and if events were overwritten, "
			"it is too old");
	g_assert_cmpstr(printer, ==, "");
	g_error_free(error);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/reconcile/" #test, Fixture, NULL, setup, test, teardown)
	ADD(caches_equal_slabinfo);
	ADD(accounts_equal_meminfo_and_buddyinfo);
	ADD(absurd_counts_of_blocks_stay_positive);
	ADD(pages_of_inlined_stack_allocator_are_kernel_stacks);
	ADD(upper_page_tables_are_not_counted_on_6_1);
	ADD(upper_page_tables_are_counted_on_6_12);
	ADD(memory_of_earlier_recording_is_not_counted);
	ADD(slab_is_split_if_no_slab_was_freed);
	ADD(sampled_figures_are_scaled);
	ADD(number_of_caches_is_limited);
	ADD(missing_snapshot_is_named);
	ADD(trace_without_meminfo_at_start_is_rejected);
	return g_test_run();
}
