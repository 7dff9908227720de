// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packed chunks, texts in pieces, and several files read as one: everything reads as it was
 * written, and damage inside a packed chunk is reported like any other.
 */
#include "trace-check.h"

#include "trace/file/index.h"

#define EVENTS		5000
#define TEXT_LEN	100000

static struct trace_event nth_event(unsigned int i)
{
	return (struct trace_event){
		.event = i % 2 ? KMEMTRACE_EVENT_KFREE : KMEMTRACE_EVENT_KMALLOC,
		.time_ns = 1000 + 10 * i,
		.addr = 0xffff888000000000 + i / 2 * 64,
		.bytes_req = i % 2 ? 0 : 60,
		.bytes_alloc = i % 2 ? 0 : 64,
		.tid = 1 + i % 7,
	};
}

/* Events from @from up to but not including @to, on CPU 0. */
static void write_events(struct builder *b, unsigned int from, unsigned int to)
{
	for (unsigned int i = from; i < to; i++)
		builder_event(b, 0, nth_event(i));
}

static char *long_text(void)
{
	GString *text = g_string_new(NULL);

	while (text->len < TEXT_LEN)
		g_string_append_printf(text, "line %zu of a text\n", text->len);
	return g_string_free(text, FALSE);
}

/* Writes all events and a long text, packed at @level. */
static void write_trace(const struct check_file *file, int level, bool swap)
{
	struct builder_options options = { .swap_data = swap };
	struct builder *b = builder_new_with(file->path, &options);
	uint64_t addrs[] = { 0x1000, 0x2000 };
	g_autofree char *text = long_text();

	trace_writer_pack(builder_writer(b), level);
	for (unsigned int i = 0; i < 200; i++) {
		addrs[0]++;
		builder_stack(b, addrs, 2);
	}
	builder_snapshot(b, "text", KMEMTRACE_PHASE_START, text);
	write_events(b, 0, EVENTS);
	builder_finish(b);
}

static void check_all_events(struct trace_reader *reader)
{
	g_autoptr(GArray) events = check_events(reader, NULL);

	g_assert_cmpuint(events->len, ==, EVENTS);
	for (unsigned int i = 0; i < EVENTS; i++) {
		const struct trace_event *is = &g_array_index(events, struct trace_event, i);
		struct trace_event was = nth_event(i);

		g_assert_cmpuint(is->time_ns, ==, was.time_ns);
		g_assert_cmpuint(is->addr, ==, was.addr);
		g_assert_cmpuint(is->bytes_alloc, ==, was.bytes_alloc);
		g_assert_cmpuint(is->tid, ==, was.tid);
	}
}

static int count_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	unsigned int *count = data;

	g_assert_cmpuint(id, >, 0);
	g_assert_cmpuint(addrs[0], ==, 0x1000 + ++*count);
	g_assert_cmpuint(depth, ==, 2);
	return 0;
}

static char *read_text(struct trace_reader *reader, const char *name)
{
	struct trace_error err = { "" };
	size_t len;
	char *text;

	if (trace_reader_snapshot(reader, name, KMEMTRACE_PHASE_START, &text, &len, NULL, &err))
		g_error("%s", err.text);
	g_assert_cmpuint(strlen(text), ==, len);
	return text;
}

static void packed_trace_equals_the_written_one(gconstpointer data)
{
	g_autofree char *expected = long_text();
	g_auto(check_file) file = check_file_make();
	unsigned int stacks = 0;

	for (int level = 0; level <= 3; level += 3) {
		struct trace_reader *reader;
		char *text;

		write_trace(&file, level, GPOINTER_TO_INT(data));
		reader = check_open(&file);
		if (level)
			g_assert_cmpuint(trace_reader_size(reader), <, EVENTS * 20);
		else
			g_assert_cmpuint(trace_reader_size(reader), >, EVENTS * 48);
		check_all_events(reader);
		stacks = 0;
		g_assert_cmpint(trace_reader_stacks(reader, count_stack, &stacks, NULL), ==, 0);
		g_assert_cmpuint(stacks, ==, 200);
		text = read_text(reader, "text");
		g_assert_cmpstr(text, ==, expected);
		free(text);
		trace_reader_close(reader);
	}
}

/* Chunks that don't get shorter are written unpacked. */
static void short_or_random_text_is_not_packed(void)
{
	g_auto(check_file) file = check_file_make();
	struct builder *b;
	g_autoptr(GByteArray) bytes = NULL;
	g_autoptr(trace_reader) reader = NULL;
	char text[4097], *is;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = 1 + g_test_rand_int_range(0, 255);
	text[sizeof(text) - 1] = 0;
	b = builder_new(file.path);
	trace_writer_pack(builder_writer(b), 1);
	builder_snapshot(b, "random", KMEMTRACE_PHASE_START, text);
	builder_snapshot(b, "short", KMEMTRACE_PHASE_START, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	builder_finish(b);
	bytes = check_read(&file);
	check_find_chunk(bytes, KMEMTRACE_CHUNK_SNAPSHOT, 1);	/* there are two */
	reader = check_open(&file);
	is = read_text(reader, "random");
	g_assert_cmpstr(is, ==, text);
	free(is);
}

/* Overwrites a field of the first packed chunk with @value, and corrects the CRCs. */
static void change_zstd(const struct check_file *file, size_t field, size_t size, uint32_t value)
{
	g_autoptr(GByteArray) bytes = NULL;
	size_t at;

	write_trace(file, 1, false);
	bytes = check_read(file);
	at = check_find_chunk(bytes, KMEMTRACE_CHUNK_ZSTD, 0);
	memcpy(bytes->data + at + TRACE_CHUNK_HEADER_LEN + field, &value, size);
	check_fix_crc(bytes, at);
	check_write(file, bytes->data, bytes->len);
}

#define ZSTD(name)	offsetof(struct kmemtrace_chunk_zstd, name), \
			sizeof_field(struct kmemtrace_chunk_zstd, name)
#define sizeof_field(type, name)	sizeof(((type *)0)->name)

static void bad_packed_chunks_are_refused(void)
{
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	size_t len;
	char *text;

	if (G_BYTE_ORDER != G_LITTLE_ENDIAN) {
		g_test_skip("the values that are written are little-endian");
		return;
	}
	change_zstd(&file, ZSTD(type), KMEMTRACE_CHUNK_END);
	check_refused(&file, EPROTONOSUPPORT, "holds one of unknown type 4");
	change_zstd(&file, ZSTD(type), KMEMTRACE_CHUNK_ZSTD);
	check_refused(&file, EPROTONOSUPPORT, "holds one of unknown type 5");
	change_zstd(&file, ZSTD(head_len), 0xffff);
	check_refused(&file, EBADMSG, "65535 of them not packed");
	change_zstd(&file, ZSTD(raw_len), 0xffffffff);
	check_refused(&file, EBADMSG, "packed chunk at offset");
	change_zstd(&file, ZSTD(raw_len), TEXT_LEN + 1000);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, "text", KMEMTRACE_PHASE_START, &text, &len,
					      NULL, &err),
			==, -EBADMSG);
	g_assert_nonnull(strstr(err.text, "can't be unpacked"));
}

/* The header's raw_len is checked first: nothing is unpacked. */
static void chunks_above_their_limit_are_refused(void)
{
	g_auto(check_file) file = check_file_make();

	if (G_BYTE_ORDER != G_LITTLE_ENDIAN) {
		g_test_skip("the values that are written are little-endian");
		return;
	}
	change_zstd(&file, ZSTD(raw_len), KMEMTRACE_SNAPSHOT_MAX + 1);
	check_refused(&file, EBADMSG, "packed chunk at offset 16 has 268435457 bytes, expected at "
				      "most 268435456 in one of type SNAPSHOT");
	change_zstd(&file, ZSTD(raw_len), KMEMTRACE_SNAPSHOT_MAX);
	check_refused(&file, EBADMSG, "packed chunk at offset 16 holds 268435456 bytes: all up to "
				      "it unpack to 268435456, expected at most 1");
}

/* Zeros pack to next to nothing. */
static void writer_keeps_the_limits_of_the_reader(void)
{
	const size_t len = 1 << 20;
	g_autofree char *zeros = g_malloc0(len);
	g_auto(check_file) file = check_file_make();
	struct trace_writer *writer;
	g_autoptr(trace_reader) reader = NULL;
	g_autofree char *text = NULL;

	g_assert_cmpint(trace_writer_create(file.path, &writer, NULL), ==, 0);
	trace_writer_pack(writer, 1);
	for (unsigned int i = 0; i < 20; i++)
		g_assert_cmpint(trace_writer_piece(writer, "long", KMEMTRACE_PHASE_START, 1,
						   i * len, zeros, len, NULL),
				==, 0);
	g_assert_cmpint(trace_writer_close(writer, 1, NULL), ==, 0);
	reader = check_open(&file);
	g_assert_cmpuint(trace_reader_size(reader), >, len);
	g_assert_cmpuint(trace_reader_size(reader), <, 3 * len);
	g_assert_cmpint(trace_reader_snapshot(reader, "long", KMEMTRACE_PHASE_START, &text,
					      &(size_t){ 0 }, NULL, NULL),
			==, 0);
}

/* ---- texts in pieces ---- */

static void texts_above_their_limit_are_refused(void)
{
	const size_t len = 1 << 20;
	g_autofree char *line = g_strnfill(len, 'x');
	g_auto(check_file) file = check_file_make();
	struct trace_error err = { "" };
	struct trace_writer *writer;
	g_autoptr(trace_reader) reader = NULL;
	char *text;
	size_t got;

	g_assert_cmpint(trace_writer_create(file.path, &writer, NULL), ==, 0);
	g_assert_cmpint(trace_writer_piece(writer, "paths", KMEMTRACE_PHASE_START, 1, 0, line, len,
					   NULL),
			==, 0);
	g_assert_cmpint(trace_writer_piece(writer, "paths", KMEMTRACE_PHASE_START, 1, len, "x", 1,
					   NULL),
			==, 0);
	g_assert_cmpint(trace_writer_close(writer, 1, NULL), ==, 0);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, "paths", KMEMTRACE_PHASE_START, &text, &got,
					      NULL, &err),
			==, -EFBIG);
	g_assert_nonnull(strstr(err.text, "with the piece at offset 1048640 the text 'paths' has "
					  "1048577 bytes, expected at most 1048576"));
}


static void write_piece(struct builder *b, uint64_t time_ns, uint32_t at, const char *text)
{
	g_assert_cmpint(trace_writer_piece(builder_writer(b), "long", KMEMTRACE_PHASE_START,
					   time_ns, at, text, strlen(text), NULL),
			==, 0);
}

static void pieces_of_a_text_are_joined(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	g_autofree char *text = NULL;
	struct builder *b = builder_new(file.path);

	write_piece(b, 1, 0, "an older one, ");
	write_piece(b, 1, 14, "also in two");
	write_piece(b, 2, 0, "in ");
	builder_snapshot(b, "other", KMEMTRACE_PHASE_START, "something in between");
	write_piece(b, 2, 3, "three ");
	write_piece(b, 2, 9, "pieces");
	builder_finish(b);
	reader = check_open(&file);
	text = read_text(reader, "long");
	g_assert_cmpstr(text, ==, "in three pieces");
}

/* Pieces after a missing one are not part of the text. */
static void text_ends_at_a_missing_piece(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(trace_reader) reader = NULL;
	g_autofree char *text = NULL;
	struct builder *b = builder_new(file.path);

	write_piece(b, 2, 0, "in ");
	write_piece(b, 2, 9, "pieces");
	builder_finish(b);
	reader = check_open(&file);
	text = read_text(reader, "long");
	g_assert_cmpstr(text, ==, "in ");
}

/* ---- several files ---- */

static void host(struct builder *b, uint64_t time_ns, const char *text)
{
	g_assert_cmpint(trace_writer_snapshot(builder_writer(b), "host", KMEMTRACE_PHASE_START,
					      time_ns, text, strlen(text), NULL),
			==, 0);
}

/* Two parts of one recording; the second continues the sequence, and begins later. */
static void write_parts(const struct check_file *first, const struct check_file *second,
			const char *second_boot)
{
	struct builder *b = builder_new(first->path);
	g_autofree char *text = g_strconcat("part=2\nboot_id=", second_boot, "\n", NULL);

	host(b, 5, "boot_id=x\npart=1\n");
	write_events(b, 0, 2000);
	builder_finish(b);
	b = builder_new(second->path);
	trace_writer_pack(builder_writer(b), 1);
	host(b, 7, text);
	builder_skip_subbufs(b, 0, 20);
	write_events(b, 2000, EVENTS);
	builder_finish(b);
}

static void parts_are_read_as_one(void)
{
	g_auto(check_file) first = check_file_make(), second = check_file_make();
	struct trace_error err = { "" };
	struct trace_reader *reader;
	const char *cut;
	uint64_t end;
	char *text;

	write_parts(&first, &second, "x");
	for (int swap = 0; swap < 2; swap++) {
		const char *paths[] = { first.path, second.path };

		if (swap) {
			paths[0] = second.path;
			paths[1] = first.path;
		}
		g_assert_cmpint(trace_reader_open_all(paths, 2, &reader, &err), ==, 0);
		check_all_events(reader);
		g_assert_false(trace_reader_cut(reader, &cut, &end));
		text = read_text(reader, "host");
		g_assert_cmpstr(text, ==, "part=2\nboot_id=x\n");
		free(text);
		trace_reader_close(reader);
	}
}

static void check_losses(const char *path, size_t losses, uint64_t earlier)
{
	const struct trace_loss_window *windows;
	const struct trace_stream *stream;
	g_autoptr(trace_reader) reader = NULL;
	struct trace_event event;
	struct trace_merge *merge;
	uint32_t cpu;

	g_assert_cmpint(trace_reader_open(path, &reader, NULL), ==, 0);
	g_assert_cmpint(trace_merge_open(reader, &merge, NULL), ==, 0);
	while (trace_merge_next(merge, &event, NULL) > 0)
		;
	stream = trace_merge_stream(merge, 0, &cpu);
	g_assert_cmpuint(trace_stream_losses(stream, &windows), ==, losses);
	g_assert_cmpuint(trace_stream_stats(stream)->earlier, ==, earlier);
	trace_merge_close(merge);
}

static void sub_buffers_before_a_later_part_are_no_loss(void)
{
	g_auto(check_file) first = check_file_make(), second = check_file_make();
	struct builder *b;

	write_parts(&first, &second, "x");
	check_losses(first.path, 0, 0);
	check_losses(second.path, 0, 20);
	b = builder_new(first.path);
	builder_skip_subbufs(b, 0, 20);
	write_events(b, 0, 100);
	builder_finish(b);
	check_losses(first.path, 1, 0);	/* no later part, so it is a loss */
}

static void files_of_different_boots_are_refused(void)
{
	g_auto(check_file) first = check_file_make(), second = check_file_make();
	struct trace_error err = { "" };
	struct trace_reader *reader = NULL;
	const char *paths[2];

	write_parts(&first, &second, "y");
	paths[0] = first.path;
	paths[1] = second.path;
	g_assert_cmpint(trace_reader_open_all(paths, 2, &reader, &err), ==, -EINVAL);
	g_assert_nonnull(strstr(err.text, "different boots"));
	g_assert_null(reader);
}

/* Writes a file without events that begins at @time_ns. */
static void write_empty(const char *path, uint64_t time_ns, const char *text)
{
	struct builder *b = builder_new(path);

	g_assert_cmpint(trace_writer_snapshot(builder_writer(b), text, KMEMTRACE_PHASE_START,
					      time_ns, "tool=x\n", 7, NULL),
			==, 0);
	builder_finish(b);
}

/* A file that is neither a part nor of a known boot changes nothing about the others. */
static void other_files_hide_nothing(void)
{
	g_auto(check_file) first = check_file_make(), second = check_file_make();
	g_auto(check_file) other = check_file_make();
	const char *paths[] = { other.path, first.path, second.path };
	struct trace_error err = { "" };
	struct trace_reader *reader;

	write_empty(other.path, 1, "abi");
	write_parts(&first, &second, "x");
	g_assert_cmpint(trace_reader_open_all(paths, 3, &reader, &err), ==, -EINVAL);
	g_assert_nonnull(strstr(err.text, "has no text 'host'"));
	write_empty(other.path, 1, "host");
	write_parts(&first, &second, "y");
	g_assert_cmpint(trace_reader_open_all(paths, 3, &reader, &err), ==, -EINVAL);
	g_assert_nonnull(strstr(err.text, "different boots"));
	write_parts(&first, &second, "x");
	g_assert_cmpint(trace_reader_open_all(paths, 3, &reader, &err), ==, 0);
	g_assert_true(trace_reader_ends_early(reader));
	trace_reader_close(reader);
}

static void missing_part_between_two_is_reported(void)
{
	static const char *const hosts[] = { "part=1\n", "part=2\n", "part=4\n" };
	g_auto(check_file) first = check_file_make(), second = check_file_make();
	g_auto(check_file) last = check_file_make();
	const char *paths[] = { first.path, second.path, last.path };
	struct trace_reader *reader;

	for (int i = 0; i < 3; i++) {
		struct builder *b = builder_new(paths[i]);

		host(b, 5 + i, hosts[i]);
		builder_finish(b);
	}
	g_assert_cmpint(trace_reader_open_all(paths, 3, &reader, NULL), ==, 0);
	g_assert_cmpuint(trace_reader_missing_chunks(reader), ==, 1);
	trace_reader_close(reader);
	g_assert_cmpint(trace_reader_open_all(paths, 2, &reader, NULL), ==, 0);
	g_assert_cmpuint(trace_reader_missing_chunks(reader), ==, 0);
	trace_reader_close(reader);
}

/* What an earlier file says at its end is not the end of all. */
static void last_file_has_the_final_texts(void)
{
	g_auto(check_file) first = check_file_make(), second = check_file_make();
	const char *paths[] = { first.path, second.path };
	struct builder *b = builder_new(first.path);
	struct trace_error err = { "" };
	struct trace_reader *reader;
	char *text;

	host(b, 5, "part=1\n");
	builder_snapshot(b, "last_part", KMEMTRACE_PHASE_END, "2\n");
	builder_finish(b);
	b = builder_new(second.path);
	host(b, 7, "part=2\n");
	builder_finish_uncounted(b);
	g_assert_cmpint(trace_reader_open_all(paths, 2, &reader, &err), ==, 0);
	g_assert_true(trace_reader_ends_early(reader));
	g_assert_cmpint(trace_reader_outer_snapshot(reader, "stats", KMEMTRACE_PHASE_END, &text,
						    NULL), ==, -ENOENT);
	trace_reader_close(reader);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/pack/packed_trace_equals_the_written_one", GINT_TO_POINTER(false),
			     packed_trace_equals_the_written_one);
	g_test_add_data_func("/pack/packed_trace_equals_the_written_one_swapped", GINT_TO_POINTER(true),
			     packed_trace_equals_the_written_one);
	g_test_add_func("/pack/short_or_random_text_is_not_packed", short_or_random_text_is_not_packed);
	g_test_add_func("/pack/bad_packed_chunks_are_refused", bad_packed_chunks_are_refused);
	g_test_add_func("/pack/chunks_above_their_limit_are_refused", chunks_above_their_limit_are_refused);
	g_test_add_func("/pack/writer_keeps_the_limits_of_the_reader", writer_keeps_the_limits_of_the_reader);
	g_test_add_func("/pieces/texts_above_their_limit_are_refused", texts_above_their_limit_are_refused);
	g_test_add_func("/pieces/pieces_of_a_text_are_joined", pieces_of_a_text_are_joined);
	g_test_add_func("/pieces/text_ends_at_a_missing_piece", text_ends_at_a_missing_piece);
	g_test_add_func("/parts/parts_are_read_as_one", parts_are_read_as_one);
	g_test_add_func("/parts/sub_buffers_before_a_later_part_are_no_loss", sub_buffers_before_a_later_part_are_no_loss);
	g_test_add_func("/parts/files_of_different_boots_are_refused", files_of_different_boots_are_refused);
	g_test_add_func("/parts/other_files_hide_nothing", other_files_hide_nothing);
	g_test_add_func("/parts/missing_part_between_two_is_reported", missing_part_between_two_is_reported);
	g_test_add_func("/parts/last_file_has_the_final_texts", last_file_has_the_final_texts);
	return g_test_run();
}
