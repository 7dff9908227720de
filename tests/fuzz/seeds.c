// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * seeds DIR: writes small traces that a fuzzer starts from, one for each shape that a reader must
 * know: both byte orders, longer structures, loss, sessions, a file without an end.
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

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: seeds DIR\n");
		return 2;
	}
	for (size_t i = 0; i < 2 * G_N_ELEMENTS(shapes); i++) {
		g_autofree char *name = g_strdup_printf("seed-%zu.kmt", i);
		g_autofree char *path = g_build_filename(argv[1], name, NULL);
		struct builder *b = builder_new_with(path, &shapes[i / 2]);

		fill(b);
		if (i % 2)
			builder_finish_cut(b);
		else
			builder_finish(b);
	}
	return 0;
}
