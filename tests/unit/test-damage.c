// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damage in the fields that identify a chunk, which the reader uses before it checks the chunk: it
 * must neither hide the chunk nor make another one look damaged. test-survival.c found these cases.
 */
#include "trace-check.h"
#include "trace/file/recover.h"

#define PAYLOAD(field_of, field)	(24 + offsetof(struct field_of, field))

/* Three sub-buffers of CPU 0, a stack table in three pieces, and texts. */
static GByteArray *build(const struct check_file *file)
{
	struct builder *b =
		builder_new_with(file->path, &(struct builder_options){ .subbuf_records = 2 });
	struct trace_error err = { "" };

	for (uint32_t i = 0; i < 6; i++) {
		builder_kmalloc(b, 0, 10 + i, i, 0x1000 + i, 8, 8, 0);
		if (i % 2 == 0) {
			builder_stack(b, (uint64_t[]){ i, 0x1000 }, 2);
			builder_flush_stacks(b);
		}
	}
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_END, "old");
	builder_snapshot(b, "stats", KMEMTRACE_PHASE_END, "new");
	trace_writer_piece(builder_writer(b), "caches", KMEMTRACE_PHASE_END, 1, 0, "begin", 5,
			   &err);
	trace_writer_piece(builder_writer(b), "caches", KMEMTRACE_PHASE_END, 1, 5, " end", 4, &err);
	builder_finish(b);
	return check_read(file);
}

/* Changes a byte of the @nth chunk of @type, but not its CRC. Returns the chunk's offset. */
static size_t damage(const struct check_file *file, unsigned int type, unsigned int nth,
		     size_t offset, uint8_t flips)
{
	g_autoptr(GByteArray) bytes = build(file);
	size_t at = check_find_chunk(bytes, type, nth);

	bytes->data[at + offset] ^= flips;
	check_write(file, bytes->data, bytes->len);
	return at;
}

static void assert_blames(const struct trace_error *err, size_t offset)
{
	g_autofree char *part = g_strdup_printf("chunk at offset %zu is damaged", offset);

	if (!strstr(err->text, part))
		g_error("'%s' is not in '%s'", part, err->text);
}

/* The later one of two chunks with the same number is ignored, so it is not read. */
static void damaged_sequence_number_of_sub_buffer_is_reported(void)
{
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	struct trace_merge *merge;
	g_auto(check_file) file = check_file_make();
	size_t at;

	at = damage(&file, KMEMTRACE_CHUNK_DATA, 1, PAYLOAD(kmemtrace_subbuf_header, seq), 1);
	reader = check_open(&file);
	g_assert_cmpint(trace_merge_open(reader, &merge, &err), ==, -EBADMSG);
	assert_blames(&err, at);
}

static int see_nothing(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	return 0;
}

/* The hole is before the third piece, but the second one has a wrong offset. */
static void damaged_piece_of_stack_table_is_named(void)
{
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	g_auto(check_file) file = check_file_make();
	size_t at;

	at = damage(&file, KMEMTRACE_CHUNK_STACKS, 1, PAYLOAD(kmemtrace_chunk_stacks, offset) + 1,
		    1);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_stacks(reader, see_nothing, NULL, &err), ==, -EBADMSG);
	assert_blames(&err, at);
}

static void check_text(unsigned int nth, size_t offset, const char *name)
{
	struct trace_error err = { "" };
	g_autoptr(trace_reader) reader = NULL;
	g_auto(check_file) file = check_file_make();
	char *text = NULL;
	size_t at, len;

	at = damage(&file, KMEMTRACE_CHUNK_SNAPSHOT, nth, offset, 1);
	reader = check_open(&file);
	g_assert_cmpint(trace_reader_snapshot(reader, name, KMEMTRACE_PHASE_END, &text, &len, NULL,
					      &err), ==, -EBADMSG);
	g_assert_null(text);
	assert_blames(&err, at);
}

static void damaged_snapshot_is_rejected_despite_an_older_one(void)
{
	check_text(1, 24 + 16, "stats");					/* its name */
	check_text(1, PAYLOAD(kmemtrace_chunk_snapshot, phase), "stats");
	check_text(1, PAYLOAD(kmemtrace_chunk_snapshot, text_at), "stats");
}

static void snapshot_with_damaged_end_is_rejected(void)
{
	check_text(3, 24 + 16, "caches");
	check_text(3, PAYLOAD(kmemtrace_chunk_snapshot, text_at), "caches");
}

static void write_header_len(const struct check_file *file, GByteArray *bytes, uint16_t len)
{
	memcpy(bytes->data + offsetof(struct kmemtrace_file_header, header_len), &len, sizeof(len));
	check_write(file, bytes->data, bytes->len);
}

/*
 * The file's header has no CRC: a length that points to a later chunk must not hide those before
 * it.
 */
static void header_length_that_skips_chunks_is_rejected(void)
{
	g_auto(check_file) file = check_file_make();
	g_autoptr(GByteArray) bytes = build(&file);

	write_header_len(&file, bytes, check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 1));
	check_refused(&file, EBADMSG, "at offset 14, expected 16, where a chunk is");
	write_header_len(&file, bytes, 0xfff8);
	check_refused(&file, EBADMSG, "header length 65528 at offset 14");
}

/* Not even if the first chunk is damaged, too. */
static void recover_searches_behind_the_shortest_header(void)
{
	g_autoptr(GArray) events = NULL;
	struct trace_recovery recovery;
	struct trace_error err = { "" };
	struct trace_reader *reader;
	g_auto(check_file) file = check_file_make();
	g_autofree char *to = g_build_filename(file.folder, "to.kmt", NULL);
	g_autoptr(GByteArray) bytes = build(&file);

	bytes->data[sizeof(struct kmemtrace_file_header)] ^= 1;
	write_header_len(&file, bytes, check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 2));
	g_assert_cmpint(check_recover(file.path, to, &recovery, &err), ==, 0);
	trace_recovery_clear(&recovery);
	g_assert_cmpint(trace_reader_open(to, &reader, &err), ==, 0);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 6);	/* the first chunk is of stacks */
	trace_reader_close(reader);
	g_unlink(to);
}

static void fields_of_longer_header_are_ignored(void)
{
	g_autoptr(GByteArray) bytes = NULL, longer = g_byte_array_new();
	g_autoptr(GArray) events = NULL;
	g_autoptr(trace_reader) reader = NULL;
	g_auto(check_file) file = check_file_make();

	bytes = build(&file);
	g_byte_array_append(longer, bytes->data, sizeof(struct kmemtrace_file_header));
	g_byte_array_append(longer, (const guint8 *)"a field of later", 16);
	g_byte_array_append(longer, bytes->data + 16, bytes->len - 16);
	write_header_len(&file, longer, 32);
	reader = check_open(&file);
	events = check_events(reader, NULL);
	g_assert_cmpuint(events->len, ==, 6);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define TEST(name)	g_test_add_func("/damage/" #name, name)
	TEST(damaged_sequence_number_of_sub_buffer_is_reported);
	TEST(damaged_piece_of_stack_table_is_named);
	TEST(damaged_snapshot_is_rejected_despite_an_older_one);
	TEST(snapshot_with_damaged_end_is_rejected);
	TEST(header_length_that_skips_chunks_is_rejected);
	TEST(recover_searches_behind_the_shortest_header);
	TEST(fields_of_longer_header_are_ignored);
	return g_test_run();
}
