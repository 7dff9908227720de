// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams and their merge: the order of events, the counters, and the windows with lost events.
 */
#include "trace-check.h"

/* ---- order ---- */

static void merge_orders_events_of_all_cpus_by_time(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);
	g_autoptr(GArray) events = NULL;
	g_autoptr(trace_reader) reader = NULL;
	uint64_t times[5] = { 0 };
	struct builder *b = builder_new_with(
		file.path, &(struct builder_options){ .subbuf_records = 7 });

	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t cpu = g_rand_int_range(rand, 0, 5);

		times[cpu] += g_rand_int_range(rand, 0, 3);
		builder_kmalloc(b, cpu * 1000, times[cpu], i, 0x1000, 8, 8, 0);
	}
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 2000);
	for (guint i = 1; i < events->len; i++) {
		const struct trace_event *before = CHECK_EVENT(events, i - 1),
					 *now = CHECK_EVENT(events, i);

		g_assert_cmpuint(before->time_ns, <=, now->time_ns);
		if (before->time_ns == now->time_ns)
			g_assert_cmpuint(before->cpu, <=, now->cpu);
		if (before->time_ns == now->time_ns && before->cpu == now->cpu)
			g_assert_cmpuint(before->tid, <, now->tid);
	}
}

/*
 * Writes @count sub-buffers of CPU 0 with one event each, with seq and time as in @order; -1 ends
 * it.
 */
static void write_in_order(const struct check_file *file, const int *order)
{
	struct { struct kmemtrace_subbuf_header header; struct kmemtrace_record record; } subbuf;
	struct trace_error err = { "" };
	struct trace_writer *writer;

	g_assert_cmpint(trace_writer_create(file->path, &writer, &err), ==, 0);
	for (; *order >= 0; order++) {
		memset(&subbuf, 0, sizeof(subbuf));
		subbuf.header.magic = KMEMTRACE_SUBBUF_MAGIC;
		subbuf.header.abi_version = KMEMTRACE_ABI_VERSION;
		subbuf.header.header_len = sizeof(subbuf.header);
		subbuf.header.record_len = sizeof(subbuf.record);
		subbuf.header.session = 1;
		subbuf.header.seq = *order;
		subbuf.header.time_ns = subbuf.record.time_ns = 100 + *order;
		subbuf.record.tid = *order;
		subbuf.record.type = KMEMTRACE_EVENT_KFREE;
		g_assert_cmpint(trace_writer_data(writer, &subbuf, sizeof(subbuf), &err), ==, 0);
	}
	g_assert_cmpint(trace_writer_close(writer, 1, &err), ==, 0);
}

static void stream_sorts_sub_buffers_and_drops_duplicates(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	g_autoptr(trace_reader) reader = NULL;
	struct trace_stream *stream;
	const struct trace_loss_window *windows;

	write_in_order(&file, (const int[]){ 2, 0, 3, 1, 2, 2, 0, -1 });
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 4);
	for (uint32_t i = 0; i < 4; i++)
		g_assert_cmpuint(CHECK_EVENT(events, i)->tid, ==, i);
	stream = check_stream(reader, 0);
	g_assert_cmpuint(trace_stream_stats(stream)->subbufs, ==, 4);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 0);
	trace_stream_close(stream);
}

static void stream_keeps_sessions_apart_and_in_order(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	const struct trace_loss_window *windows;
	struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;
	struct builder *b = builder_new_with(file.path, &(struct builder_options){ .session = 5 });

	builder_lose(b, 0, KMEMTRACE_LOSS_NMI, 3);
	builder_ignore(b, 0, 10);
	builder_kfree(b, 0, 100, 1, 0x1000);
	builder_new_session(b, 6);
	builder_lose(b, 0, KMEMTRACE_LOSS_NMI, 2);
	builder_ignore(b, 0, 1);
	builder_kfree(b, 0, 200, 2, 0x1000);
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 2);
	g_assert_cmpuint(CHECK_EVENT(events, 1)->tid, ==, 2);
	stream = check_stream(reader, 0);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 2);
	g_assert_cmpuint(windows[0].count, ==, 3);
	g_assert_cmpuint(windows[1].count, ==, 2);
	g_assert_cmpuint(windows[1].from_ns, ==, 200);	/* nothing is known about earlier ones */
	g_assert_cmpuint(trace_stream_stats(stream)->ignored, ==, 11);
	trace_stream_close(stream);
}

/* ---- bad orders ---- */

/* The time of an event and its position in the file. */
struct late {
	uint64_t time_ns;
	uint64_t written;	/* to sort by file position */
};

static int compare_written(const void *a, const void *b)
{
	const struct late *x = a, *y = b;

	if (x->written != y->written)
		return x->written < y->written ? -1 : 1;
	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

/* @count events of one CPU at about 1,000 ns, each late by up to the tolerance. */
static void build_late(const struct check_file *file, size_t count, size_t subbuf_records)
{
	g_autofree struct late *events = g_new(struct late, count);
	g_autoptr(GRand) rand = g_rand_new_with_seed(count);
	uint64_t now = 1000000;
	struct builder *b;

	for (size_t i = 0; i < count; i++) {
		now += g_rand_int_range(rand, 1, 2000);
		events[i].time_ns = now;
		events[i].written = now + g_rand_int_range(rand, 0, TRACE_TOLERANCE_NS + 1);
	}
	qsort(events, count, sizeof(*events), compare_written);
	b = builder_new_with(file->path,
			     &(struct builder_options){ .subbuf_records = subbuf_records });
	for (size_t i = 0; i < count; i++)
		builder_kfree(b, 0, events[i].time_ns, i, 0x1000);
	builder_finish(b);
}

static void stream_restores_order_within_the_tolerance(void)
{
	static const size_t subbuf_records[] = { 1, 2, 7, 100, 5000 };

	for (size_t i = 0; i < G_N_ELEMENTS(subbuf_records); i++) {
		g_auto(check_file) file = check_file_make();
		g_autoptr(GArray) events = NULL;
		const struct trace_loss_window *windows;
		struct trace_stream *stream;
		struct trace_reader *reader;

		build_late(&file, 3000, subbuf_records[i]);
		reader = check_open(&file);
		events = check_events(reader, NULL);
		g_assert_cmpuint(events->len, ==, 3000);
		for (guint j = 1; j < events->len; j++)
			g_assert_cmpuint(CHECK_EVENT(events, j - 1)->time_ns, <,
					 CHECK_EVENT(events, j)->time_ns);
		stream = check_stream(reader, 0);
		g_assert_cmpuint(trace_stream_stats(stream)->reordered, >, 1000);
		g_assert_cmpuint(trace_stream_stats(stream)->backward, ==, 0);
		g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 0);
		trace_stream_close(stream);
		trace_reader_close(reader);
	}
}

/* Events with these times on CPU 0; @order has their positions in the output. */
static void check_order(const uint64_t *times, const uint32_t *order, size_t count,
			uint64_t reordered, uint64_t backward)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;
	struct builder *b = builder_new_with(
		file.path, &(struct builder_options){ .subbuf_records = 2 });

	for (size_t i = 0; i < count; i++)
		builder_kfree(b, 0, times[i], i, 0x1000);
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, count);
	for (size_t i = 0; i < count; i++)
		g_assert_cmpuint(CHECK_EVENT(events, i)->tid, ==, order[i]);
	stream = check_stream(reader, 0);
	g_assert_cmpuint(trace_stream_stats(stream)->reordered, ==, reordered);
	g_assert_cmpuint(trace_stream_stats(stream)->backward, ==, backward);
	trace_stream_close(stream);
}

static void stream_counts_steps_back_beyond_the_tolerance(void)
{
	static const uint64_t limit[] = { 900000, 1000000, 1000000 - TRACE_TOLERANCE_NS, 1000001 };
	static const uint64_t beyond[] = { 1000000, 1000000 - TRACE_TOLERANCE_NS - 1, 1000001 };
	static const uint64_t hour[] = { 4000000000000, 4000000000100, 400000000000, 400000000200,
					 400000000100, 400000000300 };
	static const uint64_t future[] = { 1000, 1100, 9000000000, 1200, 1150, 1300 };

	check_order(limit, (const uint32_t[]){ 0, 2, 1, 3 }, 4, 1, 0);
	check_order(beyond, (const uint32_t[]){ 0, 1, 2 }, 3, 0, 1);
	check_order(hour, (const uint32_t[]){ 0, 1, 2, 4, 3, 5 }, 6, 1, 1);
	check_order(future, (const uint32_t[]){ 0, 1, 2, 4, 3, 5 }, 6, 1, 1);
}

/* The time of an unfinished record is invalid. */
static void stream_ignores_time_of_unfinished_record(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	struct kmemtrace_record record = { .time_ns = 5 };
	struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;
	struct builder *b = builder_new(file.path);

	builder_kfree(b, 0, 1000000, 0, 0x1000);
	builder_record(b, 0, &record);
	builder_kfree(b, 0, 1000002, 2, 0x1000);
	builder_kfree(b, 0, 1000001, 1, 0x1000);
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 3);
	for (uint32_t i = 0; i < events->len; i++)
		g_assert_cmpuint(CHECK_EVENT(events, i)->tid, ==, i);
	stream = check_stream(reader, 0);
	g_assert_cmpuint(trace_stream_stats(stream)->unfinished, ==, 1);
	g_assert_cmpuint(trace_stream_stats(stream)->backward, ==, 0);
	trace_stream_close(stream);
}

/* More events with the same time than the queue holds: they come in file order. */
static void stream_keeps_all_events_of_one_time(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	g_autoptr(trace_reader) reader = NULL;
	struct builder *b = builder_new_with(
		file.path, &(struct builder_options){ .subbuf_records = 1000 });

	for (uint32_t i = 0; i < 20000; i++)
		builder_kfree(b, 0, 77, i, 0x1000);
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 20000);
	for (uint32_t i = 0; i < events->len; i++)
		g_assert_cmpuint(CHECK_EVENT(events, i)->tid, ==, i);
}

/* One CPU's first event is hours after the other's last; a third CPU's is in the middle. */
static void merge_includes_cpus_that_begin_late(void)
{
	static const uint64_t hour = 3600000000000;
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	const struct trace_loss_window *windows;
	struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;
	struct builder *b = builder_new_with(
		file.path, &(struct builder_options){ .subbuf_records = 3 });

	for (uint32_t i = 0; i < 300; i++) {
		if (i >= 200)
			builder_kfree(b, 1, 5 * hour + i, i, 0x1000);
		else if (i >= 100 && i % 2)
			builder_kfree(b, 7, hour + i * 1000, i, 0x1000);
		else
			builder_kfree(b, 0, hour + i * 1000, i, 0x1000);
	}
	builder_finish(b);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 300);
	for (uint32_t i = 0; i < events->len; i++)
		g_assert_cmpuint(CHECK_EVENT(events, i)->tid, ==, i);
	stream = check_stream(reader, 7);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 0);
	trace_stream_close(stream);
}

/* Two copies of each sub-buffer, and a missing one where records come late. */
static void stream_finds_gap_among_reordered_duplicates(void)
{
	static const int order[] = { 0, 0, 1, 1, 4, 4, 3, 3, 0, -1 };
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	const struct trace_loss_window *windows;
	struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;

	write_in_order(&file, order);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 4);
	stream = check_stream(reader, 0);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 1);
	g_assert_cmpuint(windows[0].reason, ==, TRACE_LOSS_MISSING);
	g_assert_cmpuint(windows[0].from_ns, ==, 101);
	g_assert_cmpuint(windows[0].to_ns, ==, 103);
	g_assert_cmpuint(trace_stream_stats(stream)->backward, ==, 0);
	trace_stream_close(stream);
}

/* ---- counting ---- */

static void build_mixed(const struct check_file *file)
{
	struct builder *b =
		builder_new_with(file->path, &(struct builder_options){.subbuf_records = 4});
	struct kmemtrace_record record = { .time_ns = 130, .tid = 9 };

	builder_kmalloc(b, 2, 110, 1, 0x1000, 8, 8, 0);
	builder_kmalloc(b, 2, 120, 1, 0x2000, 8, 8, 0);
	builder_record(b, 2, &record);					/* not finished */
	record.type = 63;
	builder_record(b, 2, &record);					/* a later event */
	record.type = KMEMTRACE_EVENT_KFREE | 3 << KMEMTRACE_TYPE_CONTEXT_SHIFT;
	builder_record(b, 2, &record); /* a context of a later version */
	builder_page_free(b, 2, 140, 1, 0x55, 3);
	builder_task(b, 2, 150, 1, 1, "a name that is longer than 15");
	builder_ignore(b, 2, 12);
	builder_open(b, 2, 160);
	builder_finish(b);
}

static void stream_counts_events_and_skipped_records(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GArray) events = NULL;
	const struct trace_stream_stats *stats;
	struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;

	build_mixed(&file);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 4);
	g_assert_cmpstr(CHECK_EVENT(events, 3)->comm, ==, "a name that is l");
	stream = check_stream(reader, 2);
	stats = trace_stream_stats(stream);
	g_assert_cmpuint(stats->events[KMEMTRACE_EVENT_KMALLOC], ==, 2);
	g_assert_cmpuint(stats->events[KMEMTRACE_EVENT_PAGE_FREE], ==, 1);
	g_assert_cmpuint(stats->events[KMEMTRACE_EVENT_TASK], ==, 1);
	g_assert_cmpuint(stats->events[KMEMTRACE_EVENT_KFREE], ==, 0);
	g_assert_cmpuint(stats->unfinished, ==, 1);
	g_assert_cmpuint(stats->unknown, ==, 2);
	g_assert_cmpuint(stats->subbufs, ==, 3);
	g_assert_cmpuint(stats->bytes, ==, 3 * 128 + 7 * 48);
	g_assert_cmpuint(stats->first_ns, ==, 110);
	g_assert_cmpuint(stats->last_ns, ==, 150);
	g_assert_cmpuint(stats->opened_ns, ==, 160);
	g_assert_cmpuint(stats->ignored, ==, 12);
	trace_stream_close(stream);
}

static void merge_gives_statistics_of_its_streams(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	struct trace_event event;
	struct trace_merge *merge;
	uint32_t cpu;

	build_mixed(&file);
	reader = check_open(&file);
	g_assert_cmpint(trace_merge_open(reader, &merge, &err), ==, 0);
	g_assert_cmpuint(trace_merge_streams(merge), ==, 1);
	while (trace_merge_next(merge, &event, &err) > 0)
		;
	g_assert_cmpint(trace_merge_next(merge, &event, &err), ==, 0);	/* the end is final */
	g_assert_cmpuint(trace_stream_stats(trace_merge_stream(merge, 0, &cpu))->last_ns, ==, 150);
	g_assert_cmpuint(cpu, ==, 2);
	trace_merge_close(merge);
}

/* ---- losses ---- */

struct window {
	uint32_t reason;
	uint64_t from_ns, to_ns, count;
};

/* All windows of CPU 1. */
static void expect_windows(const struct check_file *file, const struct window *expected,
			   guint count)
{
	g_autoptr(trace_reader) reader = check_open(file);
	struct trace_stream *stream = check_stream(reader, 1);
	const struct trace_loss_window *windows;

	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, count);
	for (guint i = 0; i < count; i++) {
		g_assert_cmpuint(windows[i].cpu, ==, 1);
		g_assert_cmpuint(windows[i].reason, ==, expected[i].reason);
		g_assert_cmpuint(windows[i].from_ns, ==, expected[i].from_ns);
		g_assert_cmpuint(windows[i].to_ns, ==, expected[i].to_ns);
		g_assert_cmpuint(windows[i].count, ==, expected[i].count);
	}
	trace_stream_close(stream);
}

/*
 * Sub-buffers of CPU 1 that open at 100, 200 and 300, the first two with records up to 150 and 250.
 * @lose is called between them.
 */
static void expect_lossy(void (*lose)(struct builder *b), const struct window *expected,
			 guint count)
{
	g_auto(check_file) file = check_file_make();
	struct builder *b = builder_new(file.path);

	builder_kfree(b, 1, 100, 1, 0x1000);
	builder_kfree(b, 1, 150, 1, 0x1000);
	builder_flush(b, 1);
	lose(b);
	builder_kfree(b, 1, 200, 1, 0x1000);
	builder_kfree(b, 1, 250, 1, 0x1000);
	builder_open(b, 1, 300);
	builder_finish(b);
	expect_windows(&file, expected, count);
}

static void lose_full(struct builder *b)
{
	builder_lose(b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 17);
}

static void loss_window_of_full_buffer_begins_at_last_record(void)
{
	static const struct window expected[] = {
		{ KMEMTRACE_LOSS_BUFFER_FULL, 150, 200, 17 },
	};

	expect_lossy(lose_full, expected, G_N_ELEMENTS(expected));
}

static void lose_others(struct builder *b)
{
	builder_lose(b, 1, KMEMTRACE_LOSS_NMI, 1);
	builder_lose(b, 1, KMEMTRACE_LOSS_CACHE_FULL, 2);
	builder_lose(b, 1, 7, 3);	/* a reason of a later version */
}

static void other_loss_windows_begin_at_previous_header(void)
{
	static const struct window expected[] = {
		{ KMEMTRACE_LOSS_NMI, 100, 200, 1 },
		{ KMEMTRACE_LOSS_CACHE_FULL, 100, 200, 2 },
		{ 7, 100, 200, 3 },
	};

	expect_lossy(lose_others, expected, G_N_ELEMENTS(expected));
	g_assert_cmpstr(trace_loss_name(7), ==, "reason_7");
}

static void lose_subbufs(struct builder *b)
{
	builder_skip_subbufs(b, 1, 4);
	builder_lose(b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 9);
}

static void missing_sub_buffers_have_a_loss_window(void)
{
	static const struct window expected[] = {
		{ TRACE_LOSS_MISSING, 150, 200, 4 },
		{ KMEMTRACE_LOSS_BUFFER_FULL, 150, 200, 9 },
	};

	expect_lossy(lose_subbufs, expected, G_N_ELEMENTS(expected));
}

static void lose_nothing(struct builder *b)
{
	builder_ignore(b, 1, 5);
}

static void stream_without_loss_has_no_loss_windows(void)
{
	expect_lossy(lose_nothing, NULL, 0);
}

static void stream_counts_sub_buffers_missing_at_the_start(void)
{
	g_auto(check_file) file = check_file_make();
	struct builder *b = builder_new(file.path);

	builder_skip_subbufs(b, 1, 2);
	builder_kfree(b, 1, 100, 1, 0x1000);
	builder_finish(b);
	expect_windows(&file, &(struct window){ TRACE_LOSS_MISSING, 100, 100, 2 }, 1);
}

static void loss_window_of_empty_sub_buffer_begins_at_its_header(void)
{
	g_auto(check_file) file = check_file_make();
	struct builder *b = builder_new(file.path);

	builder_kfree(b, 1, 100, 1, 0x1000);
	builder_open(b, 1, 150);
	builder_lose(b, 1, KMEMTRACE_LOSS_BUFFER_FULL, 1);
	builder_open(b, 1, 200);
	builder_finish(b);
	expect_windows(&file, &(struct window){ KMEMTRACE_LOSS_BUFFER_FULL, 150, 200, 1 }, 1);
}

/* ---- damage ---- */

/* CPU 0's second sub-buffer of three is damaged. */
static struct trace_reader *open_damaged(const struct check_file *file)
{
	g_autoptr(GByteArray) bytes = NULL;
	struct builder *b =
		builder_new_with(file->path, &(struct builder_options){.subbuf_records = 1});

	for (uint32_t i = 0; i < 3; i++)
		builder_kfree(b, 0, 100 + i, i, 0x1000);
	builder_finish(b);
	bytes = check_read(file);
	bytes->data[check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 1) + 24 + 128] ^= 1;
	check_write(file, bytes->data, bytes->len);
	return check_open(file);
}

static void merge_ends_at_a_damaged_sub_buffer(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" }, again = { "" };
	struct trace_merge *merge;
	struct trace_event event;
	g_autoptr(trace_reader) reader = open_damaged(&file);

	g_assert_cmpint(trace_merge_open(reader, &merge, &err), ==, 0);
	g_assert_cmpint(trace_merge_next(merge, &event, &err), ==, 1);
	g_assert_cmpint(trace_merge_next(merge, &event, &err), ==, -EBADMSG);
	g_assert_cmpint(trace_merge_next(merge, &event, &again), ==, -EBADMSG);
	g_assert_cmpstr(err.text, ==, again.text);
	trace_merge_close(merge);
}

static void stream_continues_behind_a_damaged_sub_buffer(void)
{
	g_auto(check_file) file = check_file_make();
	const struct trace_loss_window *windows;
	struct trace_error err = { "" };
	struct trace_stream *stream;
	struct trace_event event;
	g_autoptr(trace_reader) reader = open_damaged(&file);

	g_assert_cmpint(trace_stream_open(reader, 0, &stream, &err), ==, 0);
	g_assert_cmpint(trace_stream_next(stream, &event, &err), ==, 1);
	g_assert_cmpint(trace_stream_next(stream, &event, &err), ==, -EBADMSG);
	g_assert_cmpint(trace_stream_next(stream, &event, &err), ==, 1);
	g_assert_cmpuint(event.tid, ==, 2);
	g_assert_cmpint(trace_stream_next(stream, &event, &err), ==, 0);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, 1);
	g_assert_cmpuint(windows[0].reason, ==, TRACE_LOSS_MISSING);
	trace_stream_close(stream);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/merge/" #name, name)
	TEST(merge_orders_events_of_all_cpus_by_time);
	TEST(stream_sorts_sub_buffers_and_drops_duplicates);
	TEST(stream_keeps_sessions_apart_and_in_order);
	TEST(stream_restores_order_within_the_tolerance);
	TEST(stream_counts_steps_back_beyond_the_tolerance);
	TEST(stream_ignores_time_of_unfinished_record);
	TEST(stream_keeps_all_events_of_one_time);
	TEST(merge_includes_cpus_that_begin_late);
	TEST(stream_finds_gap_among_reordered_duplicates);
	TEST(stream_counts_events_and_skipped_records);
	TEST(merge_gives_statistics_of_its_streams);
	TEST(loss_window_of_full_buffer_begins_at_last_record);
	TEST(other_loss_windows_begin_at_previous_header);
	TEST(missing_sub_buffers_have_a_loss_window);
	TEST(stream_without_loss_has_no_loss_windows);
	TEST(stream_counts_sub_buffers_missing_at_the_start);
	TEST(loss_window_of_empty_sub_buffer_begins_at_its_header);
	TEST(merge_ends_at_a_damaged_sub_buffer);
	TEST(stream_continues_behind_a_damaged_sub_buffer);
	return g_test_run();
}
