// SPDX-License-Identifier: GPL-2.0-or-later
/* frag, on traces with known waste and known holders. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "report/frag/frag.h"
#include "store-check.h"

static const char kallsyms[] = "ffffffff81001000 T reader\n"
			       "ffffffff81002000 T writer\n"
			       "ffffffff81003000 T filler\n"
			       "ffffffff81003800 t allocate_slab\n"
			       "ffffffff81004000 T _etext\n";

enum { READER = 0x1010, WRITER = 0x2010, FILLER = 0x3010, ALLOCATE_SLAB = 0x3810 };
enum { UNMOVABLE, MOVABLE, RECLAIMABLE };

typedef struct {
	struct check_store store;
	guint64 now;
} Fixture;

static void setup(Fixture *f, gconstpointer unused)
{
	check_store_init(&f->store);
	f->now = 1000000;
	builder_snapshot(f->store.builder, "kallsyms", KMEMTRACE_PHASE_START, kallsyms);
	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\nmigratetype 0 unmovable\n"
			 "migratetype 1 movable\nmigratetype 2 reclaimable\n");
	builder_snapshot(f->store.builder, "slabinfo", KMEMTRACE_PHASE_END,
			 "slabinfo - version: 2.1\n"
			 "kmalloc-256 1 1 256 16 1 : tunables 0 0 0 : slabdata 1 1 0\n"
			 "kmalloc-1k 1 1 1024 32 8 : tunables 0 0 0 : slabdata 1 1 0\n"
			 "kmalloc-2k 1 1 2048 16 8 : tunables 0 0 0 : slabdata 1 1 0\n");
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

static void put_kmalloc(Fixture *f, guint64 addr, guint64 site, guint32 req, guint32 alloc)
{
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC, .addr = addr,
				     .call_site = TEXT + site, .bytes_req = req,
				     .bytes_alloc = alloc });
}

static void put_kfree(Fixture *f, guint64 addr)
{
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_KFREE, .addr = addr,
				     .call_site = TEXT + READER });
}

static void put_pages(Fixture *f, guint64 pfn, guint8 order, guint8 type, guint64 site)
{
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = pfn,
				     .order = order, .migratetype = type, .call_site = TEXT + site,
				     .bytes_req = 4096U << order, .bytes_alloc = 4096U << order });
}

static void expect(Fixture *f, const char *key, const char *expected)
{
	static const char *const params[] = { ":limit", "9", NULL };
	g_autofree char *name = g_strconcat("frag_", key, NULL);

	check_named(f->store.db, name, params, expected);
}

/* ---- output ---- */

static char *print(Fixture *f, FragPart part, gboolean json)
{
	const FragOptions options = { .part = part, .limit = 9 };

	return check_answer(&f->store, frag_print, &options, json);
}

/* The JSON of slabs has @key and @part. */
static void expect_json(Fixture *f, const char *key, const char *part)
{
	char *text = print(f, FRAG_SLAB, TRUE);

	check_has(text, key);
	check_has(text, part);
	free(text);
}

/* ---- rounding ---- */

/* 31 objects of 1032 bytes fit into 8 pages, which is 1057.03 for each: 3 waste 75. */
static void rounding_waste_is_grouped_by_cache_and_site(Fixture *f, gconstpointer unused)
{
	for (int i = 0; i < 3; i++)
		put_kmalloc(f, BASE + 0x10000 + 2048 * i, READER, 1032, 2048);
	put_kfree(f, BASE + 0x10000);
	put_kmalloc(f, BASE + 0x20000, WRITER, 20000, 32768);
	put_kmalloc(f, BASE + 0x30000, WRITER, 256, 256);
	check_store_load(&f->store);
	expect(f, "rounding_all",
	       "live at the end|4|22320|37120|14800|39.8706896551724\n"
	       "all|5|23352|39168|15816|40.3799019607843");
	expect(f, "rounding_cache",
	       "12768|12768|38.96484375|1|1|32768|\n"
	       "3048|2032|49.609375|2|3|2048|kmalloc-2k");
	expect(f, "rounding_site",
	       "12768|12768|38.96484375|1|1|writer|||32768|20000|20000|20480|480|\n"
	       "3048|2032|49.609375|2|3|reader||kmalloc-2k|2048|1032|1032|1032|75|8");
}

/* Sizes of one site in one class share a row, and the fitting size is that of the largest. */
static void sizes_of_one_class_are_one_row(Fixture *f, gconstpointer unused)
{
	put_kmalloc(f, BASE + 0x10000, READER, 600, 1024);
	put_kmalloc(f, BASE + 0x10400, READER, 801, 1024);
	put_kmalloc(f, BASE + 0x20000, READER, 200, 256);
	check_store_load(&f->store);
	/* A cache of 808: 40 of 819.2 bytes, so 1638.4 - 1401. 200 is 8 above 192. */
	expect(f, "rounding_site",
	       "647|647|31.591796875|2|2|reader||kmalloc-1k|1024|600|801|808|237|\n"
	       "56|56|21.875|1|1|reader||kmalloc-256|256|200|200|200|1|8");
}

/* ---- slabs ---- */

/* A slab of one page at @pfn, whose objects @from to 15 are freed again. */
static void put_slab(Fixture *f, guint64 pfn, guint from)
{
	guint64 addr = BASE + pfn * 4096;

	put_pages(f, pfn, 0, UNMOVABLE, FILLER);
	for (int i = 0; i < 16; i++)
		put_kmalloc(f, addr + 256 * i, i < 2 ? READER : WRITER, 256, 256);
	for (int i = from; i < 16; i++)
		put_kfree(f, addr + 256 * i);
}

/* 1 of 16 pins the whole page, 3 of 16 a third each; 4 of 16 are 25 %, which isn't sparse. */
static void sparse_slab_is_charged_to_its_objects(Fixture *f, gconstpointer unused)
{
	put_slab(f, 0x100, 1);
	put_slab(f, 0x101, 3);
	put_slab(f, 0x102, 4);
	put_slab(f, 0x103, 0);
	put_kmalloc(f, BASE + 0x900000, READER, 256, 256);	/* in a slab from before */
	builder_snapshot(f->store.builder, "meminfo", KMEMTRACE_PHASE_END, "Slab: 32 kB\n");
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT pfn, cache, objects, of_objects, object_bytes, live_pct, account FROM slabs ORDER BY pfn",
		  "256|kmalloc-256|1|16|256|6.25|SUnreclaim\n"
		  "257|kmalloc-256|3|16|768|18.75|SUnreclaim\n"
		  "258|kmalloc-256|4|16|1024|25.0|SUnreclaim\n"
		  "259||0||0|0.0|SUnreclaim");
	expect(f, "slab_known", "4|16384|32768|50.0|8|1");
	expect(f, "slab_all", "SUnreclaim|4|16384|8|2048|12.5|2|8192|1|4096");
	expect(f, "slab_cache", "8192|2|3|12288|8|48|16.6666666666667|kmalloc-256|SUnreclaim");
	/* 4096 + 2 * 4096 / 3, and 4096 / 3: 8192 altogether. The last event is at 124000 ns. */
	expect(f, "slab_site",
	       "6827|768|3|2|reader||kmalloc-256|SUnreclaim|101333|123000\n"
	       "1365|256|1|1|writer||kmalloc-256|SUnreclaim|89000|89000");
}

/* The sum of the times of three objects after a century exceeds 64 bits. */
static void ages_of_old_objects_have_no_overflow(Fixture *f, gconstpointer unused)
{
	f->now = 0;
	put_kmalloc(f, BASE + 0x900000, READER, 256, 256);
	f->now += G_GUINT64_CONSTANT(100) * 365 * 24 * 3600 * 1000000000;
	put_slab(f, 0x100, 3);
	check_store_load(&f->store);
	expect(f, "slab_site",
	       "2731|512|2|1|reader||kmalloc-256|SUnreclaim|27500|28000\n"
	       "1365|256|1|1|writer||kmalloc-256|SUnreclaim|26000|26000");
}

/* The object is in the last of eight pages; objects waiting for RCU count, too. */
static void object_in_last_page_pins_its_slab(Fixture *f, gconstpointer unused)
{
	put_pages(f, 0x208, 3, RECLAIMABLE, FILLER);
	put_kmalloc(f, BASE + 0x20f000 + 1024, READER, 1000, 1024);
	put_kmalloc(f, BASE + 0x208000, WRITER, 1000, 1024);
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_KFREE_RCU, .addr = BASE + 0x208000,
				     .call_site = TEXT + WRITER });
	put_pages(f, 0x210, 3, UNMOVABLE, FILLER);
	put_kmalloc(f, BASE + 0x210000, WRITER, 20000, 32768);	/* large: no slab */
	check_store_load(&f->store);
	expect(f, "slab_all", "SReclaimable|1|32768|2|2048|6.25|1|32768|0|0");
	check_sql(f->store.db, "SELECT pinned_bytes, objects, caller FROM "
		  "(SELECT 32768 * count(*) / 2 AS pinned_bytes, count(*) AS objects, f.function AS caller "
		  "FROM slab_objects s JOIN origin o ON o.id = s.origin JOIN frame f ON f.id = o.caller "
		  "GROUP BY 3) ORDER BY 3",
		  "16384|1|reader\n16384|1|writer");
	expect(f, "slab_site",
	       "16384|1024|1|1|reader||kmalloc-1k|SReclaimable|4000|4000\n"
	       "16384|1024|1|1|writer||kmalloc-1k|SReclaimable|3000|3000");
	expect(f, "slab_known", "1|32768|||2|0");
}

/* On another CPU, 500 ns before its allocation. */
static void object_that_was_freed_early_is_not_left(Fixture *f, gconstpointer unused)
{
	put_slab(f, 0x100, 1);
	put_kmalloc(f, BASE + 0x100800, READER, 256, 256);
	builder_event(f->store.builder, 1,
		      (struct trace_event){ .event = KMEMTRACE_EVENT_KFREE, .tid = 8,
					    .time_ns = f->now - 500, .addr = BASE + 0x100800,
					    .call_site = TEXT + READER });
	check_store_load(&f->store);
	check_first_left(f->store.db);
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'frees_early'", "1");
	check_sql(f->store.db, "SELECT objects, object_bytes FROM slabs", "1|256");
	expect(f, "slab_all", "SUnreclaim|1|4096|1|256|6.25|1|4096|0|0");
	expect(f, "slab_known", "1|4096|||1|0");
}

static void put_at(Fixture *f, guint64 ns, struct trace_event event)
{
	f->now = 1000000 + ns - 1000;
	put(f, event);
}

static void put_object_at(Fixture *f, guint64 ns, guint64 addr, guint64 site)
{
	put_at(f, ns, (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC, .addr = addr,
					    .call_site = TEXT + site, .bytes_req = 256,
					    .bytes_alloc = 256 });
}

static void put_free_at(Fixture *f, guint64 ns, guint64 addr)
{
	put_at(f, ns, (struct trace_event){ .event = KMEMTRACE_EVENT_KFREE, .addr = addr,
					    .call_site = TEXT + READER });
}

static void put_page_at(Fixture *f, guint64 ns, guint64 pfn)
{
	put_at(f, ns, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = pfn,
					    .migratetype = UNMOVABLE, .call_site = TEXT + FILLER,
					    .bytes_req = 4096, .bytes_alloc = 4096 });
}

static void put_page_free_at(Fixture *f, guint64 ns, guint64 pfn)
{
	put_at(f, ns, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_FREE, .addr = pfn,
					    .migratetype = 0xff });
}

/*
 * Slabs of 16 objects in a trace of 1000 us. One at 0x100 from 0 to 400: reader's object lives all
 * that time, writer's for 100: 500 of 6400. Another at 0x100 from 500 to the end: 12 of writer's,
 * each 250 of 500: 3000 of 8000. One at 0x101 from 600 on: reader's from 800 on, 200 of 6400, and
 * 16 that lived for no time. The object at 0x102 is in no slab of the trace.
 */
static void slabs_are_weighted_by_time(Fixture *f, gconstpointer unused)
{
	const guint64 a = BASE + 0x100000, us = 1000;
	g_autofree char *text = NULL;

	put_page_at(f, 0, 0x100);
	put_object_at(f, 0, a + 256, READER);
	put_object_at(f, 100 * us, a, WRITER);
	put_free_at(f, 200 * us, a);
	put_free_at(f, 400 * us, a + 256);
	put_page_free_at(f, 400 * us, 0x100);
	put_page_at(f, 500 * us, 0x100);
	for (guint i = 0; i < 12; i++)
		put_object_at(f, 500 * us, a + 256 * i, WRITER);
	put_page_at(f, 600 * us, 0x101);
	for (guint i = 0; i < 16; i++) {
		put_object_at(f, 700 * us, a + 4096, READER);
		put_free_at(f, 700 * us, a + 4096);
	}
	for (guint i = 0; i < 12; i++)
		put_free_at(f, 750 * us, a + 256 * i);
	put_object_at(f, 800 * us, a + 4096 + 512, READER);
	put_object_at(f, 900 * us, a + 8192, READER);
	put_object_at(f, 1000 * us, a + 8192 + 256, READER);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT pfn, time_ns, life_ns, cache, account, objects, of_objects, object_ns, live_pct "
		  "FROM slab_lives ORDER BY time_ns",
		  "256|0|400000|kmalloc-256|SUnreclaim|2|16|500000|7.8125\n"
		  "256|500000|500000|kmalloc-256|SUnreclaim|12|16|3000000|37.5\n"
		  "257|600000|400000|kmalloc-256|SUnreclaim|17|16|200000|3.125");
	/*
	 * 4096 bytes for 1300 of 1000 us, of which 3700 of 20800 were live. Reader pins 4 of 5
	 * parts of the first and all of the last: 4096 * (400 * 0.8 + 400) / 1000; writer
	 * 4096 * 80 / 1000.
	 */
	text = print(f, FRAG_SLAB, TRUE);
	check_has(text, "\"slab_lives\": [\n{\"average_slab_bytes\":5325,\"average_idle_bytes\":4378,\"live_pct\":"
			"17.78846153846154,\"slabs\":3,\"below_25\":2,\"below_50\":1,\"below_75\":0,\"above_75\":0,"
			"\"average_life_ns\":433333,\"cache\":\"kmalloc-256\",\"account\":\"SUnreclaim\"}\n]");
	check_has(text, "\"slab_pins\": [\n{\"average_pinned_bytes\":2949,\"slabs\":2,\"objects\":18,\"live_pct\":5.46875,"
			"\"average_object_life_ns\":33333,\"caller\":\"reader\",\"module\":null,\"cache\":\"kmalloc-256\","
			"\"account\":\"SUnreclaim\"},\n"
			"{\"average_pinned_bytes\":328,\"slabs\":1,\"objects\":1,\"live_pct\":7.8125,"
			"\"average_object_life_ns\":100000,\"caller\":\"writer\",");
}

/* Many slabs follow one another on the same frame: each object belongs to the slab of its time. */
static void objects_belong_to_the_slab_of_their_time(Fixture *f, gconstpointer unused)
{
	for (guint i = 0; i < 100; i++) {
		put_pages(f, 0x100, 0, UNMOVABLE, FILLER);
		put_kmalloc(f, BASE + 0x100000 + 256 * (i % 16), i % 3 ? READER : WRITER, 256, 256);
		put_kfree(f, BASE + 0x100000 + 256 * (i % 16));
		put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_FREE, .addr = 0x100,
					     .migratetype = 0xff });
	}
	check_store_load(&f->store);
	/* Each lives for 3 us and is used for one: 1 of 48. Together they take 300 of 399 us. */
	check_sql(f->store.db, "SELECT count(*), sum(objects), min(live_pct) = max(live_pct), sum(object_ns), sum(life_ns) FROM slab_lives",
		  "100|100|1|100000|300000");
	expect_json(f, "slab_pins", "\"average_pinned_bytes\":2033,\"slabs\":66,\"objects\":66,\"live_pct\":2.0833333333333335,");
	expect_json(f, "slab_pins", "\"average_pinned_bytes\":1047,\"slabs\":34,\"objects\":34,\"live_pct\":2.0833333333333335,");
}

/* Objects and slabs are sampled separately, so in a sample all slabs would seem nearly empty. */
static void sample_has_no_slab_figures(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START,
			 "pids\ncgroup 0\ncache\nsize 0\nsample 16\n");
	put_slab(f, 0x100, 1);
	put_kmalloc(f, BASE + 0x10000, READER, 200, 256);
	check_store_load(&f->store);
	expect(f, "slab_known", "");
	expect(f, "slab_all", "");
	expect(f, "slab_cache", "");
	expect(f, "slab_site", "");
	check_sql(f->store.db, "SELECT count(*) FROM slab_lives", "0");
	expect_json(f, "slab_lives", "\"slab_lives\": [\n],");
	expect(f, "rounding_site", "896|896|7.29166666666667|32|48|reader||kmalloc-256|256|200|256|||");
	expect(f, "page_types", "65536|16|65536|0|unmovable");
	expect(f, "page_blocks", "no movable page|16|0|65536|0");
}

/* Objects that are not traced aren't free. */
static void slabs_need_traced_objects(Fixture *f, gconstpointer unused)
{
	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_START, "page\n");
	put_slab(f, 0x100, 1);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT count(*) FROM live WHERE backing = 'slab'", "1");
	expect(f, "slab_known", "");
	expect(f, "slab_all", "");
	expect(f, "slab_site", "");
	expect_json(f, "slab_lives", "\"slab_lives\": [\n],");
}

/* Without it, the slab of an object is unknown. */
static void slabs_need_the_linear_base(Fixture *f, gconstpointer unused)
{
	const uint64_t addrs[] = { TEXT + ALLOCATE_SLAB, TEXT + READER };

	builder_snapshot(f->store.builder, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0x0\nmigratetype 0 unmovable\n");
	put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_ALLOC, .addr = 0x100,
				     .migratetype = UNMOVABLE, .call_site = addrs[0],
				     .stack_id = builder_stack(f->store.builder, addrs, 2),
				     .bytes_req = 4096, .bytes_alloc = 4096 });
	put_kmalloc(f, BASE + 0x100000, READER, 256, 256);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT count(*) FROM live WHERE backing = 'slab'", "1");
	expect(f, "slab_known", "");
	expect(f, "slab_all", "");
	expect_json(f, "slab_lives", "\"slab_lives\": [\n],");
}

/* ---- pages ---- */

static void put_page_frees(Fixture *f, guint64 pfn, guint count)
{
	for (guint i = 0; i < count; i++)
		put(f, (struct trace_event){ .event = KMEMTRACE_EVENT_PAGE_FREE, .addr = pfn + i,
					     .migratetype = 0xff, .call_site = TEXT + FILLER });
}

/* Pageblocks 1 to 4 of 512 pages. */
static void put_blocks(Fixture *f)
{
	/* 1: movable, and one page each of reader and writer. */
	put_pages(f, 0x200, 8, MOVABLE, FILLER);
	put_pages(f, 0x300, 0, UNMOVABLE, READER);
	put_pages(f, 0x301, 0, RECLAIMABLE, WRITER);
	/* 2 and 3: one movable block, of which 24 pages were freed, and reader's pages in 2. */
	put_pages(f, 0x400, 10, MOVABLE, FILLER);
	put_page_frees(f, 0x400, 24);
	put_pages(f, 0x400, 1, UNMOVABLE, READER);
	/* 4: mostly unmovable. */
	put_pages(f, 0x800, 2, UNMOVABLE, WRITER);
	put_pages(f, 0x810, 1, MOVABLE, FILLER);
}

static void pageblocks_are_classified_by_migratetype(Fixture *f, gconstpointer unused)
{
	put_blocks(f);
	builder_snapshot(f->store.builder, "meminfo", KMEMTRACE_PHASE_END, "MemTotal: 8192 kB\nMemFree: 3052 kB\n");
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT * FROM pageblocks ORDER BY 1",
		  "1|512|256|1|1\n2|1024|500|2|0\n3|1536|500|0|0\n4|2048|2|4|0");
	expect(f, "page_known", "5185536|5263360|98.5214007782101");
	expect(f, "page_types",
	       "4096000|1|0|10|movable\n1048576|1|0|8|movable\n16384|1|0|2|unmovable\n8192|1|0|1|unmovable\n"
	       "8192|1|0|1|movable\n4096|1|0|0|unmovable\n4096|1|0|0|reclaimable");
	expect(f, "page_blocks",
	       "mixed, most movable|2|3096576|12288|4096\nmixed, most unmovable|1|8192|16384|0\n"
	       "movable pages alone|1|2048000|0|0");
	/* Reader is the only owner in block 2. */
	expect(f, "page_owners",
	       "2|1|12288|0|0|reader||29000\n1|0|0|4096|0|writer||28000");
}

/*
 * Blocks of 8 pages: 0x200 has only 1 page of reader, 0x208 one of writer, 0x210 two. Of the 8 at
 * 0x218 one is left; of the 16 at 0x220, too, but in which half is unknown.
 */
/* alloc_contig_range() allocates pages, mostly movable ones, without a type. */
static void pages_of_unknown_type_are_not_unmovable(Fixture *f, gconstpointer unused)
{
	put_pages(f, 0x200, 9, 0xff, FILLER);
	put_pages(f, 0x400, 0, 0xff, FILLER);
	put_pages(f, 0x401, 0, UNMOVABLE, READER);
	put_pages(f, 0x600, 0, MOVABLE, READER);
	put_pages(f, 0x601, 0, 0xff, READER);
	check_store_load(&f->store);
	expect(f, "page_blocks",
	       "movable pages alone|1|4096|0|0\nno movable page|1|0|4096|0\n"
	       "unknown migrate type|1|0|0|0");
}

static void holders_block_failed_orders(Fixture *f, gconstpointer unused)
{
	put_pages(f, 0x203, 0, UNMOVABLE, READER);
	put_pages(f, 0x208, 0, MOVABLE, WRITER);
	put_pages(f, 0x210, 0, UNMOVABLE, READER);
	put_pages(f, 0x217, 0, UNMOVABLE, READER);
	put_pages(f, 0x218, 3, UNMOVABLE, FILLER);
	put_page_frees(f, 0x218, 7);
	put_pages(f, 0x220, 4, UNMOVABLE, FILLER);
	put_page_frees(f, 0x220, 15);
	put_pages(f, 0, 3, UNMOVABLE, WRITER);
	put_pages(f, 0, 3, UNMOVABLE, WRITER);
	put_pages(f, 0, 0, UNMOVABLE, WRITER);
	check_store_load(&f->store);
	expect(f, "page_failed", "2|3|writer||28000|29000\n1|0|writer||30000|30000");
	expect(f, "page_holders",
	       "3|1|1|filler||unmovable||29000\n3|1|1|reader||unmovable||29000\n3|1|1|writer||movable||29000");
}

/*
 * Pages freed before the failure or allocated later are no holders; pages live at that time and
 * freed since are. Each order has its own time.
 */
static void holders_are_those_at_the_failure(Fixture *f, gconstpointer unused)
{
	put_pages(f, 0x200, 0, UNMOVABLE, READER);
	put_pages(f, 0x208, 0, UNMOVABLE, READER);
	put_pages(f, 0x210, 0, MOVABLE, WRITER);
	put_page_frees(f, 0x208, 1);
	put_pages(f, 0, 3, UNMOVABLE, READER);
	put_pages(f, 0, 3, UNMOVABLE, WRITER);	/* at 5000 */
	put_page_frees(f, 0x200, 1);
	put_page_frees(f, 0x210, 1);
	put_pages(f, 0x200, 1, UNMOVABLE, FILLER);
	put_pages(f, 0x208, 0, UNMOVABLE, FILLER);
	put_pages(f, 0, 2, UNMOVABLE, WRITER);	/* at 10000 */
	put_page_frees(f, 0x208, 1);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT caller, page_order, count, first_ns, last_ns FROM failed_allocations ORDER BY 4",
		  "reader|3|1|4000|4000\nwriter|3|1|5000|5000\nwriter|2|1|10000|10000");
	/* For order 2, the block with one page; the other has two. */
	expect(f, "page_holders",
	       "3|1|1|reader||unmovable||5000\n3|1|1|writer||movable||5000\n2|1|1|filler||unmovable||10000");
}

/* No block is nearly free, so the one with the fewest pages is shown. */
static void block_with_fewest_holders_is_shown(Fixture *f, gconstpointer unused)
{
	put_pages(f, 0x200, 1, UNMOVABLE, READER);
	put_pages(f, 0x204, 0, UNMOVABLE, WRITER);
	put_pages(f, 0x208, 2, UNMOVABLE, WRITER);
	put_pages(f, 0, 3, UNMOVABLE, WRITER);
	check_store_load(&f->store);
	expect(f, "page_holders", "3|1|2|reader||unmovable||3000\n3|1|1|writer||unmovable||3000");
}

/* Blocks of 2 GiB: those above 1 TiB have one row each, with all of their pages. */
static void rows_of_large_blocks_are_limited(Fixture *f, gconstpointer unused)
{
	for (guint64 i = 1; i <= 600; i++)
		put_pages(f, i << 19, 19, UNMOVABLE, READER);
	check_store_load(&f->store);
	check_sql(f->store.db, "SELECT count(*), count(DISTINCT id), sum(pages) FROM live_pages", "524376|600|314572800");
}

static void free_orders_come_from_buddyinfo(Fixture *f, gconstpointer unused)
{
	put_kmalloc(f, BASE + 0x10000, READER, 200, 256);
	builder_snapshot(f->store.builder, "buddyinfo", KMEMTRACE_PHASE_START,
			 "Node 0, zone DMA 0 0 0 0 0 0 0 0 0 0 0\n"
			 "Node 0, zone Normal 1 0 0 0 0 0 0 0 0 0 2\n");
	builder_snapshot(f->store.builder, "buddyinfo", KMEMTRACE_PHASE_END,
			 "Node 0, zone DMA 0 0 0 0 0 0 0 0 0 0 0\n"
			 "Node 0, zone Normal 3 1 0 0 0 0 0 0 0 1 0\n");
	check_store_load(&f->store);
	expect(f, "page_free", "0|DMA|0||0||0\n0|Normal|8392704|10|2117632|9|2097152");
}

/* Unrealistic: their bytes exceed 63 bits. */
static void absurd_counts_of_blocks_stay_positive(Fixture *f, gconstpointer unused)
{
	put_kmalloc(f, BASE + 0x10000, READER, 200, 256);
	builder_snapshot(f->store.builder, "buddyinfo", KMEMTRACE_PHASE_START,
			 "Node 0, zone DMA 0 0 0 0 0 0 0 0 0 0 9007199254740993\n");
	check_store_load(&f->store);
	expect(f, "page_free", "0|DMA|3.77789318629572e+22|10|||");
}

static void changes_of_highest_free_order_are_listed(Fixture *f, gconstpointer unused)
{
	put_kmalloc(f, BASE + 0x10000, READER, 200, 256);	/* at 1001000, where times begin */
	builder_snapshot(f->store.builder, "buddyinfo_times", KMEMTRACE_PHASE_END,
			 "1000000 Node 0, zone Normal 0 0 9\n"	/* of an earlier part */
			 "1001000 Node 0, zone DMA 0 0 0\n1001000 Node 0, zone Normal 1 0 2\n"
			 "501001000 Node 0, zone DMA 0 0 0\n501001000 Node 0, zone Normal 1 0 1\n"
			 "1001001000 Node 0, zone DMA 0 0 1\n1001001000 Node 0, zone Normal 4 1 0\n"
			 "1501001000 Node 0, zone DMA 0 0 1\n1501001000 Node 0, zone Normal 1 0 2\n"
			 "x Node 0, zone DMA 1\n1 Node 0\n5\n");
	check_store_load(&f->store);
	expect(f, "page_times", "0|DMA|0.0||0\n0|DMA|1.0|2|16384\n"
	       "0|Normal|0.0|2|36864\n0|Normal|1.0|1|24576\n0|Normal|1.5|2|36864");
	check_sql(f->store.db, "SELECT value FROM meta WHERE key = 'skipped_lines'", "3");
}

/* ---- notes on completeness ---- */

static void frag_reports_losses_and_filters(Fixture *f, gconstpointer unused)
{
	char *text;

	builder_snapshot(f->store.builder, "filters", KMEMTRACE_PHASE_START,
			 "pids 12\ncgroup 0\ncache\nsize 64\nsample 16\n");
	builder_snapshot(f->store.builder, "events", KMEMTRACE_PHASE_START, "page\n");
	put_pages(f, 0x200, 0, UNMOVABLE, READER);
	builder_lose(f->store.builder, 0, KMEMTRACE_LOSS_BUFFER_FULL, 1234);
	builder_flush(f->store.builder, 0);
	put_pages(f, 0x201, 0, UNMOVABLE, READER);
	check_store_load(&f->store);
	text = print(f, FRAG_ALL, FALSE);
	g_assert_true(f->store.incomplete);
	check_has(text, "Trace: t.kmt\nTrust: INCOMPLETE: 1,234 events were lost: live memory may have been freed unseen\n");
	check_has(text, "\n  slab: one object in 16 was traced: a sample cannot show how full a slab is\n");
	check_has(text, "\n  slab: events were lost: memory shown as live may have been freed, and slabs shown as empty may hold objects\n");
	check_has(text, "\n  page: one address in 16 was traced: counts and bytes are scaled by 16\n");
	check_has(text, "\n  rounding: kmallocs and cache objects were not traced\n");
	check_has(text, "\n  page: extfrag and compact events were not traced (record -e slab,page,frag)\n");
	check_has(text, "\n  page: a filter excluded allocations (pids, size): the other contents of a pageblock are unknown\n");
	free(text);
	text = print(f, FRAG_PAGE, TRUE);
	g_assert_true(g_str_has_prefix(text, "{\n\"trust\": [\n{\"lost_events\":1234,"));
	check_has(text, "\"page_blocks\": [\n{\"holds\":\"no movable page\",\"pageblocks\":16,\"movable_bytes\":0,"
			"\"unmovable_bytes\":131072,\"reclaimable_bytes\":0}\n]");
	g_assert_null(strstr(text, "\"slab_all\""));
	free(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name) g_test_add("/frag/" #name, Fixture, NULL, setup, name, teardown)
	ADD(rounding_waste_is_grouped_by_cache_and_site);
	ADD(sizes_of_one_class_are_one_row);
	ADD(sparse_slab_is_charged_to_its_objects);
	ADD(ages_of_old_objects_have_no_overflow);
	ADD(object_that_was_freed_early_is_not_left);
	ADD(object_in_last_page_pins_its_slab);
	ADD(slabs_are_weighted_by_time);
	ADD(objects_belong_to_the_slab_of_their_time);
	ADD(sample_has_no_slab_figures);
	ADD(slabs_need_traced_objects);
	ADD(slabs_need_the_linear_base);
	ADD(pageblocks_are_classified_by_migratetype);
	ADD(pages_of_unknown_type_are_not_unmovable);
	ADD(holders_block_failed_orders);
	ADD(block_with_fewest_holders_is_shown);
	ADD(holders_are_those_at_the_failure);
	ADD(rows_of_large_blocks_are_limited);
	ADD(free_orders_come_from_buddyinfo);
	ADD(absurd_counts_of_blocks_stay_positive);
	ADD(changes_of_highest_free_order_are_listed);
	ADD(frag_reports_losses_and_filters);
	return g_test_run();
}
