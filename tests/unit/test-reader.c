// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader returns what was written, in all byte orders and with longer structures, and
 * distinguishes every kind of damage from mere truncation.
 */
#include "trace-check.h"


/* ---- good files ---- */

static const uint64_t stack_a[] = { 0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030 };
static const uint64_t stack_b[] = { 0xffffffff81000040 };

static const struct trace_event samples[] = {
	{.event = KMEMTRACE_EVENT_KMALLOC,
	 .time_ns = 10,
	 .addr = 0xffff888000001000,
	 .call_site = 0xffffffff81000010,
	 .bytes_req = 100,
	 .bytes_alloc = 128,
	 .gfp = 0xcc0,
	 .tid = 7,
	 .node = KMEMTRACE_NODE_ANY},
	{.event = KMEMTRACE_EVENT_CACHE_ALLOC,
	 .time_ns = 20,
	 .addr = 0xffff888000002000,
	 .bytes_req = 192,
	 .bytes_alloc = 192,
	 .cache = 0x1234,
	 .tid = 0x10203040,
	 .node = 1,
	 .context = KMEMTRACE_CONTEXT_SOFTIRQ},
	{.event = KMEMTRACE_EVENT_PAGE_ALLOC,
	 .time_ns = 30,
	 .addr = 0x12345,
	 .bytes_req = 16384,
	 .bytes_alloc = 16384,
	 .order = 2,
	 .migratetype = 1,
	 .context = KMEMTRACE_CONTEXT_HARDIRQ},
	{.event = KMEMTRACE_EVENT_TASK,
	 .time_ns = 40,
	 .tid = 7,
	 .tgid = 6,
	 .comm = "sixteen bytes ok"},
	{.event = KMEMTRACE_EVENT_KFREE,
	 .time_ns = 50,
	 .addr = 0xffff888000001000,
	 .tid = 7,
	 .node = KMEMTRACE_NODE_ANY},
	{.event = KMEMTRACE_EVENT_CACHE_FREE,
	 .time_ns = 60,
	 .addr = 0xffff888000002000,
	 .cache = 0x1234},
	{.event = KMEMTRACE_EVENT_PAGE_FREE,
	 .time_ns = 70,
	 .addr = 0x12345,
	 .order = 2,
	 .migratetype = 0xff},
	{.event = KMEMTRACE_EVENT_KFREE_RCU, .time_ns = 80, .addr = 0xffff888000003000, .tid = 7},
	{.event = KMEMTRACE_EVENT_PERCPU_ALLOC,
	 .time_ns = 90,
	 .addr = 0x607f0f8b1234,
	 .bytes_req = 24,
	 .bytes_alloc = 96,
	 .gfp = 0xcc0},
	{.event = KMEMTRACE_EVENT_PERCPU_FREE, .time_ns = 100, .addr = 0x607f0f8b1234},
	{.event = KMEMTRACE_EVENT_VMAP_ALLOC,
	 .time_ns = 110,
	 .addr = 0xffffc90000001000,
	 .bytes_req = 8192,
	 .bytes_alloc = 12288},
	{.event = KMEMTRACE_EVENT_VMAP_FREE, .time_ns = 120, .addr = 0xffffc90000001000},
	{.event = KMEMTRACE_EVENT_EXTFRAG,
	 .time_ns = 130,
	 .addr = 0x12345,
	 .bytes_req = 9,
	 .bytes_alloc = 1,
	 .order = 3,
	 .migratetype = 2},
	{.event = KMEMTRACE_EVENT_ZONE_LOCKED,
	 .time_ns = 140,
	 .addr = 0x12346,
	 .bytes_req = 1,
	 .order = 0,
	 .migratetype = 1},
	{.event = KMEMTRACE_EVENT_PCPU_DRAIN,
	 .time_ns = 150,
	 .addr = 0x12347,
	 .order = 3,
	 .migratetype = 0},
	{.event = KMEMTRACE_EVENT_MAP,
	 .time_ns = 160,
	 .addr = 0x7f0011223000,
	 .call_site = 0x1000,
	 .bytes_req = 17,
	 .bytes_alloc = 3,
	 .gfp = 41,
	 .tid = 42,
	 .tgid = 41},
	{.event = KMEMTRACE_EVENT_EXEC, .time_ns = 170, .gfp = 41, .tid = 41, .tgid = 41},
	{.event = KMEMTRACE_EVENT_FORK,
	 .time_ns = 180,
	 .bytes_req = 41,
	 .bytes_alloc = 1,
	 .gfp = 43,
	 .tid = 43,
	 .tgid = 43},
	{.event = KMEMTRACE_EVENT_MARK,
	 .time_ns = 190,
	 .tid = 7,
	 .part = 1,
	 .parts = 2,
	 .text = "the second piece, full: 32 bytes"},
	{.event = KMEMTRACE_EVENT_PAGE_MOVE,
	 .time_ns = 200,
	 .addr = 0x12345,
	 .bytes_req = 0x23456,
	 .bytes_alloc = 1,
	 .gfp = KMEMTRACE_MOVE_TO_OUTSIDE,
	 .order = 9,
	 .migratetype = 0xff},
};

static void build_samples(const struct check_file *file, const struct builder_options *options)
{
	struct builder *b = builder_new_with(file->path, options);
	uint32_t id = builder_stack(b, stack_a, G_N_ELEMENTS(stack_a));

	for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
		struct trace_event event = samples[i];

		event.stack_id = event.event == KMEMTRACE_EVENT_KMALLOC ? id : 0;
		builder_event(b, 3, event);
	}
	builder_stack(b, stack_b, G_N_ELEMENTS(stack_b));
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "release=6.1\n");
	builder_finish(b);
}

static void assert_same(const struct trace_event *got, const struct trace_event *expected)
{
	g_assert_cmpuint(got->event, ==, expected->event);
	g_assert_cmpuint(got->time_ns, ==, expected->time_ns);
	g_assert_cmphex(got->addr, ==, expected->addr);
	g_assert_cmphex(got->call_site, ==, expected->call_site);
	g_assert_cmpuint(got->bytes_req, ==, expected->bytes_req);
	g_assert_cmpuint(got->bytes_alloc, ==, expected->bytes_alloc);
	g_assert_cmphex(got->gfp, ==, expected->gfp);
	g_assert_cmpuint(got->tid, ==, expected->tid);
	g_assert_cmpuint(got->tgid, ==, expected->tgid);
	g_assert_cmphex(got->cache, ==, expected->cache);
	g_assert_cmpuint(got->order, ==, expected->order);
	g_assert_cmpuint(got->migratetype, ==, expected->migratetype);
	g_assert_cmpuint(got->node, ==, expected->node);
	g_assert_cmpuint(got->context, ==, expected->context);
	g_assert_cmpstr(got->text, ==, expected->text);
	g_assert_cmpuint(got->part, ==, expected->part);
	g_assert_cmpuint(got->parts, ==, expected->parts);
	g_assert_cmpuint(got->cpu, ==, 3);
}

static void assert_samples(struct trace_reader *reader)
{
	g_autoptr(GArray) events = check_events(reader, NULL);

	g_assert_cmpuint(events->len, ==, G_N_ELEMENTS(samples));
	for (size_t i = 0; i < events->len; i++)
		assert_same(CHECK_EVENT(events, i), &samples[i]);
	g_assert_cmpuint(CHECK_EVENT(events, 0)->stack_id, !=, 0);
	g_assert_cmpuint(CHECK_EVENT(events, 1)->stack_id, ==, 0);
}

/* These bytes are the order and migrate type of page events, and unused in others. */
static void only_slab_events_have_a_cache(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	g_autoptr(GArray) events = NULL;
	struct builder *b = builder_new(file.path);

	for (unsigned int type = 1; type < KMEMTRACE_EVENT_NR; type++)
		builder_record(b, 0, &(struct kmemtrace_record){
			.time_ns = type, .addr = 1, .cache = 0x0203, .type = type });
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, KMEMTRACE_EVENT_NR - 1);
	for (unsigned int i = 0; i < events->len; i++) {
		const struct trace_event *event = CHECK_EVENT(events, i);
		bool slab = event->event <= KMEMTRACE_EVENT_CACHE_FREE;
		bool page = trace_event_has_order(event->event);

		g_assert_cmphex(event->cache, ==, slab ? 0x0203 : 0);
		g_assert_cmpuint(event->order + event->migratetype, ==, page ? 5 : 0);
	}
}

struct stacks_seen {
	unsigned int count;
	uint32_t ids[8];
	unsigned int depths[8];
	uint64_t first[8];
};

static int see_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	struct stacks_seen *seen = data;

	g_assert_cmpuint(seen->count, <, G_N_ELEMENTS(seen->ids));
	seen->ids[seen->count] = id;
	seen->depths[seen->count] = depth;
	seen->first[seen->count++] = addrs[0];
	return 0;
}

static void assert_stacks(struct trace_reader *reader, size_t header_len)
{
	struct stacks_seen seen = { 0 };
	struct trace_error err = { "" };

	g_assert_cmpint(trace_reader_stacks(reader, see_stack, &seen, &err), ==, 0);
	g_assert_cmpuint(seen.count, ==, 2);
	g_assert_cmpuint(seen.ids[0], ==, header_len / 8);
	g_assert_cmpuint(seen.depths[0], ==, 3);
	g_assert_cmphex(seen.first[0], ==, stack_a[0]);
	g_assert_cmpuint(seen.ids[1], ==, header_len / 8 + 4);
	g_assert_cmpuint(seen.depths[1], ==, 1);
	g_assert_cmphex(seen.first[1], ==, stack_b[0]);
}

static void assert_host(struct trace_reader *reader)
{
	struct trace_error err = { "" };
	uint64_t time_ns;
	g_autofree char *text = NULL;
	size_t len;

	g_assert_cmpint(trace_reader_snapshot(reader, "host", KMEMTRACE_PHASE_START, &text, &len,
					      &time_ns, &err),
			==, 0);
	g_assert_cmpstr(text, ==, "release=6.1\n");
	g_assert_cmpuint(len, ==, strlen(text));
	g_assert_cmpuint(time_ns, ==, 200);
}

static void check_samples(const struct builder_options *options)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	const uint32_t *cpus;
	uint64_t end;

	build_samples(&file, options);
	reader = check_open(&file);
	g_assert_cmpuint(trace_reader_cpus(reader, &cpus), ==, 1);
	g_assert_cmpuint(cpus[0], ==, 3);
	g_assert_false(is_cut(reader, &end));
	g_assert_cmpuint(end, ==, trace_reader_size(reader));
	assert_samples(reader);
	assert_stacks(reader, options->stack_header_len ?: sizeof(struct kmemtrace_stack_table));
	assert_host(reader);
}

static void reader_gives_the_written_events(void)
{
	check_samples(&(struct builder_options){ 0 });
}

static void reader_swaps_the_file_of_another_machine(void)
{
	check_samples(&(struct builder_options){ .swap_file = true });
}

static void reader_swaps_the_data_of_another_machine(void)
{
	check_samples(&(struct builder_options){ .swap_data = true });
}

static void reader_swaps_both(void)
{
	check_samples(&(struct builder_options){ .swap_file = true, .swap_data = true });
}

static void reader_accepts_longer_structures(void)
{
	struct builder_options options = {
		.subbuf_header_len = sizeof(struct kmemtrace_subbuf_header) + 24,
		.record_len = sizeof(struct kmemtrace_record) + 8,
		.stack_header_len = sizeof(struct kmemtrace_stack_table) + 16,
	};

	check_samples(&options);
	options.swap_data = true;
	check_samples(&options);
}

static void reader_opens_a_file_without_events(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	struct trace_error err = { "" };
	struct stacks_seen seen = { 0 };
	struct trace_writer *writer;
	g_autoptr(GArray) events = NULL;
	uint64_t end;

	g_assert_cmpint(trace_writer_create(file.path, &writer, &err), ==, 0);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 0);
	g_assert_cmpint(trace_reader_stacks(reader, see_stack, &seen, &err), ==, 0);
	g_assert_cmpuint(seen.count, ==, 0);
	g_assert_false(is_cut(reader, &end));
}

static void reader_gives_the_last_of_equal_snapshots(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	char *text;
	size_t len;
	struct builder *b = builder_new(file.path);

	builder_snapshot(b, "tasks", KMEMTRACE_PHASE_START, "old");
	builder_snapshot(b, "tasks", KMEMTRACE_PHASE_START, "new");
	builder_snapshot(b, "tasks", KMEMTRACE_PHASE_END, "other");
	builder_snapshot(b, "task", KMEMTRACE_PHASE_START, "shorter name");
	builder_finish(b);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, "tasks", KMEMTRACE_PHASE_START, &text, &len,
					      NULL, &err),
			==, 0);
	g_assert_cmpstr(text, ==, "new");
	free(text);
	g_assert_cmpint(trace_reader_snapshot(reader, "abi", KMEMTRACE_PHASE_START, &text, &len,
					      NULL, &err),
			==, -ENOENT);
}

static void zero_bytes_of_a_text_are_replaced(void)
{
	static const char bytes[] = "cpu written a\0b\n0 1 2\n\0";
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	g_autofree char *text = NULL;
	size_t len;
	struct builder *b = builder_new(file.path);

	g_assert_cmpint(trace_writer_snapshot(builder_writer(b), "tasks", KMEMTRACE_PHASE_START, 1, bytes,
					      sizeof(bytes) - 1, &err),
			==, 0);
	builder_finish(b);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, "tasks", KMEMTRACE_PHASE_START, &text, &len, NULL,
					      &err),
			==, 0);
	g_assert_cmpstr(text, ==, "cpu written a?b\n0 1 2\n?");
	g_assert_cmpuint(len, ==, sizeof(bytes) - 1);
}

/* ---- stacks in pieces ---- */

/* A file whose stack table comes in pieces, each [from, to) of the table, in this order. */
static struct trace_reader *open_pieces(const struct check_file *file, const size_t (*pieces)[2],
					size_t count)
{
	struct builder *b = builder_new(file->path);
	struct trace_error err = { "" };
	g_autoptr(GByteArray) bytes = NULL;
	struct trace_writer *writer;
	size_t at;

	builder_stack(b, stack_a, G_N_ELEMENTS(stack_a));
	builder_stack(b, stack_b, G_N_ELEMENTS(stack_b));
	builder_finish(b);
	bytes = check_read(file);
	at = check_find_chunk(bytes, KMEMTRACE_CHUNK_STACKS, 0) +
	     sizeof(struct kmemtrace_chunk_header) + sizeof(struct kmemtrace_chunk_stacks);
	g_assert_cmpint(trace_writer_create(file->path, &writer, &err), ==, 0);
	for (size_t i = 0; i < count; i++)
		trace_writer_stacks(writer, pieces[i][0], bytes->data + at + pieces[i][0],
				    pieces[i][1] - pieces[i][0], &err);
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
	return check_open(file);
}

/* The table: a header of 16 bytes, 32 of stack_a, 16 of stack_b. */
static void reader_joins_stack_pieces_in_any_order(void)
{
	static const size_t pieces[][2] = {{33, 64}, {0, 5}, {5, 20}, {17, 40}, {19, 19}};
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = open_pieces(&file, pieces, G_N_ELEMENTS(pieces));

	assert_stacks(reader, 16);
}

static void reader_rejects_a_hole_in_the_stack_table(void)
{
	static const size_t pieces[][2] = { { 48, 64 }, { 0, 40 } };
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct stacks_seen seen = { 0 };
	g_autoptr(trace_reader) reader = open_pieces(&file, pieces, G_N_ELEMENTS(pieces));

	g_assert_cmpint(trace_reader_stacks(reader, see_stack, &seen, &err), ==, -EBADMSG);
	g_assert_nonnull(strstr(err.text, "hole from its byte 40 to 48"));
	g_assert_cmpuint(seen.count, ==, 0);
}

static void reader_ends_at_a_truncated_stack(void)
{
	static const size_t pieces[][2] = { { 0, 56 } };
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct stacks_seen seen = { 0 };
	g_autoptr(trace_reader) reader = open_pieces(&file, pieces, G_N_ELEMENTS(pieces));

	g_assert_cmpint(trace_reader_stacks(reader, see_stack, &seen, &err), ==, 0);
	g_assert_cmpuint(seen.count, ==, 1);
}

/* Writes the 16 bits @value at @offset of the stack table, with correct CRCs. */
static struct trace_reader *open_with_table_value(const struct check_file *file, size_t offset,
						  uint16_t value)
{
	g_autoptr(GByteArray) bytes = NULL;
	size_t at;

	build_samples(file, &(struct builder_options){ 0 });
	bytes = check_read(file);
	at = check_find_chunk(bytes, KMEMTRACE_CHUNK_STACKS, 0);
	memcpy(bytes->data + at + 24 + 8 + offset, &value, sizeof(value));
	check_fix_crc(bytes, at);
	check_write(file, bytes->data, bytes->len);
	return check_open(file);
}

static void check_impossible_depth(uint16_t depth)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct stacks_seen seen = { 0 };
	g_autoptr(trace_reader) reader = open_with_table_value(&file, 16 + 4, depth);

	g_assert_cmpint(trace_reader_stacks(reader, see_stack, &seen, &err), ==, -EBADMSG);
	g_assert_nonnull(strstr(err.text, "byte 16 of the stack table"));
	g_assert_cmpuint(seen.count, ==, 0);
}

static void reader_rejects_an_impossible_stack_depth(void)
{
	check_impossible_depth(0);
	check_impossible_depth(KMEMTRACE_STACK_DEPTH_MAX + 1);
	check_impossible_depth(0xffff);
}

static int stop_at_once(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	++*(int *)data;
	return -ECANCELED;
}

static void reader_stops_when_the_visitor_fails(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	int calls = 0;

	build_samples(&file, &(struct builder_options){ 0 });
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_stacks(reader, stop_at_once, &calls, &err), ==, -ECANCELED);
	g_assert_cmpint(calls, ==, 1);
}

static void session_without_stacks_has_no_stack_ids(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	g_autoptr(GArray) events = NULL;
	struct builder *b = builder_new(file.path);
	uint32_t id = builder_stack(b, stack_a, 3);

	builder_kmalloc(b, 0, 10, 1, 0x1000, 8, 8, id);
	builder_new_session(b, 2);
	builder_kmalloc(b, 0, 20, 1, 0x2000, 8, 8, id);
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(CHECK_EVENT(events, 0)->stack_id, ==, id);
	g_assert_cmpuint(CHECK_EVENT(events, 1)->stack_id, ==, 0);
}

static void reader_rejects_stacks_of_two_sessions(void)
{
	struct kmemtrace_stack_table table = {
		.magic = KMEMTRACE_STACK_MAGIC,
		.abi_version = KMEMTRACE_ABI_VERSION,
		.header_len = sizeof(table),
		.session = 2,
	};
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct builder *b = builder_new(file.path);

	builder_stack(b, stack_a, 3);
	g_assert_cmpint(trace_writer_stacks(builder_writer(b), 0, &table, sizeof(table), &err), ==,
			0);
	builder_finish(b);
	check_refused(&file, EBADMSG, "session");
}

/* ---- the end of the file ---- */

/*
 * The events of a truncated file: those of complete DATA chunks that end at or before @len.
 */
static guint events_before(const GByteArray *whole, size_t len)
{
	size_t at = sizeof(struct kmemtrace_file_header);
	guint events = 0;

	while (at + sizeof(struct kmemtrace_chunk_header) <= len) {
		size_t start = at;
		struct kmemtrace_chunk_header header = check_next_chunk(whole, &at);

		if (header.type == KMEMTRACE_CHUNK_DATA &&
		    start + sizeof(header) + header.len <= len)
			events += (header.len - sizeof(struct kmemtrace_subbuf_header)) /
				  sizeof(struct kmemtrace_record);
	}
	return events;
}

/* Each CPU's events count 0, 1, 2… in tid: they are a prefix if none is missing in between. */
static void assert_prefixes(const GArray *events)
{
	uint32_t next[2] = { 0, 0 };

	for (guint i = 0; i < events->len; i++) {
		const struct trace_event *event = CHECK_EVENT(events, i);

		g_assert_cmpuint(event->tid, ==, next[event->cpu]);
		next[event->cpu]++;
	}
}

static void check_cut_at(const struct check_file *file, const GByteArray *whole, size_t len)
{
	g_autoptr(trace_reader) reader = NULL;
	struct trace_error err = { "" };
	g_autoptr(GArray) events = NULL;
	struct stacks_seen seen = { 0 };
	uint64_t end;
	int ret;

	check_write(file, whole->data, len);
	ret = trace_reader_open(file->path, &reader, &err);
	if (len < sizeof(struct kmemtrace_file_header)) {
		g_assert_cmpint(ret, ==, -EBADMSG);
		g_assert_nonnull(strstr(err.text, "expected a header"));
		return;
	}
	g_assert_cmpstr(err.text, ==, "");
	g_assert_cmpint(ret, ==, 0);
	g_assert_cmpint(is_cut(reader, &end), ==, len < whole->len);
	g_assert_cmpuint(end, <=, len);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, events_before(whole, len));
	assert_prefixes(events);
	g_assert_cmpint(trace_reader_stacks(reader, see_stack, &seen, &err), ==, 0);
}

static void build_countable(const struct check_file *file)
{
	struct builder *b =
		builder_new_with(file->path, &(struct builder_options){.subbuf_records = 3});

	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "odd\n.");
	builder_stack(b, stack_a, 3);
	builder_flush_stacks(b);
	for (uint32_t i = 0; i < 10; i++) {
		builder_kmalloc(b, 0, 10 + i, i, 0x1000 + i, 8, 8, 0);
		builder_kmalloc(b, 1, 10 + i, i, 0x2000 + i, 8, 8, 0);
	}
	builder_finish_uncounted(b);
}

static void reader_opens_a_file_truncated_at_any_byte(void)
{
	g_autoptr(GByteArray) whole = NULL;
	g_auto(check_file) file = check_file_make();

	build_countable(&file);
	whole = check_read(&file);
	g_assert_cmpuint(events_before(whole, whole->len), ==, 20);
	for (size_t len = 0; len <= whole->len; len++)
		check_cut_at(&file, whole, len);
}

static void file_without_end_is_cut(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	uint64_t end;
	struct builder *b = builder_new(file.path);

	builder_kmalloc(b, 0, 10, 1, 0x1000, 8, 8, 0);
	builder_finish_cut(b);
	reader = check_open(&file);
	g_assert_true(is_cut(reader, &end));
	g_assert_cmpuint(end, ==, trace_reader_size(reader));
}

/* After a crash, a file system may return zeros for data not yet written. */
static void check_zeros_from(const struct check_file *file, const GByteArray *whole, size_t from)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(GArray) events = NULL;
	g_autoptr(trace_reader) reader = NULL;
	uint64_t end;

	g_byte_array_append(bytes, whole->data, whole->len);
	memset(bytes->data + from, 0, bytes->len - from);
	check_write(file, bytes->data, bytes->len);
	reader = check_open(file);
	g_assert_true(is_cut(reader, &end));
	events = check_events(reader, NULL);
	assert_prefixes(events);
	g_assert_cmpuint(events->len, >=, events_before(whole, from));
}

static void file_with_zeros_at_the_end_is_cut(void)
{
	g_autoptr(GByteArray) whole = NULL;
	g_auto(check_file) file = check_file_make();
	size_t last;

	build_countable(&file);
	whole = check_read(&file);
	/* The last byte of END's header may already be zero. */
	last = check_find_chunk(whole, KMEMTRACE_CHUNK_END, 0) + 4;
	for (size_t from = sizeof(struct kmemtrace_file_header); from <= last; from++)
		check_zeros_from(&file, whole, from);
}

static void damaged_chunk_in_file_without_end_is_left_out(void)
{
	g_autoptr(GByteArray) bytes = NULL;
	g_autoptr(GArray) events = NULL;
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	uint64_t end;
	size_t at;

	build_countable(&file);
	bytes = check_read(&file);
	at = check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 7);
	bytes->data[at + 24 + 130] ^= 1;
	check_write(&file, bytes->data, check_find_chunk(bytes, KMEMTRACE_CHUNK_END, 0));
	reader = check_open(&file);
	g_assert_true(is_cut(reader, &end));
	g_assert_cmpuint(end, ==, at);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 19);
}

/* ---- damage in the middle ---- */

/*
 * Flips every byte of a complete file except fill: either opening fails, or reading it all, or the
 * file counts as cut (END itself was hit). No wrong byte may go undetected.
 */
static bool is_damage_seen(const struct check_file *file)
{
	struct stacks_seen seen = { 0 };
	struct trace_error err = { "" };
	struct trace_reader *reader;
	uint64_t end;
	bool found;
	size_t len;
	char *text;

	if (trace_reader_open(file->path, &reader, &err)) {
		g_assert_nonnull(strstr(err.text, file->path));
		return true;
	}
	found = is_cut(reader, &end) ||
		trace_reader_stacks(reader, see_stack, &seen, &err);
	if (!found &&
	    !trace_reader_snapshot(reader, "host", KMEMTRACE_PHASE_START, &text, &len, NULL, &err))
		free(text);
	found |= err.text[0] != 0;
	if (!found)
		g_array_unref(check_events(reader, &err));
	trace_reader_close(reader);
	return found || err.text[0];
}

static void every_flipped_byte_is_detected(void)
{
	g_autoptr(GByteArray) whole = NULL;
	g_auto(check_file) file = check_file_make();
	size_t snapshot_end;

	build_countable(&file);
	whole = check_read(&file);
	snapshot_end = check_find_chunk(whole, KMEMTRACE_CHUNK_SNAPSHOT, 0) + 24 + 16 +
		       strlen("hostodd\n.");
	for (size_t at = 0; at < whole->len; at++) {
		bool is_fill = at >= snapshot_end && at < (snapshot_end + 7) / 8 * 8;

		whole->data[at] ^= 0x10;
		check_write(&file, whole->data, whole->len);
		if (is_damage_seen(&file) == is_fill)
			g_error("flipped byte %zu: %s", at, is_fill ? "fill counts" : "not seen");
		whole->data[at] ^= 0x10;
	}
}

/* "There is no such snapshot" would hide the damage. */
static void damaged_snapshot_name_is_reported(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GByteArray) bytes = NULL;
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	char *text;
	size_t len;

	build_samples(&file, &(struct builder_options){ 0 });
	bytes = check_read(&file);
	bytes->data[check_find_chunk(bytes, KMEMTRACE_CHUNK_SNAPSHOT, 0) + 24 + 16] ^= 1;
	check_write(&file, bytes->data, bytes->len);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, "host", KMEMTRACE_PHASE_START, &text, &len,
					      NULL, &err),
			==, -EBADMSG);
	g_assert_nonnull(strstr(err.text, "is damaged"));
}

/* Changes 16 bits at @offset of the first chunk of @type, with correct CRCs. */
static void change_chunk(const struct check_file *file, unsigned int type, size_t offset,
			 uint16_t value)
{
	g_autoptr(GByteArray) bytes = NULL;
	size_t at;

	build_samples(file, &(struct builder_options){ 0 });
	bytes = check_read(file);
	at = check_find_chunk(bytes, type, 0);
	memcpy(bytes->data + at + offset, &value, sizeof(value));
	check_fix_crc(bytes, at);
	check_write(file, bytes->data, bytes->len);
}

static void check_change(unsigned int type, size_t offset, uint16_t value, int errnum,
			 const char *part)
{
	g_auto(check_file) file = check_file_make();

	change_chunk(&file, type, offset, value);
	check_refused(&file, errnum, part);
}

#define SUBBUF(field)	(24 + offsetof(struct kmemtrace_subbuf_header, field))

static void reader_rejects_short_records(void)
{
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(record_len), 47, EBADMSG,
		     "has records of 47 bytes, expected 48");
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(record_len), 0, EBADMSG,
		     "has records of 0 bytes, expected 48");
}

static void reader_rejects_values_above_a_limit(void)
{
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(record_len), KMEMTRACE_RECORD_MAX + 1, EBADMSG,
		     "has records of 1025 bytes, expected 48 to 1024");
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(cpu), KMEMTRACE_CPUS_MAX, EBADMSG,
		     "is of CPU 8192, expected 0 to 8191");
}

static void reader_rejects_a_short_subbuf_header(void)
{
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(header_len), 120, EBADMSG,
		     "expected 128 or more");
}

static void reader_rejects_a_subbuf_header_longer_than_the_chunk(void)
{
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(header_len), 0xfff8, EBADMSG, "header of 65528");
}

static void reader_rejects_a_newer_abi(void)
{
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(abi_version), KMEMTRACE_ABI_VERSION + 1,
		     EPROTONOSUPPORT, "a newer kmemtrace-user is needed");
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(abi_version), 0, EPROTONOSUPPORT,
		     "ABI version 0");
}

static void reader_rejects_a_wrong_subbuf_magic(void)
{
	check_change(KMEMTRACE_CHUNK_DATA, SUBBUF(magic), 0x1234, EBADMSG,
		     "no sub-buffer at offset");
}

static void reader_rejects_an_unknown_required_chunk(void)
{
	check_change(KMEMTRACE_CHUNK_SNAPSHOT, offsetof(struct kmemtrace_chunk_header, type), 99,
		     EPROTONOSUPPORT, "unknown type 99");
}

static void reader_rejects_a_snapshot_name_beyond_the_chunk(void)
{
	const size_t at = 24 + offsetof(struct kmemtrace_chunk_snapshot, name_len);

	check_change(KMEMTRACE_CHUNK_SNAPSHOT, at, 17, EBADMSG, "name of 17 bytes");
	check_change(KMEMTRACE_CHUNK_SNAPSHOT, at, 0xffff, EBADMSG, "name of 65535 bytes");
}

static void reader_skips_an_unknown_optional_chunk(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GByteArray) bytes = NULL;
	g_autoptr(trace_reader) reader = NULL;
	uint16_t type = 99, flags = KMEMTRACE_CHUNK_OPTIONAL;
	uint64_t end;
	size_t at;

	build_samples(&file, &(struct builder_options){ 0 });
	bytes = check_read(&file);
	at = check_find_chunk(bytes, KMEMTRACE_CHUNK_SNAPSHOT, 0);
	memcpy(bytes->data + at + 4, &type, 2);
	memcpy(bytes->data + at + 6, &flags, 2);
	check_fix_crc(bytes, at);
	check_write(&file, bytes->data, bytes->len);
	reader = check_open(&file);
	g_assert_false(is_cut(reader, &end));
	assert_samples(reader);
}

static void reader_names_the_offset_of_a_damaged_sub_buffer(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GByteArray) bytes = NULL;
	g_autoptr(GArray) events = NULL;
	g_autofree char *part = NULL;
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	size_t at;

	build_countable(&file);
	bytes = check_read(&file);
	at = check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 2);
	bytes->data[at + 24 + 130] ^= 1;
	check_write(&file, bytes->data, bytes->len);
	reader = check_open(&file);
	events = check_events(reader, &err);
	part = g_strdup_printf("chunk at offset %zu is damaged", at);
	g_assert_nonnull(strstr(err.text, part));
	assert_prefixes(events);
	g_assert_cmpuint(events->len, ==, 5); /* up to the last one of that CPU before the damage */
}

/* ---- files that are not traces ---- */

static void reader_rejects_a_file_that_is_no_trace(void)
{
	g_auto(check_file) file = check_file_make();

	check_write(&file, "", 0);
	check_refused(&file, EBADMSG, "ends at offset 0, expected");
	check_write(&file, "SQLite format 3\0 and more behind it", 35);
	check_refused(&file, EBADMSG, "wrong magic at offset 0");
}

static void change_file_header(const struct check_file *file, size_t offset, uint16_t value)
{
	g_autoptr(GByteArray) bytes = NULL;

	build_samples(file, &(struct builder_options){ 0 });
	bytes = check_read(file);
	memcpy(bytes->data + offset, &value, sizeof(value));
	check_write(file, bytes->data, bytes->len);
}

static void reader_rejects_impossible_file_headers(void)
{
	g_auto(check_file) file = check_file_make();

	change_file_header(&file, offsetof(struct kmemtrace_file_header, byte_order), 0x1111);
	check_refused(&file, EBADMSG, "byte order");
	change_file_header(&file, offsetof(struct kmemtrace_file_header, version), 3);
	check_refused(&file, EPROTONOSUPPORT, "file version 3");
	change_file_header(&file, offsetof(struct kmemtrace_file_header, version), 0);
	check_refused(&file, EPROTONOSUPPORT, "file version 0");
	change_file_header(&file, offsetof(struct kmemtrace_file_header, header_len), 8);
	check_refused(&file, EBADMSG, "header length 8");
	change_file_header(&file, offsetof(struct kmemtrace_file_header, header_len), 20);
	check_refused(&file, EBADMSG, "header length 20");
}

static void reader_reports_a_missing_file(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_reader *reader = NULL;
	struct trace_error err = { "" };

	check_refused(&file, ENOENT, "No such file");
	g_assert_cmpint(trace_reader_open(file.folder, &reader, &err), ==, -EISDIR);
	g_assert_cmpint(trace_reader_open(file.path, &reader, NULL), ==, -ENOENT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/reader/" #name, name)
	TEST(only_slab_events_have_a_cache);
	TEST(reader_gives_the_written_events);
	TEST(reader_swaps_the_file_of_another_machine);
	TEST(reader_swaps_the_data_of_another_machine);
	TEST(reader_swaps_both);
	TEST(reader_accepts_longer_structures);
	TEST(reader_opens_a_file_without_events);
	TEST(reader_gives_the_last_of_equal_snapshots);
	TEST(zero_bytes_of_a_text_are_replaced);
	TEST(reader_joins_stack_pieces_in_any_order);
	TEST(reader_rejects_a_hole_in_the_stack_table);
	TEST(reader_ends_at_a_truncated_stack);
	TEST(reader_rejects_an_impossible_stack_depth);
	TEST(reader_stops_when_the_visitor_fails);
	TEST(session_without_stacks_has_no_stack_ids);
	TEST(reader_rejects_stacks_of_two_sessions);
	TEST(reader_opens_a_file_truncated_at_any_byte);
	TEST(file_without_end_is_cut);
	TEST(file_with_zeros_at_the_end_is_cut);
	TEST(damaged_chunk_in_file_without_end_is_left_out);
	TEST(every_flipped_byte_is_detected);
	TEST(damaged_snapshot_name_is_reported);
	TEST(reader_rejects_short_records);
	TEST(reader_rejects_values_above_a_limit);
	TEST(reader_rejects_a_short_subbuf_header);
	TEST(reader_rejects_a_subbuf_header_longer_than_the_chunk);
	TEST(reader_rejects_a_newer_abi);
	TEST(reader_rejects_a_wrong_subbuf_magic);
	TEST(reader_rejects_an_unknown_required_chunk);
	TEST(reader_rejects_a_snapshot_name_beyond_the_chunk);
	TEST(reader_skips_an_unknown_optional_chunk);
	TEST(reader_names_the_offset_of_a_damaged_sub_buffer);
	TEST(reader_rejects_a_file_that_is_no_trace);
	TEST(reader_rejects_impossible_file_headers);
	TEST(reader_reports_a_missing_file);
	return g_test_run();
}
