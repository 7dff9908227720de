// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seeds DIR: writes small traces as seeds for fuzzers. DIR/reader gets one for each variant that a
 * reader must handle (both byte orders, longer structures, loss, sessions, a file without an end).
 * DIR/load gets complete traces with the texts and events that a load understands, some of them
 * packed.
 */
#include <glib.h>
#include <stdio.h>

#include "trace-builder.h"

static const struct builder_options shapes[] = {
	{ .subbuf_records = 2 },
	{ .subbuf_records = 2, .swap_data = true },
	{ .subbuf_records = 2, .swap_file = true },
	{ .subbuf_records = 3, .swap_file = true, .swap_data = true },
	{ .subbuf_records = 2, .subbuf_header_len = 136, .record_len = 56, .stack_header_len = 24 },
};

static void fill(struct builder *b)
{
	static const uint64_t addrs[] = {0xffffffff81000010, 0xffffffff81000020,
					 0xffffffff81000030};
	uint32_t stack = builder_stack(b, addrs, 3);

	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "release=6.1\n");
	builder_task(b, 0, 5, 7, 7, "bash");
	builder_kmalloc(b, 0, 10, 7, 0xffff888000001000, 100, 128, stack);
	builder_kfree(b, 1, 20, 8, 0xffff888000001000);
	builder_flush_stacks(b);
	builder_lose(b, 0, KMEMTRACE_LOSS_BUFFER_FULL, 3);
	builder_page_alloc(b, 0, 30, 7, 0x1234, 2, builder_stack(b, addrs, 1));
	builder_skip_subbufs(b, 0, 2);
	builder_page_free(b, 0, 40, 7, 0x1234, 2);
	builder_stats(b);
	builder_new_session(b, 2);
	builder_kfree(b, 0, 50, 7, 0);
}

static struct builder *new_seed(const char *dir, const char *target, size_t i,
				const struct builder_options *shape)
{
	g_autofree char *name = g_strdup_printf("seed-%zu.kmt", i);
	g_autofree char *path = g_build_filename(dir, target, name, NULL);

	return builder_new_with(path, shape);
}

static void write_reader_seeds(const char *dir)
{
	for (size_t i = 0; i < 2 * G_N_ELEMENTS(shapes); i++) {
		struct builder *b = new_seed(dir, "reader", i, &shapes[i / 2]);

		fill(b);
		if (i % 2)
			builder_finish_cut(b);
		else
			builder_finish(b);
	}
}

static const struct {
	const char *name;
	enum kmemtrace_phase phase;
	const char *text;
} texts[] = {
	{ "abi", KMEMTRACE_PHASE_START,
	  "page_size 4096\nlinear_base 0xffff888000000000\ngfp __GFP_ACCOUNT 0x400000\n"
	  "migratetype 0 Unmovable\n" },
	{ "caches", KMEMTRACE_PHASE_END, "1 192 dentry\n2 64 ?\n" },
	{ "tasks", KMEMTRACE_PHASE_START, "7 7 bash\n8 8 cat\n" },
	{ "events", KMEMTRACE_PHASE_END, "slab page percpu\n" },
	{ "filters", KMEMTRACE_PHASE_END, "pids 7 8\nsample 4\n" },
	{ "paths", KMEMTRACE_PHASE_END, "slab on\nvmalloc unseen: no tracepoint\n" },
	{ "kallsyms", KMEMTRACE_PHASE_START,
	  "ffffffff81000000 T _stext\nffffffff81000010 T __kmalloc\n"
	  "ffffffff81000018 T caller\nffffffff81000028 t outer\t[ext4]\n"
	  "ffffffff81000060 t bpf_prog_1_a\t[bpf]\nffffffff81000080 t bpf_prog_2_b\t[bpf]\n"
	  "ffffffff81000100 T _etext\n" },
	{ "bpf_programs", KMEMTRACE_PHASE_START,
	  "5 0xffffffff81000060 32\n90 0xffffffff81000080 16\n" },
	{ "modules", KMEMTRACE_PHASE_START, "ext4 4096 0 - Live 0xffffffff81000020\n" },
	{ "module_times", KMEMTRACE_PHASE_END,
	  "0 25 0xffffffff81000020 0x1000 ext4\n26 0 0xffffffff81000020 0x800 loop\n" },
	{ "module_functions", KMEMTRACE_PHASE_END,
	  "init 12 14 0xffffffff81000020 0x10 gone\nffffffff81000024 t gone_init\n"
	  "text 0 25 0xffffffff81000020 0x1000 ext4\nffffffff81000028 t outer\n" },
	{ "meminfo", KMEMTRACE_PHASE_START, "MemTotal:  2012132 kB\nSlab:  1000 kB\n" },
	{ "slabinfo", KMEMTRACE_PHASE_END,
	  "kmalloc-128 1 32 128 32 1 : tunables 0 0 0 : slabdata 1 1 0\n" },
	{ "buddyinfo", KMEMTRACE_PHASE_END, "Node 0, zone   Normal  1 2 3\n" },
	{ "buddyinfo_times", KMEMTRACE_PHASE_END,
	  "15 Node 0, zone   Normal  1 2 3\n25 Node 0, zone   Normal  4 0 0\n" },
	{ "cpu_nodes", KMEMTRACE_PHASE_START, "0 0\n1 1\n" },
	{ "vmstat", KMEMTRACE_PHASE_END, "pgalloc_normal 12\n" },
};

static void fill_all(struct builder *b)
{
	static const uint64_t addrs[] = { 0xffffffff81000014, 0xffffffff8100001c,
					  0xffffffff81000030 };
	uint32_t stack = builder_stack(b, addrs, G_N_ELEMENTS(addrs));

	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
		builder_snapshot(b, texts[i].name, texts[i].phase, texts[i].text);
	for (unsigned int type = 1; type < KMEMTRACE_EVENT_NR; type++)
		builder_event(b, type % 2, (struct trace_event){
			.event = type, .time_ns = 10 * type, .addr = 0xffff888000001000,
			.bytes_req = 100, .bytes_alloc = 128, .gfp = 0x400cc0, .tid = 7,
			.cache = type < KMEMTRACE_EVENT_PAGE_ALLOC, .stack_id = stack });
	for (uint32_t i = 0; i < 30; i++)
		builder_kmalloc(b, 0, 300 + i, 7, 0xffff888000004000 + i * 128, 100, 128, stack);
	builder_page_alloc(b, 0, 500, 8, 1, 0, stack);
	builder_kmalloc(b, 0, 510, 8, 0xffff888000001000, 100, 128, stack);
	builder_page_free(b, 1, 520, 8, 1, 0);
}

/* Names that users choose. */
static void fill_more(struct builder *b)
{
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START,
			 "tool=1\nrelease=6.1\nmachine=x86_64\npage_size=4096\ncpus=2\n"
			 "realtime_offset_ns=1700000000000000000\nmode=record\ncommand=ls -l\n");
	builder_task(b, 0, 1, 7, 7, "bash");
	builder_mark(b, 0, 2, 7, "before");
	builder_mark(b, 1, 3, 7, "a longer mark, which takes more than one record of the buffer");
}

/* Mapped code of a process, and its changes. */
static void fill_user(struct builder *b)
{
	static const uint64_t addrs[] = { 0x401010, 0, 0x402010 };
	uint32_t stack = builder_stack(b, addrs, G_N_ELEMENTS(addrs));

	builder_snapshot(b, "process_maps", KMEMTRACE_PHASE_START,
			 "process 7 1\n400000 410000 0 33 /bin/bash\n500000 510000 1000 0 [vdso]\n");
	builder_snapshot(b, "files", KMEMTRACE_PHASE_END, "1 34 /lib/libc.so\n");
	builder_snapshot(b, "elf_files", KMEMTRACE_PHASE_END,
			 "33 1000 5 00ff /bin/bash\n34 2000 6 - /lib/libc.so\n");
	builder_event(b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_MAP, .time_ns = 600, .tid = 7, .tgid = 7,
		.addr = 0x401000, .bytes_req = 4, .bytes_alloc = 1 });
	builder_event(b, 0, (struct trace_event){
		.event = KMEMTRACE_EVENT_KMALLOC, .time_ns = 610, .tid = 7, .tgid = 7,
		.addr = 0xffff888000009000, .bytes_req = 10, .bytes_alloc = 16,
		.user_stack_id = stack });
	builder_event(b, 1, (struct trace_event){
		.event = KMEMTRACE_EVENT_FORK, .time_ns = 620, .tid = 8, .tgid = 8,
		.bytes_req = 7 });
}

static void write_load_seeds(const char *dir)
{
	static const struct builder_options load_shapes[] = {
		{ .subbuf_records = 10 },
		{ .subbuf_records = 10, .swap_file = true, .swap_data = true },
		{ .subbuf_records = 50 },	/* packed, except short ones */
		{ .subbuf_records = 8 },
		{ .subbuf_records = 12, .record_len = sizeof(struct kmemtrace_record_user) },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(load_shapes); i++) {
		struct builder *b = new_seed(dir, "load", i, &load_shapes[i]);

		if (i == 2)
			trace_writer_pack(builder_writer(b), 3);
		if (i > 2)
			fill_more(b);
		fill_all(b);
		if (load_shapes[i].record_len)
			fill_user(b);
		builder_stats(b);
		builder_finish(b);
	}
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 2;
	}
	write_reader_seeds(argv[1]);
	write_load_seeds(argv[1]);
	return 0;
}
