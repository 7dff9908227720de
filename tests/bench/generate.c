// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * generate FILE.kmt EVENTS [SEED [LIVE [CPUS]]]: generates a trace with EVENTS slab and page
 * events, always the same for the same arguments. Its memory use follows LIVE, the number of live
 * allocations (default 50,000). Threads take turns on each CPU. Most objects are freed soon, the
 * others at random. Addresses are reused last in, first out, as in slabs, whose pages have events
 * of their own.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kmemtrace_abi.h"
#include "trace/file/writer.h"

#define SUBBUF_BYTES	131072
#define SUBBUF_RECORDS	((SUBBUF_BYTES - sizeof(struct kmemtrace_subbuf_header)) / \
			 sizeof(struct kmemtrace_record))
#define LINEAR_BASE	G_GUINT64_CONSTANT(0xffff888000000000)
#define TEXT_BASE	G_GUINT64_CONSTANT(0xffffffff81000000)
#define START_NS	G_GUINT64_CONSTANT(1000000000000)
#define CPUS_MAX	64
#define FUNCTIONS	2000
#define FUNCTION_BYTES	1024
#define SITES		3000	/* stacks of allocations; as many of frees */
#define DEPTH		12
#define TURN		60	/* events of a thread before the next one's turn, about */
#define RECENT		40	/* objects that are young */
#define CLASSES		G_N_ELEMENTS(class_bytes)
#define PAGES		CLASSES	/* the class of plain page allocations */

static const guint class_bytes[] = { 32, 64, 96, 192, 256, 512, 1024, 4096, 128, 192, 704, 256 };
#define FIRST_CACHE	8	/* caches from here on, kmalloc's sizes below */

typedef struct {
	guint64 addr;
	guint8 class;
} Object;

typedef struct {
	struct kmemtrace_subbuf_header header;
	struct kmemtrace_record records[SUBBUF_RECORDS];
	guint count;
	guint64 seq, written, time_ns;
	guint32 tid;
	guint turn;
} Cpu;

typedef struct {
	struct trace_writer *writer;
	guint64 random;		/* state of splitmix64 */
	Cpu *cpus;
	guint cpu_count, cpu;
	guint64 now_ns, left;
	GArray *live;		/* of Object, the youngest last */
	guint live_max;
	GArray *unused[CLASSES + 1];	/* of guint64: addresses */
	guint64 next_pfn;
	guint32 next_tid;
	guint32 stacks[2 * SITES];
	guint64 sites[2 * SITES];
} Generator;

static void check(int ret, const struct trace_error *err)
{
	if (!ret)
		return;
	fprintf(stderr, "generate: %s\n", err->text);
	exit(1);
}

static guint64 draw(Generator *g)
{
	guint64 z = g->random += G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * G_GUINT64_CONSTANT(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * G_GUINT64_CONSTANT(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static guint below(Generator *g, guint end)
{
	return (draw(g) >> 32) * end >> 32;
}

/* ---- records ---- */

static void flush(Generator *g, Cpu *cpu)
{
	struct trace_error err = { "" };

	if (!cpu->count)
		return;
	check(trace_writer_data(g->writer, &cpu->header, sizeof(cpu->header) +
				cpu->count * sizeof(cpu->records[0]), &err), &err);
	cpu->count = 0;
}

static void open_subbuf(Generator *g, Cpu *cpu)
{
	cpu->header = (struct kmemtrace_subbuf_header){
		.magic = KMEMTRACE_SUBBUF_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(cpu->header),
		.record_len = sizeof(cpu->records[0]),
		.byte_order = KMEMTRACE_BYTE_ORDER_LITTLE,
		.word_size = 8,
		.cpu = cpu - g->cpus,
		.seq = cpu->seq++,
		.time_ns = g->now_ns,
		.session = 1,
		.written = cpu->written,
	};
}

static struct kmemtrace_record *add(Generator *g, guint event)
{
	Cpu *cpu = &g->cpus[g->cpu];
	struct kmemtrace_record *record;

	if (cpu->count == SUBBUF_RECORDS)
		flush(g, cpu);
	if (!cpu->count)
		open_subbuf(g, cpu);
	record = &cpu->records[cpu->count++];
	*record = (struct kmemtrace_record){
		.time_ns = g->now_ns,
		.tid = cpu->tid,
		.node = KMEMTRACE_NODE_ANY,
		.type = event,
	};
	cpu->written++;
	g->left -= g->left > 0;
	return record;
}

static void rename_thread(Generator *g, guint32 tid)
{
	struct kmemtrace_record *record = add(g, KMEMTRACE_EVENT_TASK);

	record->tid = record->gfp = tid;
	snprintf(record->comm, sizeof(record->comm), "worker/%u", tid % 20);
}

/* Advances the time and chooses the next CPU and its thread. */
static void take_turn(Generator *g)
{
	Cpu *cpu;

	g->now_ns += 100 + below(g, 2000);
	if (below(g, 4) == 0)
		g->cpu = below(g, g->cpu_count);
	cpu = &g->cpus[g->cpu];
	if (cpu->turn-- > 0)
		return;
	cpu->turn = 1 + below(g, 2 * TURN);
	if (below(g, 30) == 0) {
		cpu->tid = ++g->next_tid;
		rename_thread(g, cpu->tid);
	} else {
		guint back = below(g, 200);

		cpu->tid = g->next_tid > back ? g->next_tid - back : g->next_tid;
	}
}

/* Few of the sites get most of the calls. */
static guint draw_site(Generator *g, guint class)
{
	guint per_class = SITES / (CLASSES + 1);

	return class * per_class + below(g, 1 + below(g, 1 + below(g, per_class)));
}

static void set_site(Generator *g, struct kmemtrace_record *record, guint site)
{
	record->call_site = g->sites[site];
	record->stack_id = g->stacks[site];
}

/* ---- pages and objects ---- */

static void set_page(struct kmemtrace_record *record, guint64 pfn, guint order)
{
	record->addr = pfn;
	record->bytes_req = record->bytes_alloc = 4096U << order;
	record->page.order = order;
	record->node = 0;
}

static guint64 get_pages(Generator *g, guint class, guint order, guint site)
{
	struct kmemtrace_record *record = add(g, KMEMTRACE_EVENT_PAGE_ALLOC);
	guint64 pfn = g->next_pfn;

	if (class == PAGES && g->unused[PAGES]->len) {
		pfn = g_array_index(g->unused[PAGES], guint64, g->unused[PAGES]->len - 1);
		g_array_set_size(g->unused[PAGES], g->unused[PAGES]->len - 1);
	} else {
		g->next_pfn += 1U << order;
	}
	set_page(record, pfn, order);
	record->gfp = 0xcc0;
	record->page.migratetype = class == PAGES;
	set_site(g, record, site);
	return pfn;
}

static guint64 get_object(Generator *g, guint class)
{
	GArray *unused = g->unused[class];
	guint64 addr;

	if (!unused->len) {	/* a slab of four pages */
		guint64 base = LINEAR_BASE + (get_pages(g, class, 2, draw_site(g, class)) << 12);

		for (guint at = 0; at + class_bytes[class] <= 4 * 4096; at += class_bytes[class]) {
			addr = base + at;
			g_array_append_val(unused, addr);
		}
	}
	addr = g_array_index(unused, guint64, unused->len - 1);
	g_array_set_size(unused, unused->len - 1);
	return addr;
}

static void allocate(Generator *g)
{
	Object object = { .class = below(g, 16) };
	guint site;

	if (object.class >= CLASSES)
		object.class = object.class == PAGES ? PAGES : object.class % CLASSES;
	site = draw_site(g, object.class);
	if (object.class == PAGES) {
		object.addr = get_pages(g, PAGES, 0, site);
	} else {
		guint64 addr = get_object(g, object.class);
		struct kmemtrace_record *record =
			add(g, object.class < FIRST_CACHE ? KMEMTRACE_EVENT_KMALLOC
							  : KMEMTRACE_EVENT_CACHE_ALLOC);

		object.addr = record->addr = addr;
		record->bytes_req = record->bytes_alloc = class_bytes[object.class];
		if (object.class < FIRST_CACHE)
			record->bytes_req -= site % 4 * class_bytes[object.class] / 16;
		else
			record->cache = object.class;
		record->gfp = site % 3 ? 0xcc0 : 0xdc0;
		set_site(g, record, site);
	}
	g_array_append_val(g->live, object);
}

static void release(Generator *g)
{
	gboolean young = below(g, 100) < 70;
	guint back = below(g, young ? MIN(RECENT, g->live->len) : g->live->len);
	guint index = g->live->len - 1 - back;
	Object object = g_array_index(g->live, Object, index);
	struct kmemtrace_record *record;

	if (young)
		g_array_remove_index(g->live, index);
	else
		g_array_remove_index_fast(g->live, index);
	if (object.class == PAGES)
		record = add(g, KMEMTRACE_EVENT_PAGE_FREE);
	else
		record = add(g, object.class < FIRST_CACHE ? KMEMTRACE_EVENT_KFREE
							   : KMEMTRACE_EVENT_CACHE_FREE);
	record->addr = object.addr;
	if (object.class == PAGES) {
		set_page(record, object.addr, 0);
		record->page.migratetype = 0xff;
	} else if (object.class >= FIRST_CACHE) {
		record->cache = object.class;
	}
	set_site(g, record, SITES + draw_site(g, object.class));
	g_array_append_val(g->unused[object.class], object.addr);
}

/* ---- texts and stacks ---- */

static void write_text(Generator *g, const char *name, enum kmemtrace_phase phase, const char *text)
{
	struct trace_error err = { "" };

	check(trace_writer_snapshot(g->writer, name, phase, g->now_ns, text, strlen(text), &err),
	      &err);
}

static void write_texts(Generator *g)
{
	g_autoptr(GString) symbols = g_string_new(NULL);
	g_autoptr(GString) caches = g_string_new(NULL);
	g_autofree char *abi =
		g_strdup_printf("page_size 4096\nlinear_base 0x%" G_GINT64_MODIFIER "x\n"
				"gfp __GFP_ZERO 0x100\nmigratetype 0 unmovable\n"
				"migratetype 1 movable\n", LINEAR_BASE);

	for (guint i = 0; i < FUNCTIONS; i++)
		g_string_append_printf(symbols, "%" G_GINT64_MODIFIER "x t function_%u\n",
				       TEXT_BASE + (guint64)i * FUNCTION_BYTES, i);
	for (guint i = FIRST_CACHE; i < CLASSES; i++)
		g_string_append_printf(caches, "%u %u cache_%u\n", i, class_bytes[i], i);
	write_text(g, "abi", KMEMTRACE_PHASE_START, abi);
	write_text(g, "host", KMEMTRACE_PHASE_START,
		   "release=0\nmachine=generated\npage_size=4096\n");
	write_text(g, "kallsyms", KMEMTRACE_PHASE_START, symbols->str);
	write_text(g, "caches", KMEMTRACE_PHASE_END, caches->str);
}

/* The tracer's final counters: nothing was lost. */
static void write_stats(Generator *g)
{
	g_autoptr(GString) stats = g_string_new("cpu written ignored buffer_full nmi recursion stack_full "
						"cache_full name overwritten consumed\n");

	for (guint i = 0; i < g->cpu_count; i++)
		g_string_append_printf(stats, "%u %" G_GUINT64_FORMAT " 0 0 0 0 0 0 0 0 %" G_GUINT64_FORMAT "\n", i,
				       g->cpus[i].written, g->cpus[i].seq);
	write_text(g, "stats", KMEMTRACE_PHASE_END, stats->str);
}

/* Stacks have their outer half in common with some others. */
static void write_stacks(Generator *g)
{
	struct kmemtrace_stack_table head = {
		KMEMTRACE_STACK_MAGIC, KMEMTRACE_ABI_VERSION, sizeof(head), 1
	};
	g_autoptr(GByteArray) table = g_byte_array_new();
	struct trace_error err = { "" };

	g_byte_array_append(table, (void *)&head, sizeof(head));
	for (guint i = 0; i < 2 * SITES; i++) {
		struct kmemtrace_stack stack = { .hash = i + 1, .depth = DEPTH };
		guint64 addrs[DEPTH];

		for (guint level = 0; level < DEPTH; level++) {
			guint key = level < DEPTH / 2 ? i * DEPTH + level : i % 50 * DEPTH + level;
			guint64 mixed = key * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) >> 20;

			addrs[level] = TEXT_BASE + mixed % FUNCTIONS * FUNCTION_BYTES +
				       16 * (mixed >> 32) % 48;
		}
		g->stacks[i] = table->len / 8;
		g->sites[i] = addrs[0];
		g_byte_array_append(table, (void *)&stack, sizeof(stack));
		g_byte_array_append(table, (void *)addrs, sizeof(addrs));
	}
	check(trace_writer_stacks(g->writer, 0, table->data, table->len, &err), &err);
}

/* ---- main ---- */

static guint64 argument(int argc, char **argv, int index, guint64 fallback)
{
	return argc > index ? g_ascii_strtoull(argv[index], NULL, 10) : fallback;
}

static void generate(Generator *g)
{
	while (g->left) {
		guint filled = 1000 * (guint64)g->live->len / g->live_max;

		take_turn(g);
		/* First allocates up to LIVE, then about as often as it frees. */
		if (!g->live->len || (filled < 1000 && below(g, 1000) < (filled < 900 ? 700 : 500)))
			allocate(g);
		else
			release(g);
	}
	for (guint i = 0; i < g->cpu_count; i++)
		flush(g, &g->cpus[i]);
	write_stats(g);
}

int main(int argc, char **argv)
{
	struct trace_error err = { "" };
	Generator g = {
		.left = argument(argc, argv, 2, 0),
		.random = argument(argc, argv, 3, 1),
		.live_max = argument(argc, argv, 4, 50000),
		.cpu_count = CLAMP(argument(argc, argv, 5, 4), 1, CPUS_MAX),
		.live = g_array_new(FALSE, FALSE, sizeof(Object)),
		.next_pfn = 0x1000,
		.next_tid = 1000,
		.now_ns = START_NS,
	};

	if (argc < 3 || !g.left) {
		fprintf(stderr, "usage: generate FILE.kmt EVENTS [SEED [LIVE [CPUS]]]\n");
		return 2;
	}
	g.cpus = g_new0(Cpu, g.cpu_count);
	for (guint i = 0; i <= CLASSES; i++)
		g.unused[i] = g_array_new(FALSE, FALSE, sizeof(guint64));
	for (guint i = 0; i < g.cpu_count; i++)
		g.cpus[i].tid = g.next_tid;
	check(trace_writer_create(argv[1], &g.writer, &err), &err);
	write_texts(&g);
	write_stacks(&g);
	generate(&g);
	check(trace_writer_close(g.writer, 1, &err), &err);
	return 0;
}
