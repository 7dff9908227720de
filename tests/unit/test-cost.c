// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A load is linear in the size of the trace, whatever its contents. Each case makes a trace of some
 * size and one that is four times as large, loads both in separate processes, and compares their
 * cost: processor time, which a busy machine hardly changes, and memory. A factor of four is linear
 * and sixteen is quadratic; the limit is in between.
 *
 * KMT_COST_KEEP=DIR keeps the traces in DIR. KMT_COST_SIZE=N replaces the size of each case.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/print/eventnames.h"
#include "report/frag/slab_occupancy.h"
#include "report/leaks/leaks.h"
#include "store/store.h"
#include "trace-check.h"

#define TIMES		4	/* size factor of the larger trace */
#define FACTOR		8	/* limit: the cost may grow by this factor */
#define SECONDS		0.25	/* plus this much, for times too short to measure */
#define PAGE		0x1000
#define OLD		100	/* a process from before the trace */
#define CODE		G_GUINT64_CONSTANT(0x400000)
#define LINEAR	G_GUINT64_CONSTANT(0xffff888000000000)
#define ADDRS		G_GUINT64_CONSTANT(0xffff888000001000)

typedef struct {
	const char *name;
	void (*make)(struct builder *b, guint size);
	guint size;		/* of the smaller trace */
	guint event_bytes;	/* memory for each; 0: not checked */
	void (*work)(const char *path);
} Case;

typedef struct {
	double seconds;
	double bytes;
} Cost;

/* ---- processes ---- */

static guint64 now_ns;

static void event(struct builder *b, struct trace_event event)
{
	event.time_ns = now_ns += 10;
	builder_event(b, 0, event);
}

static void map(struct builder *b, guint64 addr, guint32 pages, guint32 file)
{
	event(b, (struct trace_event){ .event = KMEMTRACE_EVENT_MAP, .addr = addr, .tid = OLD,
				       .tgid = OLD, .bytes_req = pages, .bytes_alloc = file });
}

static void fork_of(struct builder *b, guint32 parent, guint32 child, gboolean shared)
{
	event(b, (struct trace_event){ .event = KMEMTRACE_EVENT_FORK, .tid = child, .tgid = child,
				       .bytes_req = parent, .bytes_alloc = shared });
}

static void snapshot(struct builder *b, const char *name, enum kmemtrace_phase phase, GString *text)
{
	builder_snapshot(b, name, phase, text->str);
	g_string_free(text, TRUE);
}

static void files(struct builder *b)
{
	builder_snapshot(b, "files", KMEMTRACE_PHASE_END, "1 11 /lib/one.so\n2 12 /lib/two.so\n");
}

static void read_process(GString *text, guint32 tgid, guint64 read_ns, guint mappings)
{
	g_string_append_printf(text, "process %u %" G_GUINT64_FORMAT "\n", tgid, read_ns);
	for (guint i = 0; i < mappings; i++)
		g_string_append_printf(text, "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x 0 11 /lib/one.so\n",
				       CODE + 2 * i * PAGE, CODE + (2 * i + 1) * PAGE);
}

/* A process with many mappings forks many times. */
static void forks(struct builder *b, guint size)
{
	GString *text = g_string_new(NULL);

	read_process(text, OLD, 1, size);
	snapshot(b, "process_maps", KMEMTRACE_PHASE_START, text);
	files(b);
	for (guint i = 0; i < size; i++)
		fork_of(b, OLD, OLD + 1 + i, FALSE);
}

/* The same before its maps are read, always with the number of a child that was also read. */
static void forks_before_reading(struct builder *b, guint size)
{
	GString *text = g_string_new(NULL);

	read_process(text, OLD, G_MAXINT64, size);
	read_process(text, OLD + 1, G_MAXINT64, size);
	snapshot(b, "process_maps", KMEMTRACE_PHASE_START, text);
	files(b);
	for (guint i = 0; i < size; i++)
		fork_of(b, OLD, OLD + 1, FALSE);
}

static void user_alloc(struct builder *b, guint i, guint32 stack, guint32 kernel)
{
	event(b, (struct trace_event){
		.event = KMEMTRACE_EVENT_KMALLOC, .tid = OLD, .tgid = OLD, .addr = ADDRS + 64 * i,
		.bytes_req = 64, .bytes_alloc = 64, .user_stack_id = stack, .stack_id = kernel });
}

/* Many mappings, with an allocation after each. */
static void mappings(struct builder *b, guint size)
{
	uint32_t user = builder_stack(b, (uint64_t[]){ CODE + 1, 0, CODE + 8, CODE + 16 }, 4);
	uint32_t kernel = builder_stack(b, (uint64_t[]){ 0xffffffff81000010 }, 1);

	files(b);
	for (guint i = 0; i < size; i++) {
		map(b, CODE + 2 * (guint64)i * PAGE, 1, 1);
		user_alloc(b, i, user, kernel);
	}
}

/* Processes that share memory call exec, one after the other. */
static void execs(struct builder *b, guint size)
{
	GString *text = g_string_new(NULL);

	read_process(text, OLD, G_MAXINT64, size);
	snapshot(b, "process_maps", KMEMTRACE_PHASE_START, text);
	files(b);
	for (guint i = 0; i < size; i++)
		fork_of(b, OLD, OLD + 1 + i, TRUE);
	for (guint i = 0; i < size; i++)
		event(b, (struct trace_event){ .event = KMEMTRACE_EVENT_EXEC, .tid = OLD + 1 + i,
					       .tgid = OLD + 1 + i });
}

/* ---- pages ---- */

static void page(struct builder *b, guint8 type, guint64 pfn, guint8 order)
{
	event(b, (struct trace_event){ .event = type, .addr = pfn, .order = order, .tid = 1,
				       .bytes_alloc = (guint32)PAGE << MIN(order, 19) });
}

/* Pages far from each other. */
static void scattered_pages(struct builder *b, guint size)
{
	for (guint i = 0; i < size; i++)
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, 512 * (guint64)i + 7, 0);
}

/* The highest orders: repeatedly at one place, with a page in between, and at unused places. */
static void large_pages(struct builder *b, guint size)
{
	for (guint64 i = 1; i <= size; i++) {
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, 1 << 20, 20);
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, (1 << 20) + i % 200 * 5003, 0);
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, i << 20, 18);
	}
}

/* Migrations of the highest order, back and forth, between pages far from each other. */
static void moves(struct builder *b, guint size)
{
	scattered_pages(b, size);
	for (guint i = 0; i < size; i++)
		event(b, (struct trace_event){
			.event = KMEMTRACE_EVENT_PAGE_MOVE, .addr = (i & 1) << 20, .order = 20,
			.bytes_req = (~i & 1) << 20, .tid = 1 });
}

static void small_pages(struct builder *b, guint size)
{
	scattered_pages(b, 3 * size);
}

/* Large slabs, with an object in each. */
static void large_slabs(struct builder *b, guint size)
{
	builder_snapshot(b, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
	for (guint64 i = 1; i <= size; i++) {
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, i << 10, 10);
		now_ns += 10;
		builder_kmalloc(b, 0, now_ns, 1, LINEAR + ((i << 10) + 700) * PAGE, 64, 64, 0);
	}
}

/* One page that is a slab again and again, with an object in it each time. */
static void reused_slab(struct builder *b, guint size)
{
	const guint64 pfn = 1 << 10;

	builder_snapshot(b, "abi", KMEMTRACE_PHASE_START,
			 "page_size 4096\nlinear_base 0xffff888000000000\n");
	while (size--) {
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, pfn, 0);
		now_ns += 10;
		builder_kmalloc(b, 0, now_ns, 1, LINEAR + pfn * PAGE, 64, 64, 0);
		now_ns += 10;
		builder_kfree(b, 0, now_ns, 1, LINEAR + pfn * PAGE);
		page(b, KMEMTRACE_EVENT_PAGE_FREE, pfn, 0);
	}
}

/*
 * A free that comes before its allocation, as from another CPU, and then a free of pages without an
 * owner, whose thread next fails to allocate as much: each of these checks whether it was claimed.
 */
static void early_frees(struct builder *b, guint size)
{
	for (guint i = 0; i < size; i++) {
		guint64 addr = ADDRS + 64 * (guint64)i;

		now_ns += 10;
		builder_kfree(b, 1, now_ns, 2, addr);
		builder_kmalloc(b, 0, now_ns + 1, 1, addr, 64, 64, 0);
		now_ns += 2;
		page(b, KMEMTRACE_EVENT_PAGE_FREE, 8 * (guint64)i, 0);
		page(b, KMEMTRACE_EVENT_PAGE_ALLOC, 0, 0);
	}
}

/* ---- keys that collide if hashes are predictable ---- */

/* The inverse of an odd number, modulo 2^64. */
static guint64 inverse(guint64 odd)
{
	guint64 x = odd;

	for (guint i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* The low 24 bits of x ^ x >> 32 are 0, where x is the product with the golden ratio. */
static void colliding_addrs(struct builder *b, guint size)
{
	guint64 factor = inverse(G_GUINT64_CONSTANT(0x9e3779b97f4a7c15));

	for (guint64 i = 1; i <= size; i++) {
		guint64 product = (i & 0xff) << 24 | (i >> 8) << 56;

		now_ns += 10;
		builder_kmalloc(b, 0, now_ns, 1, product * factor, 64, 64, 0);
	}
}

/* "Ab" and "BA" have the same g_str_hash(). */
static void append_colliding(GString *text, guint number)
{
	for (guint bit = 0; bit < 17; bit++)
		g_string_append(text, number >> bit & 1 ? "Ab" : "BA");
}

static void colliding_names(struct builder *b, guint size)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < size; i++) {
		g_string_append_printf(text, "%u 64 ", i + 1);
		append_colliding(text, i);
		g_string_append_c(text, '\n');
	}
	snapshot(b, "caches", KMEMTRACE_PHASE_END, text);
}

/* ---- names ---- */

/* A cache for each event. */
static void caches(struct builder *b, guint size)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < size; i++) {
		g_string_append_printf(text, "%u 64 cache%u\n", i + 1, i);
		event(b, (struct trace_event){
			.event = KMEMTRACE_EVENT_CACHE_ALLOC, .tid = 1, .cache = i + 1,
			.addr = ADDRS + 64 * i, .bytes_req = 64, .bytes_alloc = 64 });
	}
	snapshot(b, "caches", KMEMTRACE_PHASE_END, text);
}

/* The same, each merged with all others, or with one. */
static void merged_caches(struct builder *b, guint size)
{
	GString *text = g_string_new(NULL);

	caches(b, size);
	for (guint i = 0; i < size; i++)
		g_string_append_printf(text, ":64 cache%u\n", i);
	snapshot(b, "cache_aliases", KMEMTRACE_PHASE_START, text);
	text = g_string_new(NULL);
	for (guint i = 0; i < size; i++)
		g_string_append_printf(text, ":%u cache%u\n", i / 2, i);
	snapshot(b, "cache_aliases", KMEMTRACE_PHASE_END, text);
}

/* Modules loaded and unloaded @distance bytes apart, with two names, and a deep stack in each. */
static void module_loads(struct builder *b, guint size, guint64 distance)
{
	GString *text = g_string_new(NULL);
	uint64_t addrs[KMEMTRACE_STACK_DEPTH_MAX];
	uint32_t stack;

	for (guint i = 0; i < G_N_ELEMENTS(addrs); i++)
		addrs[i] = G_GUINT64_CONSTANT(0xffffffff90000010) + 64 * i;
	stack = builder_stack(b, addrs, G_N_ELEMENTS(addrs));
	for (guint i = 0; i < size; i++) {
		g_string_append_printf(text, "%u %u 0x%" G_GINT64_MODIFIER "x 0x1000 m%u\n",
				       1000 + 10 * i, 1005 + 10 * i,
				       G_GUINT64_CONSTANT(0xffffffff90000000) + distance * i,
				       i % 2);
		now_ns += 10;
		builder_kmalloc(b, 0, now_ns, 1, ADDRS + 64 * i, 64, 64, stack);
	}
	snapshot(b, "module_times", KMEMTRACE_PHASE_END, text);
}

static void modules_at_one_place(struct builder *b, guint size)
{
	module_loads(b, size, 0);
}

static void modules_apart(struct builder *b, guint size)
{
	module_loads(b, size, 0x1000);
}

static void gfp_names(struct builder *b, guint size)
{
	GString *text = g_string_new("page_size 4096\n");

	for (guint i = 0; i < size; i++)
		g_string_append_printf(text, "gfp __GFP_%u 0x%x\n", i, 1U << i % 32);
	snapshot(b, "abi", KMEMTRACE_PHASE_START, text);
	for (guint i = 0; i < size; i++)
		event(b, (struct trace_event){
			.event = KMEMTRACE_EVENT_KMALLOC, .tid = 1, .gfp = i,
			.addr = ADDRS + 64 * i, .bytes_req = 64, .bytes_alloc = 64 });
}

#define ROUNDS 8 /* rounds of growth */

/*
 * @size call sites with objects that may be leaks, and as many with reclaimable pages that grow in
 * the same way until the last round.
 */
static void suspects(struct builder *b, guint size)
{
	const guint64 text = G_GUINT64_CONSTANT(0xffffffff81000000);
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < 2 * size; i++)
		g_string_append_printf(names, "%" G_GINT64_MODIFIER "x T f%u\n", text + 16 * i,
				       i);
	snapshot(b, "kallsyms", KMEMTRACE_PHASE_START, names);
	for (guint round = 0; round < ROUNDS; round++) {
		now_ns = (round + 1) * G_GUINT64_CONSTANT(1000000000);
		if (round == ROUNDS - 1)
			now_ns -= 150000000;
		for (guint i = 0; i < size; i++)
			event(b, (struct trace_event){
				.event = KMEMTRACE_EVENT_PAGE_ALLOC, .tid = 1,
				.addr = 0x100000 + round * size + i, .gfp = 0x10, .migratetype = 2,
				.call_site = text + 16 * (size + i) + 8, .bytes_alloc = PAGE });
		now_ns = (round + 1) * G_GUINT64_CONSTANT(1000000000) + 1000000;
		for (guint i = 0; i < size; i++)
			event(b, (struct trace_event){
				.event = KMEMTRACE_EVENT_KMALLOC, .tid = 1, .bytes_req = 60,
				.bytes_alloc = 64, .call_site = text + 16 * i + 8,
				.addr = LINEAR + 64 * ((guint64)round * size + i) });
	}
}

/* ---- costs ---- */

static void load(const char *path)
{
	g_autofree char *db = g_strconcat(path, ".db", NULL);
	StoreLoadResult result;
	GError *error = NULL;

	if (!store_load(path, db, NULL, NULL, &result, &error))
		g_printerr("%s\n", error->message);
	g_unlink(db);
	_exit(error ? 1 : 0);
}

static StoreDb *load_and_open(const char *path)
{
	g_autofree char *db_path = g_strconcat(path, ".db", NULL);
	StoreLoadResult result;
	StoreDb *db;

	if (!store_load(path, db_path, NULL, NULL, &result, NULL))
		_exit(1);
	db = store_open(db_path, NULL);
	g_unlink(db_path);
	return db;
}

static void query_slab_lives(const char *path)
{
	StoreDb *db = load_and_open(path);
	StoreRows *rows = NULL;

	if (db)
		rows = store_query(db, "SELECT 1 FROM (SELECT sum(objects) AS n FROM slab_lives) WHERE n > 1000",
				   NULL, NULL);
	_exit(store_rows_next(rows) ? 0 : 1);
}

/* Slab use, as in frag: each slab has one small object, so all are below 25 % full. */
static void read_slab_lives(const char *path)
{
	StoreDb *db = load_and_open(path);
	StoreRows *rows = NULL;

	if (db && slab_occupancy_read(db, NULL))
		rows = store_query(db, "SELECT 1 FROM slab_caches WHERE below_25 = slabs", NULL, NULL);
	_exit(store_rows_next(rows) ? 0 : 1);
}

static void read_slab_caches(const char *path)
{
	StoreDb *db = load_and_open(path);

	_exit(db && slab_occupancy_read(db, NULL) ? 0 : 1);
}

static void read_merged_caches(const char *path)
{
	const char *params[] = { ":limit", "10", NULL };
	StoreDb *db = load_and_open(path);
	StoreRows *rows = db ? store_query_named(db, "report_merged", params, NULL) : NULL;

	while (store_rows_next(rows))
		;
	_exit(rows && store_rows_done(rows, NULL) ? 0 : 1);
}

static void read_leaks(const char *path)
{
	StoreDb *db = load_and_open(path);
	FILE *out = fopen("/dev/null", "w");
	const LeaksOptions options = { .by = "site", .limit = 1, .older_ns = LEAKS_NS_NONE };
	Selection all = { 0 };
	Printer printer = { .db = db, .name = path, .out = out, .selection = &all };

	_exit(db && out && completeness_read(db, &printer.completeness, NULL) &&
			      leaks_print(&printer, &options, NULL)
		      ? 0
		      : 1);
}

/* The cost of @work in a process of its own; NULL: of no work. */
static Cost cost_of(void (*work)(const char *path), const char *path)
{
	struct rusage usage;
	pid_t pid = fork();
	int status;

	g_assert_cmpint(pid, >=, 0);
	if (!pid) {
		if (work)
			work(path);
		_exit(0);
	}
	g_assert_cmpint(wait4(pid, &status, 0, &usage), ==, pid);
	g_assert_cmpint(status, ==, 0);
	return (Cost){
		usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6 +
			usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6,
		usage.ru_maxrss * 1024.0,
	};
}

static Cost cost_of_trace(const Case *one, guint size)
{
	const struct builder_options options = {
		.record_len = sizeof(struct kmemtrace_record_user), .subbuf_records = 1000,
	};
	const char *keep = g_getenv("KMT_COST_KEEP");
	g_auto(check_file) file = check_file_make();
	Cost cost;
	struct builder *b = builder_new_with(file.path, &options);

	now_ns = 1000;
	one->make(b, size);
	builder_finish(b);
	cost = cost_of(one->work, file.path);
	if (keep) {
		g_autofree char *name = g_strdup_printf("%s/%s-%u.kmt", keep, one->name, size);

		g_assert_cmpint(rename(file.path, name), ==, 0);
	}
	return cost;
}

static void cost_is_linear(gconstpointer data)
{
	const Case *one = data;
	guint size = g_getenv("KMT_COST_SIZE") ? (guint)atoi(g_getenv("KMT_COST_SIZE")) : one->size;
	Cost nothing = cost_of(NULL, NULL);
	Cost small = cost_of_trace(one, size), large = cost_of_trace(one, TIMES * size);
	double bytes = (large.bytes - nothing.bytes) / (TIMES * size);

	g_test_message("%s: %.2f s for %u, %.2f s for %u; %.0f bytes for each", one->name,
		       small.seconds, size, large.seconds, TIMES * size, bytes);
	g_assert_cmpfloat(large.seconds, <, FACTOR * small.seconds + SECONDS);
#ifndef __SANITIZE_ADDRESS__
	if (one->event_bytes)
		g_assert_cmpfloat(bytes, <, one->event_bytes);
#endif
}

/* The cost of a block depends on its contents, not on its order. */
static void large_pages_cost_as_much_as_small_ones(void)
{
	const Case large = { "large_pages", large_pages, 20000, 0, load };
	const Case small = { "small_pages", small_pages, 20000, 0, load };
	Cost of_large = cost_of_trace(&large, large.size);
	Cost of_small = cost_of_trace(&small, small.size);

	g_test_message("%.2f s, %.0f MB; small: %.2f s, %.0f MB", of_large.seconds,
		       of_large.bytes / 1e6, of_small.seconds, of_small.bytes / 1e6);
	g_assert_cmpfloat(of_large.seconds, <, 3 * of_small.seconds + SECONDS);
#ifndef __SANITIZE_ADDRESS__
	g_assert_cmpfloat(of_large.bytes, <, 3 * of_small.bytes);
#endif
}

/* Each record has a different era, but there are only two results. */
static void modules_at_one_place_cost_as_apart(void)
{
	const Case one = { "modules_at_one_place", modules_at_one_place, 4000, 0, load };
	const Case apart = { "modules_apart", modules_apart, 4000, 0, load };
	Cost of_one = cost_of_trace(&one, one.size);
	Cost of_apart = cost_of_trace(&apart, apart.size);

	g_test_message("%.2f s, %.0f MB; apart: %.2f s, %.0f MB", of_one.seconds,
		       of_one.bytes / 1e6, of_apart.seconds, of_apart.bytes / 1e6);
	g_assert_cmpfloat(of_one.seconds, <, 3 * of_apart.seconds + SECONDS);
#ifndef __SANITIZE_ADDRESS__
	g_assert_cmpfloat(of_one.bytes, <, 3 * of_apart.bytes);
#endif
}

/* As script looks up each event. */
static void print_of_gfp_is_bounded_with_many_names(void)
{
	GString *abi = g_string_new(NULL);
	FILE *out = g_fopen("/dev/null", "w");
	EventNames *names;

	for (guint i = 0; i < 1000; i++)
		g_string_append_printf(abi, "gfp __GFP_%u 0x%x\n", i, 1U << i % 32);
	names = eventnames_new(abi->str, NULL);
	eventnames_print_gfp(names, G_MAXUINT32, out);
	g_assert_cmpint(ftell(out), <, 32 * 10);
	eventnames_free(names);
	fclose(out);
	g_string_free(abi, TRUE);
}

int main(int argc, char **argv)
{
	static const Case cases[] = {
		{ "forks", forks, 1000, 4000, load },
		{ "forks_before_reading", forks_before_reading, 1000, 4000, load },
		{ "mappings", mappings, 5000, 6000, load },
		{ "execs", execs, 20000, 3000, load },
		{ "scattered_pages", scattered_pages, 30000, 900, load },
		{ "moves", moves, 300, 0, load },
		{ "early_frees", early_frees, 8000, 0, load },
		{ "large_slabs", large_slabs, 1000, 6000, read_slab_lives },
		{ "reused_slab", reused_slab, 4000, 0, query_slab_lives },
		{ "caches", caches, 5000, 0, read_slab_caches },
		{ "merged_caches", merged_caches, 4000, 0, read_merged_caches },
		{ "colliding_addrs", colliding_addrs, 16000, 0, load },
		{ "colliding_names", colliding_names, 10000, 0, load },
		{ "gfp_names", gfp_names, 2000, 0, load },
		{ "suspects", suspects, 500, 0, read_leaks },
	};

	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strdup_printf("/cost/%s", cases[i].name);

		g_test_add_data_func(path, &cases[i], cost_is_linear);
	}
	g_test_add_func("/cost/large_pages_cost_as_much_as_small_ones", large_pages_cost_as_much_as_small_ones);
	g_test_add_func("/cost/print_of_gfp_is_bounded_with_many_names", print_of_gfp_is_bounded_with_many_names);
	g_test_add_func("/cost/modules_at_one_place_cost_as_apart",
			modules_at_one_place_cost_as_apart);
	return g_test_run();
}
