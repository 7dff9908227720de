// SPDX-License-Identifier: GPL-2.0-or-later
/* Loads traces, and checks the views of the database against their events. */
#include <glib.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmemtrace_abi.h"
#include "store/schema/db.h"
#include "store/query/scan.h"
#include "store/store.h"
#include "trace/file/writer.h"
#include "store-check.h"

#define VMALLOC_BASE	G_GUINT64_CONSTANT(0xffffc90000000000)

/* Return addresses into the functions of the kallsyms below. */
enum {
	KMALLOC = 0x1010,
	SLAB = 0x2010,
	PAGES = 0x3010,
	KFREE = 0x4010,
	PUT = 0x5010,
	READER = 0x6010,
	WRITER = 0x7010,
	MAIN = 0x8010,
	CHUNK = 0x9010,
	PERCPU = 0xa010,
	VMALLOC = 0xb010,
	AREAS = 0xc010,
	ACCEPT = 0xd010,
	OWN = 0xe010,
	COPY = 0xf010,
};

static const char kallsyms[] =
	"ffffffff81001000 T __kmalloc_noprof\n"
	"ffffffff81002000 t allocate_slab\n"
	"ffffffff81003000 T __alloc_pages_noprof\n"
	"ffffffff81004000 T kfree\n"
	"ffffffff81005000 T __free_pages\n"
	"ffffffff81006000 T reader\n"
	"ffffffff81007000 t writer\t[mod]\n"
	"ffffffff81008000 T main_loop\n"
	"ffffffff81009000 t pcpu_populate_chunk\n"
	"ffffffff8100a000 T __alloc_percpu_gfp\n"
	"ffffffff8100b000 T __vmalloc_node_range_noprof\n"
	"ffffffff8100c000 T pcpu_free_vm_areas\n"
	"ffffffff8100d000 t cond_accept_memory\n"
	"ffffffff8100e000 t alloc_pages\t[mod]\n"
	"ffffffff8100f000 t kzalloc.constprop.0\t[mod]\n"
	"ffffffff8100f800 T alloc_pages_bulk_noprof\n"
	"ffffffff81010000 T _etext\n";

typedef struct {
	char *dir, *kmt, *db_path;
	struct trace_writer *writer;
	GByteArray *stacks;		/* the stack table */
	GByteArray *records[2];		/* of the CPU's one sub-buffer */
	guint64 lost[2];		/* buffer_full, from the sub-buffer's header */
	guint64 now;
	StoreDb *db;
	StoreLoadResult result;
} Fixture;

/* ---- a trace ---- */

static void text(Fixture *f, const char *name, enum kmemtrace_phase phase, const char *string)
{
	g_assert_cmpint(
		trace_writer_snapshot(f->writer, name, phase, 1, string, strlen(string), NULL), ==,
		0);
}

static guint32 stack(Fixture *f, const guint64 *offsets, guint16 depth)
{
	struct kmemtrace_stack entry = { .hash = 1, .depth = depth };
	guint32 id = f->stacks->len / 8;

	g_byte_array_append(f->stacks, (const guint8 *)&entry, sizeof(entry));
	for (guint i = 0; i < depth; i++) {
		guint64 addr = TEXT + offsets[i];

		g_byte_array_append(f->stacks, (const guint8 *)&addr, sizeof(addr));
	}
	return id;
}

#define STACK(f, ...)								\
	stack(f, (guint64[]){ __VA_ARGS__ }, sizeof((guint64[]){ __VA_ARGS__ }) / 8)

static void put(Fixture *f, guint cpu, struct kmemtrace_record record)
{
	f->now += 1000;
	record.time_ns = f->now;
	g_byte_array_append(f->records[cpu], (const guint8 *)&record, sizeof(record));
}

static void put_task(Fixture *f, guint cpu, guint32 tid, const char *comm)
{
	struct kmemtrace_record record = { .tid = tid, .gfp = tid, .type = KMEMTRACE_EVENT_TASK };

	memcpy(record.comm, comm, strlen(comm));
	put(f, cpu, record);
}

static void put_object(Fixture *f, guint cpu, guint8 type, guint64 addr, guint32 stack_id,
		       guint64 site, guint32 req, guint32 alloc)
{
	put(f, cpu,
	    (struct kmemtrace_record){ .addr = addr,
				       .call_site = TEXT + site,
				       .stack_id = stack_id,
				       .bytes_req = req,
				       .bytes_alloc = alloc,
				       .gfp = req ? 0x41 : 0,
				       .tid = 7,
				       .node = KMEMTRACE_NODE_ANY,
				       .type = type });
}

static void put_page(Fixture *f, guint cpu, guint8 type, guint64 pfn, guint8 order,
		     guint32 stack_id, guint64 site)
{
	put(f, cpu,
	    (struct kmemtrace_record){ .addr = pfn,
				       .call_site = TEXT + site,
				       .stack_id = stack_id,
				       .bytes_req = 4096U << order,
				       .bytes_alloc = 4096U << order,
				       .tid = 7,
				       .page = { order, 1 },
				       .type = type });
}

static void write_subbuf(Fixture *f, guint cpu)
{
	struct kmemtrace_subbuf_header header = {
		.magic = KMEMTRACE_SUBBUF_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(header),
		.record_len = sizeof(struct kmemtrace_record),
		.byte_order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? KMEMTRACE_BYTE_ORDER_LITTLE
							      : KMEMTRACE_BYTE_ORDER_BIG,
		.word_size = 8,
		.cpu = cpu,
		.time_ns = 1,
		.session = 1,
		.lost = { [KMEMTRACE_LOSS_BUFFER_FULL] = f->lost[cpu] },
	};
	g_autoptr(GByteArray) subbuf = g_byte_array_new();

	g_byte_array_append(subbuf, (const guint8 *)&header, sizeof(header));
	g_byte_array_append(subbuf, f->records[cpu]->data, f->records[cpu]->len);
	g_assert_cmpint(trace_writer_data(f->writer, subbuf->data, subbuf->len, NULL), ==, 0);
}

static void setup(Fixture *f, gconstpointer unused)
{
	struct kmemtrace_stack_table table = { KMEMTRACE_STACK_MAGIC, KMEMTRACE_ABI_VERSION,
					       sizeof(table), 1 };

	f->dir = g_dir_make_tmp("kmemtrace-store-XXXXXX", NULL);
	f->kmt = g_build_filename(f->dir, "t.kmt", NULL);
	f->db_path = g_build_filename(f->dir, "t.db", NULL);
	f->stacks = g_byte_array_new();
	g_byte_array_append(f->stacks, (const guint8 *)&table, sizeof(table));
	for (int i = 0; i < 2; i++)
		f->records[i] = g_byte_array_new();
	f->now = 1000000;
	g_assert_cmpint(trace_writer_create(f->kmt, &f->writer, NULL), ==, 0);
	text(f, "abi", KMEMTRACE_PHASE_START,
	     "abi_version 1\npage_size 4096\nlinear_base 0xffff888000000000\nclock monotonic\n"
	     "gfp __GFP_DMA 0x1\ngfp __GFP_IO 0x40\nmigratetype 1 movable\nodd line\ngfp broken\n");
	text(f, "kallsyms", KMEMTRACE_PHASE_END, kallsyms);
}

static void remove_dir(Fixture *f)
{
	g_autoptr(GDir) dir = g_dir_open(f->dir, 0, NULL);
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(f->dir, name, NULL);

		g_unlink(path);
	}
	g_rmdir(f->dir);
}

static void teardown(Fixture *f, gconstpointer unused)
{
	store_close(f->db);
	remove_dir(f);
	g_byte_array_unref(f->records[0]);
	g_byte_array_unref(f->records[1]);
	g_byte_array_unref(f->stacks);
	g_free(f->db_path);
	g_free(f->kmt);
	g_free(f->dir);
}

static void finish_trace(Fixture *f, gboolean complete)
{
	write_subbuf(f, 0);
	write_subbuf(f, 1);
	g_assert_cmpint(trace_writer_stacks(f->writer, 0, f->stacks->data, f->stacks->len, NULL),
			==, 0);
	g_assert_cmpint(trace_writer_close(f->writer, complete, NULL), ==, 0);
}

static void load(Fixture *f)
{
	GError *error = NULL;

	finish_trace(f, TRUE);
	store_load(f->kmt, f->db_path, NULL, NULL, &f->result, &error);
	g_assert_no_error(error);
	f->db = store_open(f->db_path, &error);
	g_assert_no_error(error);
	check_first_left(f->db);
}

static void expect(Fixture *f, const char *sql, const char *expected)
{
	check_sql(f->db, sql, expected);
}

/* The same for a query of the report, for memory of @kind. */
static void expect_kind(Fixture *f, const char *name, const char *kind, const char *expected)
{
	const char *params[] = { ":limit", "9", ":site", "", ":older_ns", "0", ":kind", kind, NULL };
	g_autofree char *path = g_strdup_printf("report_%s", name);

	g_assert_true(temp_view_create(f->db, "report_sites", NULL));
	check_named(f->db, path, params, expected);
}

static void expect_report(Fixture *f, const char *name, const char *expected)
{
	expect_kind(f, name, "", expected);
}

/* ---- tests ---- */

static void allocation_has_its_lifetime_and_callers(Fixture *f, gconstpointer unused)
{
	guint32 by_reader = STACK(f, KMALLOC, READER, MAIN),
		by_writer = STACK(f, KFREE, WRITER, MAIN);

	put_task(f, 0, 7, "sh");
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, by_reader, KMALLOC, 50, 64);
	put_task(f, 1, 7, "ls");
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 64, by_writer, KFREE, 0, 0);
	load(f);
	expect(f,
	       "SELECT event, kind, addr, bytes_req, bytes_alloc, waste, gfp, cpu, tid, comm, "
	       "caller, call_site,"
	       " lifetime_ns, free_cpu, free_comm, free_caller, state, backing, pieces, time_ns "
	       "FROM allocations",
	       "kmalloc|slab|0xffff888000000040|50|64|14|__GFP_DMA|__GFP_IO|0|7|sh|reader|__"
	       "kmalloc_noprof+0x10|"
	       "2000|1|ls|writer|freed||1|1000");
	expect(f, "SELECT text FROM stacks WHERE id = (SELECT free_stack FROM allocations)",
	       "kfree+0x10 < writer+0x10 [mod] < main_loop+0x10");
	expect(f,
	       "SELECT level, name, module FROM stack_frames WHERE stack = (SELECT stack FROM "
	       "allocations)"
	       " ORDER BY level",
	       "0|__kmalloc_noprof+0x10|\n1|reader+0x10|\n2|main_loop+0x10|");
	g_assert_cmpuint(f->result.events, ==, 4);
	g_assert_cmpuint(f->result.rows, ==, 1);
	g_assert_cmpuint(f->result.lost, ==, 0);
	g_assert_false(f->result.cut);
}

static void slab_pages_count_as_slab_only(Fixture *f, gconstpointer unused)
{
	guint32 slab = STACK(f, PAGES, SLAB, KMALLOC, READER), pages = STACK(f, PAGES, READER);
	guint32 put_pages = STACK(f, PUT, WRITER);

	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x100, 1, slab, PAGES);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x100000, slab, KMALLOC, 100, 128);
	put_page(f, 1, KMEMTRACE_EVENT_PAGE_ALLOC, 0x200, 2, pages, PAGES);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x201, 0, put_pages, PUT);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x300, 3, pages, PAGES);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x300000, 0, READER, 20000, 32768);
	load(f);
	expect(f,
	       "SELECT kind, caller, allocs, bytes_total, live_count, live_bytes, waste_total FROM "
	       "call_sites"
	       " ORDER BY 1, 2",
	       "page|reader|1|16384|1|12288|0\nslab|reader|2|32896|2|32896|12796");
	expect(f, "SELECT addr, backing, bytes_left FROM live WHERE kind = 'page' ORDER BY addr",
	       "0x100|slab|8192\n0x200||12288\n0x300|kmalloc-large|32768");
	expect(f, "SELECT migratetype, page_order FROM live WHERE addr = '0x200'", "movable|2");
}

/* With the time, stack and task of each. */
static void failed_allocations_are_grouped_by_task(Fixture *f, gconstpointer unused)
{
	guint32 got = STACK(f, PAGES, SLAB, READER);

	text(f, "abi", KMEMTRACE_PHASE_START, "gfp __GFP_A 0x1\ngfp __GFP_B 0x40\n");
	put_task(f, 0, 7, "first");
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 4, got, PAGES);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0, 0, READER, 100, 128);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 4, got, PAGES);
	put_task(f, 0, 7, "second");
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 4, got, PAGES);
	load(f);
	expect(f, "SELECT event, page_order, count, first_ns, last_ns, gfp, stack IS NOT NULL, tid, comm FROM "
	       "failed_allocations ORDER BY first_ns",
	       "page_alloc|4|2|1000|3000|0x0|1|7|first\nkmalloc||1|2000|2000|__GFP_A|__GFP_B|0|7|first\n"
	       "page_alloc|4|1|5000|5000|0x0|1|7|second");
}

/* Loads the trace, and then only its totals: both must give this answer. */
static void expect_also_in_totals(Fixture *f, const char *sql, const char *expected)
{
	GError *error = NULL;

	load(f);
	expect(f, sql, expected);
	store_close(f->db);
	f->db = store_totals(f->kmt, NULL, NULL, &f->result, &error);
	g_assert_no_error(error);
	expect(f, sql, expected);
}

/*
 * kfree() may free the slab by a tail call: then its caller seems to have called the page
 * allocator.
 */
static void page_freed_by_tail_call_has_slab_backing(Fixture *f, gconstpointer unused)
{
	guint32 slab = STACK(f, PUT, WRITER), other = STACK(f, PUT, READER);

	put_object(f, 0, KMEMTRACE_EVENT_KFREE, BASE + 0x100040, 0, WRITER, 0, 0);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x100, 1, slab, PUT);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x200, 0, other, PUT);
	put_object(f, 0, KMEMTRACE_EVENT_KFREE, BASE + 0x200040, 0, WRITER, 0, 0);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x300, 0, other, PUT);
	put_object(f, 0, KMEMTRACE_EVENT_KFREE, BASE + 0x300040, 0, READER, 0, 0);
	put_page(f, 1, KMEMTRACE_EVENT_PAGE_FREE, 0x400, 0, other, PUT);
	expect_also_in_totals(f,
			      "SELECT caller, backing, count, bytes FROM unmatched_frees WHERE event = 'page_free' ORDER BY 1",
			      "reader||3|12288\nwriter|slab|1|8192");
}

static void unmatched_frees_have_class_and_backing(Fixture *f, gconstpointer unused)
{
	guint32 slab = STACK(f, PUT, KFREE, WRITER), pages = STACK(f, PUT, WRITER),
		got = STACK(f, PAGES, SLAB, READER);

	text(f, "meminfo", KMEMTRACE_PHASE_START, "Slab: 100 kB\n");
	text(f, "meminfo", KMEMTRACE_PHASE_END, "MemTotal: 9 kB\nSlab: 116 kB\n");
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x100, 1, slab, PUT);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x200, 0, pages, PUT);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x300, 2, got, PAGES);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 0x999000, pages, KFREE, 0, 0);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 0x300040, pages, KFREE, 0, 0);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 4, got, PAGES);
	load(f);
	expect(f,
	       "SELECT class, event, caller, backing, count, bytes FROM unmatched_frees ORDER BY "
	       "1, 2, 4",
	       "before|kfree|writer||1|0\nbefore|page_free|writer||1|4096\nbefore|page_free|writer|"
	       "slab|1|8192\n"
	       "unseen|kfree|writer||1|0");
	expect(f, "SELECT event, caller, page_order, count FROM failed_allocations",
	       "page_alloc|reader|4|1");
	{
		GError *error = NULL;
		g_autoptr(StoreRows) rows = store_query_named(f->db, "report_growth", NULL, &error);

		g_assert_no_error(error);
		g_assert_true(store_rows_next(rows));
		g_assert_cmpint(store_rows_int(rows, 0), ==, 16384);
		g_assert_cmpint(store_rows_int(rows, 1), ==, 16384);
		g_assert_cmpint(store_rows_int(rows, 2), ==, 8192);
		g_assert_cmpint(store_rows_int(rows, 3), ==, 8192);
		g_assert_cmpfloat(store_rows_double(rows, 4), ==, 50.0);
	}
}

static void objects_waiting_for_rcu_are_not_live(Fixture *f, gconstpointer unused)
{
	static const char *const named[] = { ":lines", "9", ":site", "", NULL };
	guint32 by_reader = STACK(f, KMALLOC, READER), by_writer = STACK(f, WRITER, MAIN);

	for (guint64 i = 0; i < 4; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64 * i, by_reader, KMALLOC, 50,
			   64);
	for (guint64 i = 0; i < 3; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KFREE_RCU, BASE + 64 * i, by_writer, WRITER, 0, 0);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE, 0, MAIN, 0, 0);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 64, by_reader, KMALLOC, 60, 64);
	load(f);
	expect(f, "SELECT addr, state, free_caller, free_cpu, lifetime_ns, bytes_req FROM allocations "
	       "ORDER BY addr, time_ns",
	       "0xffff888000000000|freed|writer|0|7000|50\n"
	       "0xffff888000000040|freed_rcu|writer|0|4000|50\n0xffff888000000040|live||||60\n"
	       "0xffff888000000080|freeing|writer|0||50\n0xffff8880000000c0|live||||50");
	expect(f, "SELECT live_count, live_bytes, freed_rcu_count, freeing_count, freeing_bytes "
	       "FROM call_sites", "2|128|1|1|64");
	expect(f, "SELECT count(*) FROM live", "2");
	expect_report(f, "rcu", "3|1|1|64");
	check_named(f->db, "query_lifetimes", named, "2|4000|||7000|slab|reader|");
	expect_report(f, "unmatched", "");
}

static void kinds_have_separate_totals(Fixture *f, gconstpointer unused)
{
	guint32 chunk = STACK(f, PAGES, CHUNK, PERCPU, READER), percpu = STACK(f, PERCPU, READER);
	guint32 area = STACK(f, VMALLOC, WRITER), pages = STACK(f, PAGES, VMALLOC, WRITER);

	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x100, 0, chunk, PAGES);
	put_object(f, 0, KMEMTRACE_EVENT_PERCPU_ALLOC, 0x1000, percpu, PERCPU, 24, 96);
	put_object(f, 0, KMEMTRACE_EVENT_VMAP_ALLOC, 0x1000, area, VMALLOC, 8192, 12288);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x200, 1, pages, PAGES);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0x1000, percpu, READER, 10, 16);
	put_object(f, 0, KMEMTRACE_EVENT_PERCPU_ALLOC, 0x2000, percpu, PERCPU, 8, 32);
	put_object(f, 1, KMEMTRACE_EVENT_PERCPU_FREE, 0x2000, 0, READER, 0, 0);
	put_page(f, 1, KMEMTRACE_EVENT_PAGE_FREE, 0x900, 0, chunk, PUT);
	load(f);
	expect(f, "SELECT kind, caller, allocs, bytes_total, live_count, live_bytes, waste_total "
	       "FROM call_sites ORDER BY 1",
	       "page|writer|1|8192|1|8192|0\npercpu|reader|2|128|1|96|0\nslab|reader|1|16|1|16|6\n"
	       "vmalloc|writer|1|12288|1|12288|4096");
	expect(f, "SELECT kind, allocs, live_bytes FROM kinds ORDER BY 1",
	       "page|1|8192\npercpu|2|96\nslab|1|16\nvmalloc|1|12288");
	expect(f, "SELECT event, waste, gfp FROM allocations WHERE kind IN ('percpu', 'vmalloc') AND "
	       "state = 'live' ORDER BY 1", "percpu_alloc||__GFP_DMA|__GFP_IO\nvmap_alloc|4096|");
	expect(f, "SELECT addr, backing FROM live WHERE kind = 'page' ORDER BY 1",
	       "0x100|percpu\n0x200|");
	expect(f, "SELECT class, event, backing, bytes FROM unmatched_frees",
	       "before|page_free|percpu|4096");
	expect_kind(f, "live", "percpu", "96|1|reader|");
	expect_kind(f, "total", "percpu", "128|2|64|reader|");
	expect_kind(f, "live", "vmalloc", "12288|1|writer|mod");
	expect_kind(f, "total", "vmalloc", "12288|1|12288|writer|mod");
	expect_kind(f, "live", "slab", "16|1|reader|");
	expect_kind(f, "live", "page", "8192|1|writer|mod");
	expect(f, "SELECT event, kind FROM (SELECT id, name AS event, kind FROM event) "
	       "WHERE kind IS NULL ORDER BY id", "task|\nextfrag|\nzone_locked|\npcpu_drain|\n"
	       "map|\nexec|\nfork|\nmark|\ncompact|\ndup_mm|");
}

static void old_allocations_are_reported_by_kind(Fixture *f, gconstpointer unused)
{
	put_object(f, 0, KMEMTRACE_EVENT_PERCPU_ALLOC, 0x1000, 0, READER, 24, 96);
	put_object(f, 0, KMEMTRACE_EVENT_VMAP_ALLOC, 0x1000, 0, READER, 8192, 12288);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0x1000, 0, READER, 10, 16);
	put_object(f, 0, KMEMTRACE_EVENT_KFREE, 0x9000, 0, READER, 0, 0);
	load(f);
	expect_report(f, "old", "16|1|1000|slab|reader|||");
	expect_kind(f, "old", "percpu", "96|1|3000|percpu|reader|||");
	expect_kind(f, "old", "vmalloc", "12288|1|2000|vmalloc|reader|||");
}

static void put_move(Fixture *f, guint8 type, guint64 pfn, guint8 order, guint8 migratetype,
		     guint32 stack_id, guint32 block_order, guint32 block_type)
{
	put(f, 0,
	    (struct kmemtrace_record){ .addr = pfn,
				       .call_site = TEXT + PAGES,
				       .stack_id = stack_id,
				       .bytes_req = block_order,
				       .bytes_alloc = block_type,
				       .tid = 7,
				       .page = { order, migratetype },
				       .type = type });
}

static void page_migrations_are_counted(Fixture *f, gconstpointer unused)
{
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x100, 0, 0, READER);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x200, 0, 0, READER);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0x1000, 0, READER, 10, 16);
	for (guint i = 0; i < 70; i++)
		put_move(f, KMEMTRACE_EVENT_PAGE_MOVE, 0x100 + i, 0, 0xff, 0, 0x101 + i, 0);
	load(f);
	expect(f, "SELECT addr, moves, state, backing_id FROM allocations ORDER BY moves",
	       "0x1000||live|0\n0x200|0|live|0\n0x146|70|live|0");
	expect(f, "SELECT count(*) FROM live WHERE moves > 0", "1");
	expect(f, "SELECT max(moves) FROM alloc", "70");
}

static void fragmentation_events_are_no_allocations(Fixture *f, gconstpointer unused)
{
	guint32 by_reader = STACK(f, PAGES, READER), by_writer = STACK(f, PAGES, WRITER);

	text(f, "abi", KMEMTRACE_PHASE_START,
	     "abi_version 1\nmigratetype 0 unmovable\nmigratetype 1 movable\n");
	for (guint i = 0; i < 3; i++)
		put_move(f, KMEMTRACE_EVENT_EXTFRAG, 0x100 + i, 0, 0, by_reader, 9, 1);
	put_move(f, KMEMTRACE_EVENT_EXTFRAG, 0x200, 0, 0, by_reader, 10, 1);
	put_move(f, KMEMTRACE_EVENT_EXTFRAG, 0x300, 2, 1, by_writer, 5, 7);
	put_move(f, KMEMTRACE_EVENT_ZONE_LOCKED, 0x300, 1, 1, by_writer, 1, 0);
	put_move(f, KMEMTRACE_EVENT_ZONE_LOCKED, 0x300, 1, 1, by_reader, 1, 0);
	put_move(f, KMEMTRACE_EVENT_ZONE_LOCKED, 0x300, 1, 1, by_reader, 0, 0);
	put_move(f, KMEMTRACE_EVENT_PCPU_DRAIN, 0x300, 3, 0, 0, 0, 0);
	for (guint i = 0; i < 2; i++)
		put_move(f, KMEMTRACE_EVENT_COMPACT, 0, 9, 0xff, by_writer, 0, 0);
	load(f);
	expect(f, "SELECT count(*) FROM allocations", "0");
	expect(f, "SELECT count(*) FROM task", "0");
	expect(f, "SELECT alloc_order, fallback_order, alloc_migratetype, fallback_migratetype, caller, "
	       "module, call_site, count FROM fragmentation ORDER BY 1, 2",
	       "0|9|unmovable|movable|reader||__alloc_pages_noprof+0x10|3\n"
	       "0|10|unmovable|movable|reader||__alloc_pages_noprof+0x10|1\n"
	       "2|5|movable|7|writer|mod|__alloc_pages_noprof+0x10|1");
	expect(f, "SELECT s.text FROM fragmentation f JOIN stacks s ON s.id = f.stack WHERE count = 3",
	       "__alloc_pages_noprof+0x10 < reader+0x10");
	expect_report(f, "moves", "pcpu_drain|3|unmovable||1|8\nzone_locked|1|movable|0|1|2\nzone_locked|1|movable|1|2|4");
	expect_report(f, "migrated", "");
	expect(f, "SELECT event, page_order, migratetype, refill, count, pages FROM page_moves "
	       "WHERE event <> 'extfrag' ORDER BY 1, 4",
	       "compact|9|||2|1024\npcpu_drain|3|unmovable||1|8\nzone_locked|1|movable|0|1|2\n"
	       "zone_locked|1|movable|1|2|4");
	expect_report(f, "fragmentation",
		      "3|0|9|unmovable|movable|reader|\n1|0|10|unmovable|movable|reader|\n"
		      "1|2|5|movable|7|writer|mod");
	expect_report(f, "unmatched", "");
}

static void settings_of_the_recording_are_stored(Fixture *f, gconstpointer unused)
{
	text(f, "events", KMEMTRACE_PHASE_END, "slab page frag\n");
	text(f, "filters", KMEMTRACE_PHASE_END, "pids 12 13\ncgroup 0\ncache\nsize 64\nsample 1\n");
	text(f, "paths", KMEMTRACE_PHASE_START, "kmalloc on\nbulk unseen: from the start\n");
	text(f, "paths", KMEMTRACE_PHASE_END,
	     "kmalloc on\npercpu off\nkfree_rcu unseen: no symbol: kvfree_call_rcu\n\nbroken\n");
	load(f);
	expect(f, "SELECT name FROM event_group WHERE NOT traced ORDER BY 1", "buddy\npercpu\nvmalloc");
	expect(f, "SELECT name, value FROM filters WHERE in_force ORDER BY 1", "pids|12 13\nsize|64");
	expect(f, "SELECT name, state, why FROM paths ORDER BY 1",
	       "kfree_rcu|unseen|no symbol: kvfree_call_rcu\nkmalloc|on|\npercpu|off|");
	expect(f, "SELECT value FROM meta WHERE key = 'sample'", "1");
	expect(f, "SELECT value FROM meta WHERE key = 'skipped_lines'", "2");
}

static void report_scales_sampled_allocations(Fixture *f, gconstpointer unused)
{
	text(f, "filters", KMEMTRACE_PHASE_START, "sample 8\n");
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0x1000, 0, READER, 10, 16);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0x1000, 0, READER, 10, 16);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, 0, 0, READER, 10, 16);
	put_object(f, 0, KMEMTRACE_EVENT_KFREE_RCU, 0x1000, 0, READER, 0, 0);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x100, 0, 0, WRITER);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 0x200, 0, 0, WRITER);
	load(f);
	expect(f, "SELECT allocs, bytes_total FROM call_sites WHERE kind = 'slab'", "2|32");
	expect_report(f, "kinds", "slab|16|256|0|0|8|128\npage|8|32768|8|32768|0|0");
	expect_kind(f, "live", "page", "32768|8|writer|mod");
	expect_kind(f, "total", "slab", "256|16|16|reader|");
	expect_report(f, "waste", "96|37.5|16|reader|");
	expect_report(f, "rcu", "8|0|8|128");
	expect_report(f, "old", "32768|8|1000|page|writer|||");
	/* Failed allocations have no address, so they are never filtered out. */
	expect_report(f, "unmatched", "page_free|before|8|32768\nkmalloc|failed|1|\n"
		      "kmalloc|free unseen|8|128");
}

static void module_name_follows_load_times(Fixture *f, gconstpointer unused)
{
	guint32 both = STACK(f, KMALLOC, WRITER, MAIN);

	text(f, "module_times", KMEMTRACE_PHASE_END,
	     "0 1002500 0xffffffff81007000 0x1000 gone\n1003500 0 0xffffffff81007000 0x1000 mod\n"
	     "0 1003000 0xffffffffc0000000 0x1000 far\n");
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, both, KMALLOC, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, 0x3f000010, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KFREE, BASE + 64, 0, WRITER, 0, 0);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 192, 0, WRITER, 50, 64);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 256, both, KMALLOC, 50, 64);
	load(f);
	expect(f, "SELECT caller, module, call_site, free_caller FROM allocations ORDER BY time_ns",
	       "[gone]+0x10|gone|__kmalloc_noprof+0x10|[gone]+0x10\n"
	       "[far]+0x10|far|[far]+0x10|\nwriter|mod|writer+0x10 [mod]|\n"
	       "writer|mod|__kmalloc_noprof+0x10|");
	expect(f, "SELECT text FROM stacks ORDER BY id",
	       "__kmalloc_noprof+0x10 < [gone]+0x10 < main_loop+0x10\n"
	       "__kmalloc_noprof+0x10 < writer+0x10 [mod] < main_loop+0x10");
	expect(f, "SELECT name, load_ns, unload_ns FROM module ORDER BY base, load_ns",
	       "gone||1500\nmod|2500|\nfar||2000");
}

/* It is between an allocator and its caller, when a tool traces the end of the allocator. */
static void bpf_trampoline_is_no_caller(Fixture *f, gconstpointer unused)
{
	g_autofree char *start =
		g_strconcat(kallsyms, "ffffffffc0000000 t bpf_trampoline_1\t[bpf]\n", NULL);
	guint32 direct = STACK(f, 0x3f000010, READER, MAIN);
	guint32 deeper = STACK(f, KMALLOC, 0x3f000010, WRITER, MAIN);

	text(f, "kallsyms", KMEMTRACE_PHASE_START, start);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, direct, 0x3f000010, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 128, deeper, KMALLOC, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 192, 0, 0x3f000010, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 256, 0, 0x3f001010, 50, 64); /* other */
	load(f);
	expect(f, "SELECT caller, module, call_site FROM allocations ORDER BY time_ns",
	       "reader||0xffffffffc0000010\nwriter|mod|__kmalloc_noprof+0x10\n"
	       "0xffffffffc0000010||0xffffffffc0000010\n0xffffffffc0001010||0xffffffffc0001010");
}

/* Another tracer's kretprobe is the call site; the kernel's unwinder finds what it replaced. */
static void replaced_call_site_is_no_caller_if_the_stack_has_it(Fixture *f, gconstpointer unused)
{
	g_autofree char *end = g_strconcat(kallsyms, "ffffffff81011000 t arch_rethook_trampoline\n",
					   NULL);
	guint32 resolved = STACK(f, KMALLOC, READER, MAIN), unresolved = STACK(f, 0x11000, MAIN);

	text(f, "kallsyms", KMEMTRACE_PHASE_END, end);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, resolved, 0x11000, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 128, unresolved, 0x11000, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 192, 0, 0x11000, 50, 64);
	load(f);
	expect(f, "SELECT caller FROM allocations ORDER BY time_ns",
	       "reader\narch_rethook_trampoline\narch_rethook_trampoline");
}

/* Addresses with the same name are one frame of one stack, however often the module was loaded. */
static void a_module_that_is_loaded_again_has_the_same_frames(Fixture *f, gconstpointer unused)
{
	guint32 again = STACK(f, KMALLOC, 0x3f000010, 0x3f200010, MAIN);

	(void)unused;
	text(f, "module_times", KMEMTRACE_PHASE_END,
	     "0 1001500 0xffffffffc0000000 0x1000 again\n"
	     "1001600 1002500 0xffffffffc0000000 0x1000 between\n"
	     "1002600 0 0xffffffffc0000000 0x1000 again\n"
	     "0 1000500 0xffffffffc0200000 0x1000 named\n"
	     "1000600 1001700 0xffffffffc0200000 0x1000 named\n"
	     "1001800 1002700 0xffffffffc0200000 0x1000 named\n");
	text(f, "module_functions", KMEMTRACE_PHASE_END,
	     "text 0 1000500 0xffffffffc0200000 0x1000 named\nffffffffc0200000 t work\n"
	     "text 1000600 1001700 0xffffffffc0200000 0x1000 named\nffffffffc0200000 t work\n"
	     "text 1001800 1002700 0xffffffffc0200000 0x1000 named\nffffffffc0200008 t work\n");
	for (guint i = 0; i < 4; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64 * i, again, KMALLOC, 50, 64);
	load(f);
	expect(f, "SELECT text FROM stacks ORDER BY id",
	       "__kmalloc_noprof+0x10 < [again]+0x10 < work+0x10 [named] < main_loop+0x10\n"
	       "__kmalloc_noprof+0x10 < [between]+0x10 < work+0x8 [named] < main_loop+0x10\n"
	       "__kmalloc_noprof+0x10 < [again]+0x10 < work+0x8 [named] < main_loop+0x10");
	expect(f, "SELECT count(*) FROM frame", "6");
	expect(f, "SELECT count(*) FROM origin", "3");
	expect(f, "SELECT value FROM meta WHERE key = 'module_eras'", "15");
}

/* A driver's alloc_pages() is its own function, but its copy of kzalloc() is the kernel's. */
static void allocator_name_in_module_is_a_caller(Fixture *f, gconstpointer unused)
{
	guint32 own = STACK(f, PAGES, OWN, MAIN), copy = STACK(f, KMALLOC, COPY, WRITER, MAIN);

	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, own, PAGES, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 128, copy, COPY, 50, 64);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 192, 0, OWN, 50, 64);
	load(f);
	expect(f, "SELECT caller, module FROM allocations ORDER BY time_ns",
	       "alloc_pages|mod\nwriter|mod\nalloc_pages|mod");
}

/* BPF's trampoline, which has no name if it was created after the names were read. */
static void trampoline_in_allocator_is_no_caller(Fixture *f, gconstpointer unused)
{
	const guint32 unknown = 0x3f000116;
	guint32 bulk = STACK(f, PAGES, unknown, PAGES, WRITER, MAIN);
	guint32 own = STACK(f, PAGES, unknown, WRITER, MAIN);

	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x100, 0, bulk, PAGES);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x200, 0, own, PAGES);
	load(f);
	expect(f, "SELECT caller FROM allocations ORDER BY time_ns", "writer\n0xffffffffc0000116");
}

/*
 * A function ends by a jump to the trampoline, which its caller then seems to have called. The
 * module creates none.
 */
static void trampoline_at_the_end_is_no_caller(Fixture *f, gconstpointer by_bpf)
{
	const guint32 unknown = 0x3f000116, bulk = 0xf810;
	guint32 id = STACK(f, bulk, unknown, WRITER, MAIN);

	if (by_bpf)
		text(f, "host", KMEMTRACE_PHASE_START, "source=bpf\n");
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 0x100, 0, id, bulk);
	load(f);
	expect(f, "SELECT caller FROM allocations", by_bpf ? "writer" : "0xffffffffc0000116");
}

static void symbols_follow_module_load_times(Fixture *f, gconstpointer unused)
{
	const guint32 init = 0x3f100010, work = 0x3f000010;
	const guint32 sites[] = { READER, init, work, READER, init };
	guint32 reader = STACK(f, KMALLOC, READER, MAIN);

	text(f, "module_times", KMEMTRACE_PHASE_END,
	     "1000500 1003500 0xffffffffc0000000 0x1000 gone\n");
	text(f, "module_functions", KMEMTRACE_PHASE_END,
	     "init 1000500 1002500 0xffffffffc0100000 0x100 gone\nffffffffc0100000 t gone_init\n"
	     "text 1000500 1003500 0xffffffffc0000000 0x1000 gone\nffffffffc0000000 t gone_work\n");
	for (guint i = 0; i < G_N_ELEMENTS(sites); i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64 * i,
			   sites[i] == READER ? reader : 0, sites[i], 50, 64);
	load(f);
	expect(f, "SELECT time_ns, call_site, module FROM allocations ORDER BY time_ns",
	       "0|reader+0x10|\n1000|gone_init+0x10 [gone]|gone\n2000|gone_work+0x10 [gone]|gone\n"
	       "3000|reader+0x10|\n4000|0xffffffffc0100010|");
	expect(f, "SELECT caller, allocs FROM call_sites WHERE caller = 'reader'", "reader|2");
	expect(f, "SELECT count(*), count(DISTINCT stack) FROM origin", "4|1");
	expect(f, "SELECT name FROM module", "gone");
}

static guint files_in(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	guint count = 0;

	while (g_dir_read_name(dir))
		count++;
	return count;
}

/* krealloc() in place: one allocation by the same caller, with the last size. */
static void a_resized_object_has_its_last_size(Fixture *f, gconstpointer unused)
{
	guint32 by_reader = STACK(f, KMALLOC, READER, MAIN);

	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE, by_reader, KMALLOC, 100, 128);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 128, by_reader, KMALLOC, 100, 128);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 256, by_reader, KMALLOC, 128, 128);
	put_object(f, 0, KMEMTRACE_EVENT_RESIZE, BASE, 0, WRITER, 30, 0);
	put_object(f, 0, KMEMTRACE_EVENT_RESIZE, BASE, 0, WRITER, 128, 0);
	put_object(f, 0, KMEMTRACE_EVENT_KFREE, BASE, 0, WRITER, 0, 0);
	put_object(f, 0, KMEMTRACE_EVENT_RESIZE, BASE + 512, 0, WRITER, 8, 0);
	load(f);
	expect(f, "SELECT bytes_req, bytes_alloc, waste, caller, state FROM allocations ORDER BY addr",
	       "128|128|0|reader|freed\n100|128|28|reader|live\n128|128|0|reader|live");
	expect(f, "SELECT caller, allocs, bytes_total, waste_total FROM call_sites", "reader|3|384|28");
	expect(f, "SELECT count FROM events WHERE event = 'resize'", "3");
	expect(f, "SELECT value FROM meta WHERE key = 'resized'", "2");
}

static void reordered_events_are_counted(Fixture *f, gconstpointer unused)
{
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	f->now -= 1500;		/* written after it, but 500 ns earlier */
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, WRITER, 8, 8);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 192, 0, READER, 0, 0);
	f->now -= 500;		/* freed on CPU 1 500 ns before it is allocated on CPU 0 */
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 192, 0, READER, 16, 16);
	f->now -= 200000;	/* the clock is set */
	put_object(f, 0, KMEMTRACE_EVENT_KFREE, BASE + 64, 0, READER, 0, 0);
	load(f);
	expect(f, "SELECT addr, state, free_cpu, lifetime_ns FROM allocations ORDER BY addr",
	       "0xffff888000000040|freed|0|0\n0xffff888000000080|live||\n0xffff8880000000c0|freed|1|0");
	expect(f, "SELECT time_ns, caller FROM live", "0|writer");
	expect(f, "SELECT id, reordered, backward FROM cpu", "0|1|1\n1|0|0");
	expect(f, "SELECT count(*) FROM unmatched_frees", "0");
	expect(f, "SELECT value FROM meta WHERE key IN ('frees_early', 'frees_unmatched') ORDER BY key",
	       "1\n0");
}

/* Addresses that aren't word offsets from the base, and values that need many bytes. */
static void unusual_addresses_are_stored_exactly(Fixture *f, gconstpointer unused)
{
	static const guint64 addrs[] = {
		BASE, BASE + 8, BASE + 3, BASE - 8, 24, G_MAXUINT64 - 7,
		BASE + (G_GUINT64_CONSTANT(1) << 47), BASE + (G_GUINT64_CONSTANT(1) << 47) - 8,
	};
	g_autoptr(GString) expected = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(addrs); i++) {
		put_object(f, i % 2, KMEMTRACE_EVENT_KMALLOC, addrs[i], 0, READER, 8, 8);
		g_string_append_printf(expected, "%s0x%" G_GINT64_MODIFIER "x|%u|1", i ? "\n" : "",
				       addrs[i], i % 2);
	}
	for (guint i = 0; i < G_N_ELEMENTS(addrs); i++)
		put_object(f, (i + 1) % 2, KMEMTRACE_EVENT_KFREE, addrs[i], 0, WRITER, 0, 0);
	load(f);
	expect(f, "SELECT addr, cpu, abs(cpu - free_cpu) FROM allocations ORDER BY time_ns",
	       expected->str);
}

/* The totals equal those of the whole database, without any rows. */
static void totals_equal_those_of_the_database(Fixture *f, gconstpointer unused)
{
	static const char sql[] = "SELECT * FROM call_sites ORDER BY 1, 2, 3";
	g_autoptr(GError) error = NULL;
	g_autofree char *whole = NULL, *totals = NULL, *rows = NULL;
	StoreDb *of_file;

	put_page(f, 0, KMEMTRACE_EVENT_PAGE_ALLOC, 4, 2, 0, WRITER);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 50, 64);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, WRITER, 50, 64);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 64, 0, WRITER, 0, 0);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 5 * 4096, 0, WRITER, 0, 0);
	put_object(f, 1, KMEMTRACE_EVENT_KFREE, BASE + 81920, 0, WRITER, 0, 0);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 5, 0, 0, WRITER);
	load(f);
	whole = check_ask(f->db, sql, NULL, &error);
	g_assert_no_error(error);
	of_file = f->db;
	f->db = store_totals(f->kmt, NULL, NULL, &f->result, &error);
	g_assert_no_error(error);
	totals = check_ask(f->db, sql, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(totals, ==, whole);
	expect(f, "SELECT class, sum(count) FROM unmatched_frees GROUP BY 1", "before|1\nunseen|1");
	expect(f, "SELECT count(*) FROM lifetime", "0");
	expect_report(f, "stat", "slab|2|128|1|64|1|64|0|0\npage|1|16384|0|4096|1|12288|0|0");
	rows = check_ask(f->db, "DELETE FROM meta", NULL, &error);
	g_assert_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY);
	store_close(f->db);
	f->db = of_file;
}

/* No event reports allocations of per-CPU chunks' areas, or of memory accepted late. */
static void allocations_without_event_are_unseen(Fixture *f, gconstpointer unused)
{
	guint32 areas = STACK(f, AREAS, MAIN), accept = STACK(f, ACCEPT, MAIN);

	put_object(f, 0, KMEMTRACE_EVENT_VMAP_FREE, VMALLOC_BASE, areas, AREAS, 0, 0);
	put_object(f, 0, KMEMTRACE_EVENT_VMAP_FREE, VMALLOC_BASE + 65536, 0, WRITER, 0, 0);
	put_page(f, 0, KMEMTRACE_EVENT_PAGE_FREE, 1024, 10, accept, ACCEPT);
	load(f);
	expect(f, "SELECT class, event, caller, count FROM unmatched_frees ORDER BY 1, 2",
	       "before|vmap_free|writer|1\nunseen|page_free|cond_accept_memory|1\n"
	       "unseen|vmap_free|pcpu_free_vm_areas|1");
}

static gboolean stop_at_once(guint64 done, guint64 total, gpointer data)
{
	++*(guint *)data;
	return FALSE;
}

static void load_stops_when_progress_returns_false(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;
	guint calls = 0;

	for (guint i = 0; i < 1 << 16; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 8 * i, 0, READER, 8, 8);
	finish_trace(f, TRUE);
	g_assert_false(store_load(f->kmt, f->db_path, stop_at_once, &calls, &f->result, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_STOPPED);
	g_assert_cmpuint(calls, ==, 1);
	g_assert_cmpuint(files_in(f->dir), ==, 1);
	g_clear_error(&error);
	g_assert_null(store_totals(f->kmt, stop_at_once, &calls, &f->result, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_STOPPED);
}

/* Called after every 8,192 events. */
static gboolean stop_after_events(guint64 done, guint64 total, gpointer data)
{
	return ++*(guint *)data <= (1 << 16) / (1 << 13);
}

static void load_stops_while_it_writes_frames(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;
	guint calls = 0;

	for (guint i = 0; i < 1 << 16; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 8 * i, 0, 0x3f000010 + i, 8,
			   8);
	finish_trace(f, TRUE);
	g_assert_false(store_load(f->kmt, f->db_path, stop_after_events, &calls, &f->result,
				  &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_STOPPED);
	g_assert_cmpuint(files_in(f->dir), ==, 1);
}

/* Even if there is little to do. */
static void load_that_is_stopped_at_its_end_leaves_nothing(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;
	guint calls = 0;

	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 8, 0, READER, 8, 8);
	finish_trace(f, TRUE);
	g_assert_false(store_load(f->kmt, f->db_path, stop_at_once, &calls, &f->result, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_STOPPED);
	g_assert_cmpuint(files_in(f->dir), ==, 1);
}

/* No trace loses so many, but a file may claim it: the sum must not overflow. */
static void sum_of_huge_losses_is_positive(Fixture *f, gconstpointer unused)
{
	f->lost[0] = f->lost[1] = G_GUINT64_CONSTANT(1) << 63;
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, READER, 8, 8);
	load(f);
	expect(f, "SELECT sum(count) > 0, typeof(sum(count)) FROM losses WHERE unit = 'records'",
	       "1|integer");
	expect(f, "SELECT min(count) > 0 FROM loss_window", "1");
}

static void losses_are_stored_by_cpu_and_reason(Fixture *f, gconstpointer unused)
{
	text(f, "stats", KMEMTRACE_PHASE_END,
	     "cpu written ignored buffer_full nmi recursion stack_full cache_full name\n"
	     "0 1 5 0 0 0 0 0 7\n1 1 0 9 1 0 4 0 0\n2 0 0 0 0 2 0 0 0\nbroken\nmemory buffers 4096\n");
	f->lost[1] = 6;
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, READER, 8, 8);
	load(f);
	expect(f, "SELECT cpu, reason, count FROM losses WHERE count ORDER BY 1, 2",
	       "0|name|7\n1|buffer_full|9\n1|nmi|1\n1|stack_full|4\n2|recursion|2");
	expect(f, "SELECT unit, sum(count) FROM losses WHERE count GROUP BY 1 ORDER BY 1",
	       "details|4\nnames|7\nrecords|12");
	expect(f, "SELECT cpu, count(*) FROM losses GROUP BY cpu", "0|8\n1|8\n2|8");
	expect(f, "SELECT sum(count) FROM loss_window WHERE reason = 'buffer_full' AND cpu = 1",
	       "9");
	expect(f, "SELECT count(*) FROM loss_window WHERE to_ns < from_ns", "0");
	expect(f, "SELECT id, events, written, ignored FROM cpu", "0|1|1|5\n1|1|1|0\n2|0|0|0");
	expect(f, "SELECT value FROM meta WHERE key = 'tracer_bytes.buffers'", "4096");
	g_assert_cmpuint(f->result.lost, ==, 12);	/* without lost stacks and names */
}

/* Their plain sum would wrap to 0. */
static void huge_losses_are_capped(Fixture *f, gconstpointer unused)
{
	text(f, "stats", KMEMTRACE_PHASE_END, "cpu written nmi\n0 1 18446744073709551615\n1 1 1\n");
	f->lost[0] = f->lost[1] = G_GUINT64_CONSTANT(1) << 63;
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, READER, 8, 8);
	load(f);
	g_assert_cmpuint(f->result.lost, ==, (G_GUINT64_CONSTANT(3) << 44) + 1);
	expect(f, "SELECT sum(count) FROM losses WHERE unit = 'records'", "52776558133249");
	expect(f, "SELECT count(*) FROM loss_window WHERE count < 0", "0");
}

static void count_row(gpointer data, const gint64 *values)
{
	++*(gint *)data;
}

/* Each connection to a database reads the file that was opened and checked first. */
static void store_reads_the_file_that_it_opened(Fixture *f, gconstpointer unused)
{
	g_autofree char *name = g_build_filename(f->dir, "other.db", NULL);
	gint counts[SCAN_WORKERS] = { 0 }, sum = 0;

	for (guint i = 0; i < 10; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64 * i, 0, READER, 8, 8);
	load(f);
	g_assert_true(g_file_set_contents(name, "no database", -1, NULL));
	g_assert_cmpint(g_rename(name, f->db_path), ==, 0);
	g_assert_true(store_scan(f->db, "scan_left", NULL, count_row, counts, sizeof(*counts), NULL));
	for (guint i = 0; i < SCAN_WORKERS; i++)
		sum += counts[i];
	g_assert_cmpint(sum, ==, 10);
}

/* Where others can write, the name of a new file may become a link, so SQLite opens no name. */
static void store_writes_the_file_that_it_created(Fixture *f, gconstpointer unused)
{
	g_autofree char *name = g_build_filename(f->dir, "new.XXXXXX", NULL);
	g_autofree char *target = g_build_filename(f->dir, "target", NULL);
	int fd = g_mkstemp(name);
	g_autoptr(Db) db = NULL;
	struct stat st;

	finish_trace(f, TRUE);
	g_assert_cmpint(g_unlink(name), ==, 0);
	g_assert_cmpint(symlink(target, name), ==, 0);
	db = db_create(name, fd, NULL);
	g_assert_true(db && db_finish(db, NULL));
	g_assert_false(g_file_test(target, G_FILE_TEST_EXISTS));
	g_assert_cmpint(fstat(fd, &st), ==, 0);
	g_assert_cmpint(st.st_size, >, 0);
	g_assert_cmpint(g_unlink(name), ==, 0);
	close(fd);
}

#define PLANTED 3 /* beside a file that is being created */

/*
 * Anyone who can write to the folder: puts a link and FIFOs beside the file that is being created.
 */
static gboolean plant(guint64 done, guint64 total, gpointer data)
{
	const Fixture *f = data;
	static const char *const suffixes[PLANTED] = { "-journal", "-wal", "-shm" };
	g_autofree char *target = g_build_filename(f->dir, "target", NULL);
	g_autoptr(GDir) dir = g_dir_open(f->dir, 0, NULL);

	for (const char *name; (name = g_dir_read_name(dir));) {
		gboolean ours = g_str_has_prefix(name, "t.db.") && !strchr(name, '-');

		for (guint i = 0; i < PLANTED && ours; i++) {
			g_autofree char *beside = g_strconcat(f->dir, "/", name, suffixes[i], NULL);

			if (i ? mkfifo(beside, 0600) : link(target, beside))
				g_assert_cmpint(errno, ==, EEXIST);
		}
	}
	alarm(300); /* kills the test if a FIFO is opened */
	return TRUE;
}

/* As root, SQLite would also give them to the owner of the database. */
static void load_touches_nothing_beside_its_file(Fixture *f, gconstpointer unused)
{
	g_autofree char *target = g_build_filename(f->dir, "target", NULL);
	g_autoptr(GDir) dir = NULL;
	struct stat before, after;
	StoreLoadResult result;
	GError *error = NULL;
	guint planted = 0;

	for (guint i = 0; i < 100000; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64 * (guint64)i, 0, READER, 8, 8);
	finish_trace(f, TRUE);
	g_assert_true(g_file_set_contents(target, "precious", -1, NULL));
	g_assert_cmpint(chmod(target, 0640), ==, 0);
	store_load(f->kmt, f->db_path, plant, f, &result, &error);
	alarm(0);
	g_assert_no_error(error);
	dir = g_dir_open(f->dir, 0, NULL);
	for (const char *name; (name = g_dir_read_name(dir));) {
		if (!g_str_has_prefix(name, "t.db.") || !strchr(name, '-'))
			continue;
		g_autofree char *path = g_build_filename(f->dir, name, NULL);

		g_assert_cmpint(stat(path, &after), ==, 0);
		if (strstr(name, "-journal")) {
			g_assert_cmpint(stat(target, &before), ==, 0);
			g_assert_cmpuint(after.st_ino, ==, before.st_ino);
			g_assert_cmpuint(after.st_mode, ==, S_IFREG | 0640);
			g_assert_cmpint(after.st_size, ==, 8);
		} else {
			g_assert_true(S_ISFIFO(after.st_mode));
		}
		g_assert_cmpint(g_unlink(path), ==, 0);
		planted++;
	}
	g_assert_cmpuint(planted, ==, PLANTED);
	g_assert_cmpint(g_unlink(target), ==, 0);
}

/* Without counters, missing sub-buffers at the end can't be detected. */
static void check_uncounted(Fixture *f, const char *stats, const char *uncounted)
{
	text(f, "stats", KMEMTRACE_PHASE_END, stats);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	put_object(f, 1, KMEMTRACE_EVENT_KMALLOC, BASE + 128, 0, READER, 8, 8);
	load(f);
	expect(f, "SELECT value FROM meta WHERE key = 'uncounted'", uncounted);
}

static void cpu_without_counters_is_uncounted(Fixture *f, gconstpointer unused)
{
	check_uncounted(f, "cpu written ignored\n0 1 0\n", "1");
}

static void cpus_with_unreadable_counters_are_uncounted(Fixture *f, gconstpointer unused)
{
	check_uncounted(f, "cpu\x1b written ignored\n0 1 0\n1 1 0\n", "2");
}

static void cpus_with_counters_are_counted(Fixture *f, gconstpointer unused)
{
	check_uncounted(f, "cpu written ignored\n0 1 0\n1 1 0\n", "0");
}

static void cpu_without_events_and_counters_is_uncounted(Fixture *f, gconstpointer unused)
{
	text(f, "cpu_nodes", KMEMTRACE_PHASE_START, "0 0\n1 0\n2 0\n");
	check_uncounted(f, "cpu written ignored\n0 1 0\n1 1 0\n", "1");
}

static void objects_have_their_cache_name(Fixture *f, gconstpointer unused)
{
	struct kmemtrace_record record = {
		.addr = BASE + 64,
		.call_site = TEXT + READER,
		.bytes_req = 72,
		.bytes_alloc = 72,
		.cache = 9,
		.node = 1,
		.type = KMEMTRACE_EVENT_CACHE_ALLOC | KMEMTRACE_CONTEXT_SOFTIRQ
							      << KMEMTRACE_TYPE_CONTEXT_SHIFT,
	};

	text(f, "caches", KMEMTRACE_PHASE_END, "9 72 odd name\n10 8 ?\n");
	text(f, "slabinfo", KMEMTRACE_PHASE_END,
	     "slabinfo - version: 2.1\n"
	     "kmalloc-64 1 1 64 1 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	     "kmalloc-1k 1 1 1024 1 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	     "dma-kmalloc-64 1 1 64 1 1 : tunables 0 0 0 : slabdata 1 1 0\n");
	put(f, 0, record);
	record.cache = 10;
	record.addr += 4096;
	put(f, 0, record);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x10000, 0, READER, 50,
		   64); /* has __GFP_DMA */
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x20000, 0, READER, 1000, 1024);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x30000, 0, READER, 9000, 16384);
	load(f);
	expect(f, "SELECT cache, node, context, comm, tid FROM allocations ORDER BY time_ns",
	       "odd name|1|softirq|swapper|0\n|1|softirq|swapper|0\ndma-kmalloc-64||task||7\n"
	       "kmalloc-1k||task||7\n||task||7");
}

/*
 * A kmalloc() has the cache that it names; one that names none may be from a bucket of that size.
 */
static void kmalloc_has_its_cache_or_bucket_name(Fixture *f, gconstpointer unused)
{
	struct kmemtrace_record record = {
		.addr = BASE + 64,
		.call_site = TEXT + READER,
		.bytes_req = 100,
		.bytes_alloc = 128,
		.cache = 9,
		.type = KMEMTRACE_EVENT_KMALLOC,
	};

	text(f, "caches", KMEMTRACE_PHASE_END, "9 128 msg_msg-128\n");
	text(f, "slabinfo", KMEMTRACE_PHASE_END,
	     "slabinfo - version: 2.1\n"
	     "kmalloc-128 1 1 128 1 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	     "kmalloc-64 1 1 64 1 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	     "msg_msg-128 1 1 128 1 1 : tunables 0 0 0 : slabdata 1 1 0\n"
	     "biovec-64 1 1 1024 1 1 : tunables 0 0 0 : slabdata 1 1 0\n");
	put(f, 0, record);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x10000, 0, READER, 100, 128);
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 0x20000, 0, READER, 60, 64);
	load(f);
	expect(f, "SELECT cache FROM allocations ORDER BY time_ns",
	       "msg_msg-128\nkmalloc-128 or a bucket of its size\nkmalloc-64");
	expect(f, "SELECT slabinfo FROM cache ORDER BY id", "msg_msg-128\nkmalloc-128\nkmalloc-64");
}

static void merged_caches_are_stored(Fixture *f, gconstpointer unused)
{
	struct kmemtrace_record record = {
		.addr = BASE + 64,
		.call_site = TEXT + READER,
		.bytes_req = 216,
		.bytes_alloc = 216,
		.cache = 9,
		.type = KMEMTRACE_EVENT_CACHE_ALLOC,
	};

	text(f, "caches", KMEMTRACE_PHASE_END, "9 216 file_lock_cache\n10 64 alone\n");
	text(f, "cache_aliases", KMEMTRACE_PHASE_START,
	     ":0000216 file_lock_cache\n:0000216 one that went\n:a-0000064 alone\nodd\n");
	text(f, "cache_aliases", KMEMTRACE_PHASE_END,
	     ":0000216 file_lock_cache\n:0000216 came\n:a-0000064 alone\n");
	put(f, 0, record);
	load(f);
	expect(f, "SELECT cache, object_size, merged_with FROM caches ORDER BY cache",
	       "alone|64|\nfile_lock_cache|216|came, one that went");
	expect(f, "SELECT value FROM meta WHERE key = 'skipped_lines'", "2");
}

static void trace_without_events_is_loaded(Fixture *f, gconstpointer unused)
{
	load(f);
	expect(f, "SELECT count(*) FROM allocations", "0");
	expect(f, "SELECT sum(count) FROM events", "0");
	expect(f, "SELECT count(*) FROM events", "23");
	expect(f, "SELECT value FROM meta WHERE key = 'skipped_lines'", "1");
}

static void truncated_trace_is_marked_as_cut(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;

	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	finish_trace(f, FALSE);
	store_load(f->kmt, f->db_path, NULL, NULL, &f->result, &error);
	g_assert_no_error(error);
	g_assert_true(f->result.cut);
	f->db = store_open(f->db_path, &error);
	expect(f, "SELECT value FROM meta WHERE key = 'cut'", "1");
}

static void trace_cut_before_its_first_event_is_rejected(Fixture *f, gconstpointer unused)
{
	GError *error = NULL;

	finish_trace(f, FALSE);
	g_assert_false(store_load(f->kmt, f->db_path, NULL, NULL, &f->result, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, f->kmt));
	g_assert_nonnull(strstr(error->message, "before its first event"));
	g_assert_false(g_file_test(f->db_path, G_FILE_TEST_EXISTS));
	g_error_free(error);
}

/* They would be negative numbers in the database. */
static void times_above_the_limit_are_rejected(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;

	f->now = G_MAXINT64;
	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE, 0, READER, 8, 8);
	finish_trace(f, TRUE);
	g_assert_false(store_load(f->kmt, f->db_path, NULL, NULL, &f->result, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "a time of 9223372036854776807 ns, expected less"));
	g_assert_false(g_file_test(f->db_path, G_FILE_TEST_EXISTS));
	g_clear_error(&error);
	g_assert_null(store_totals(f->kmt, NULL, NULL, &f->result, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_FAILED);
}

/* It compares the contents, not the name or time. */
static void database_recognises_its_trace(Fixture *f, gconstpointer unused)
{
	g_autofree char *copy = g_strconcat(f->kmt, ".copy", NULL), *bytes = NULL;
	gsize len;

	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	load(f);
	g_assert_true(g_file_get_contents(f->kmt, &bytes, &len, NULL));
	g_assert_true(g_file_set_contents(copy, bytes, len, NULL));
	g_assert_true(store_is_of(f->db, f->kmt));
	g_assert_true(store_is_of(f->db, copy));
	g_assert_true(g_file_set_contents(copy, bytes, len - 8, NULL));
	g_assert_false(store_is_of(f->db, copy));
	bytes[len - 100] ^= 1;
	g_assert_true(g_file_set_contents(copy, bytes, len, NULL));
	g_assert_false(store_is_of(f->db, copy));
	g_unlink(copy);
	g_assert_false(store_is_of(f->db, copy));
}

static void failed_load_keeps_the_old_database(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *data = NULL, *old = NULL, *now = NULL;
	gsize len, old_len, now_len;

	put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64, 0, READER, 8, 8);
	finish_trace(f, TRUE);
	g_assert_true(store_load(f->kmt, f->db_path, NULL, NULL, &f->result, NULL));
	g_assert_true(g_file_get_contents(f->db_path, &old, &old_len, NULL));
	g_assert_true(g_file_get_contents(f->kmt, &data, &len, NULL));
	data[len / 2] ^= 0xff;	/* in the middle: the text of a snapshot, or a header */
	g_assert_true(g_file_set_contents(f->kmt, data, len, NULL));
	g_assert_false(store_load(f->kmt, f->db_path, NULL, NULL, &f->result, &error));
	g_assert_nonnull(error);
	g_assert_nonnull(strstr(error->message, f->kmt));
	g_assert_cmpuint(files_in(f->dir), ==, 2);
	g_assert_true(g_file_get_contents(f->db_path, &now, &now_len, NULL));
	g_assert_cmpmem(now, now_len, old, old_len);
}

static void load_error_names_the_path(Fixture *f, gconstpointer unused)
{
	g_autoptr(GError) error = NULL;

	finish_trace(f, TRUE);
	g_assert_false(store_load(f->kmt, "/nowhere/at/all.db", NULL, NULL, &f->result, &error));
	g_assert_nonnull(strstr(error->message, "/nowhere/at/all.db"));
	g_clear_error(&error);
	g_assert_false(
		store_load("/nowhere/at/all.kmt", f->db_path, NULL, NULL, &f->result, &error));
	g_assert_nonnull(strstr(error->message, "/nowhere/at/all.kmt"));
	g_assert_cmpuint(files_in(f->dir), ==, 1);
}

static void query_is_read_only(Fixture *f, gconstpointer unused)
{
	static const char *const statements[] = {
		"DELETE FROM lifetime",
		"DROP VIEW live",
		"CREATE TABLE x (y)",
		"CREATE TEMP TABLE x (y)",
		"UPDATE meta SET value = 1",
		"INSERT INTO meta VALUES (1, 2)",
		"ATTACH '/tmp/kmemtrace-attached' AS x",
		"PRAGMA journal_mode = WAL",
		"PRAGMA user_version = 99",
		"PRAGMA writable_schema = 1",
		"VACUUM",
		"VACUUM INTO '/tmp/kmemtrace-vacuumed'",
		"BEGIN",
		"SAVEPOINT x",
		"DETACH main",
		"REINDEX",
		"ANALYZE",
	};

	load(f);
	for (guint i = 0; i < G_N_ELEMENTS(statements); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *result = check_ask(f->db, statements[i], NULL, &error);

		g_assert_null(result);
		g_assert_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY);
	}
	expect(f, "PRAGMA user_version", "22");
	expect(f, "SELECT name FROM pragma_table_info('meta')", "key\nvalue");
}

static void query_accepts_only_one_statement(Fixture *f, gconstpointer unused)
{
	static const char *const statements[] = {
		"SELECT 1; SELECT 2",	       "",	 " -- nothing",
		"SELECT 1; DELETE FROM lifetime", "SELECT", "SELECT 1; nonsense",
		"SELECT * FROM nothing"
	};

	load(f);
	for (guint i = 0; i < G_N_ELEMENTS(statements); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *result = check_ask(f->db, statements[i], NULL, &error);

		g_assert_null(result);
		g_assert_nonnull(error);
	}
	expect(f, "SELECT 1; -- the end\n ;", "1");
}

static void query_binds_its_parameters(Fixture *f, gconstpointer unused)
{
	static const char *const params[] = { ":n", "-12", ":text", "12x", ":other", "1", NULL };
	g_autoptr(GError) error = NULL;
	g_autofree char *result = NULL;

	load(f);
	result = check_ask(f->db, "SELECT typeof(:n), :n, typeof(:text), :text", params, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(result, ==, "integer|-12|text|12x");
	g_assert_null(check_ask(f->db, "SELECT :missing", params, &error));
	g_assert_nonnull(strstr(error->message, ":missing"));
	g_clear_error(&error);
	g_assert_null(check_ask(f->db, "SELECT ?", params, &error));
	g_clear_error(&error);
	g_assert_null(store_query_named(f->db, "nothing", NULL, &error));
	g_assert_nonnull(error);
}

static void make_db(const char *path, const char *sql)
{
	sqlite3 *db;

	g_unlink(path);
	g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
	sqlite3_close(db);
}

static void open_rejects_foreign_file(Fixture *f, gconstpointer unused)
{
	static const char *const databases[] = {
		"CREATE TABLE x (y)",
		"PRAGMA application_id = 0x4b4d5452; PRAGMA user_version = 1000; CREATE TABLE x (y)",
	};
	g_autoptr(GError) error = NULL;

	finish_trace(f, TRUE);
	for (guint i = 0; i < G_N_ELEMENTS(databases); i++) {
		make_db(f->db_path, databases[i]);
		g_assert_null(store_open(f->db_path, &error));
		g_assert_error(error, STORE_ERROR, STORE_ERROR_FORMAT);
		g_assert_nonnull(strstr(error->message, f->db_path));
		g_clear_error(&error);
	}
	g_assert_true(g_file_set_contents(f->db_path, "this is some other file, and long enough",
					  -1, NULL));
	g_assert_null(store_open(f->db_path, &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_FORMAT);
	g_clear_error(&error);
	g_assert_null(store_open("/nowhere/at/all.db", &error));
	g_assert_error(error, STORE_ERROR, STORE_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "/nowhere/at/all.db"));
}

static void damaged_database_gives_errors(Fixture *f, gconstpointer unused)
{
	g_autofree char *data = NULL;
	g_autoptr(GRand) rand = g_rand_new_with_seed(5);
	gsize len;

	for (guint64 i = 0; i < 200; i++)
		put_object(f, 0, KMEMTRACE_EVENT_KMALLOC, BASE + 64 * i, 0, READER, 8, 8);
	load(f);
	g_clear_pointer(&f->db, store_close);
	g_assert_true(g_file_get_contents(f->db_path, &data, &len, NULL));
	for (guint round = 0; round < 200; round++) {
		g_autofree char *copy = g_memdup2(data, len);
		g_autoptr(GError) error = NULL;
		g_autofree char *result = NULL;

		for (guint i = 0; i < 50; i++)
			copy[g_rand_int_range(rand, 100, len)] = g_rand_int(rand);
		g_assert_true(g_file_set_contents(f->db_path, copy, len, NULL));
		f->db = store_open(f->db_path, &error);
		if (f->db)
			result = check_ask(f->db, "SELECT * FROM allocations", NULL, &error);
		if (error)
			g_assert_nonnull(strstr(error->message, f->db_path));
		g_clear_pointer(&f->db, store_close);
	}
}

static void load_is_reproducible(Fixture *f, gconstpointer unused)
{
	g_autofree char *first = NULL, *second = NULL;
	gsize len[2];
	GError *error = NULL;

	for (guint64 i = 0; i < 300; i++)
		put_object(f, i % 2, i % 3 ? KMEMTRACE_EVENT_KMALLOC : KMEMTRACE_EVENT_KFREE,
			   BASE + 64 * (i % 70), 0, READER, 8 + i % 5, 16);
	load(f);
	g_assert_true(g_file_get_contents(f->db_path, &first, &len[0], NULL));
	store_load(f->kmt, f->db_path, NULL, NULL, &f->result, &error);
	g_assert_no_error(error);
	g_assert_true(g_file_get_contents(f->db_path, &second, &len[1], NULL));
	g_assert_cmpmem(first, len[0], second, len[1]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(test) g_test_add("/store/" #test, Fixture, NULL, setup, test, teardown)
	ADD(allocation_has_its_lifetime_and_callers);
	ADD(a_resized_object_has_its_last_size);
	ADD(reordered_events_are_counted);
	ADD(sum_of_huge_losses_is_positive);
	ADD(unusual_addresses_are_stored_exactly);
	ADD(totals_equal_those_of_the_database);
	ADD(allocations_without_event_are_unseen);
	ADD(load_stops_when_progress_returns_false);
	ADD(load_stops_while_it_writes_frames);
	ADD(load_that_is_stopped_at_its_end_leaves_nothing);
	ADD(slab_pages_count_as_slab_only);
	ADD(failed_allocations_are_grouped_by_task);
	ADD(page_freed_by_tail_call_has_slab_backing);
	ADD(unmatched_frees_have_class_and_backing);
	ADD(objects_waiting_for_rcu_are_not_live);
	ADD(kinds_have_separate_totals);
	ADD(old_allocations_are_reported_by_kind);
	ADD(page_migrations_are_counted);
	ADD(fragmentation_events_are_no_allocations);
	ADD(settings_of_the_recording_are_stored);
	ADD(report_scales_sampled_allocations);
	ADD(module_name_follows_load_times);
	ADD(allocator_name_in_module_is_a_caller);
	ADD(trampoline_in_allocator_is_no_caller);
	ADD(trampoline_at_the_end_is_no_caller);
	g_test_add("/store/trampoline_at_the_end_of_a_traced_function_is_no_caller", Fixture, "bpf", setup,
		   trampoline_at_the_end_is_no_caller, teardown);
	ADD(symbols_follow_module_load_times);
	ADD(losses_are_stored_by_cpu_and_reason);
	ADD(cpu_without_counters_is_uncounted);
	ADD(cpus_with_unreadable_counters_are_uncounted);
	ADD(cpus_with_counters_are_counted);
	ADD(cpu_without_events_and_counters_is_uncounted);
	ADD(huge_losses_are_capped);
	ADD(objects_have_their_cache_name);
	ADD(kmalloc_has_its_cache_or_bucket_name);
	ADD(merged_caches_are_stored);
	ADD(trace_without_events_is_loaded);
	ADD(truncated_trace_is_marked_as_cut);
	ADD(trace_cut_before_its_first_event_is_rejected);
	ADD(times_above_the_limit_are_rejected);
	ADD(bpf_trampoline_is_no_caller);
	ADD(replaced_call_site_is_no_caller_if_the_stack_has_it);
	ADD(a_module_that_is_loaded_again_has_the_same_frames);
	ADD(store_writes_the_file_that_it_created);
	ADD(load_touches_nothing_beside_its_file);
	ADD(store_reads_the_file_that_it_opened);
	ADD(database_recognises_its_trace);
	ADD(failed_load_keeps_the_old_database);
	ADD(load_error_names_the_path);
	ADD(query_is_read_only);
	ADD(query_accepts_only_one_statement);
	ADD(query_binds_its_parameters);
	ADD(open_rejects_foreign_file);
	ADD(damaged_database_gives_errors);
	ADD(load_is_reproducible);
	return g_test_run();
}
