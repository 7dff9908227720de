// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recovery: a clean copy has all complete chunks and nothing else, and lists the gaps.
 */
#include "trace-check.h"

#include <sys/mman.h>
#include <unistd.h>

#include "trace/file/chunk.h"
#include "trace/file/index.h"
#include "trace/file/numbers.h"
#include "trace/file/recover.h"

#define EVENTS	1000	/* in sub-buffers of 100 */

static void write_trace(const struct check_file *file, bool swap, int level)
{
	struct builder_options options = { .swap_file = swap };
	struct builder *b = builder_new_with(file->path, &options);

	if (!swap)
		trace_writer_pack(builder_writer(b), level);
	builder_snapshot(b, "host", KMEMTRACE_PHASE_START, "boot_id=x\n");
	for (uint32_t i = 0; i < EVENTS; i++)
		builder_kmalloc(b, 0, 10 + i, 1, 0x1000 + 8 * i, 8, 8, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		builder_stack(b, (uint64_t[]){ i }, 1);
		builder_flush_stacks(b);
	}
	builder_finish(b);
}

static void recover(const struct check_file *from, const struct check_file *to,
		    struct trace_recovery *recovery)
{
	struct trace_error err = { "" };

	if (check_recover(from->path, to->path, recovery, &err))
		g_error("%s", err.text);
}

/* The number of events in a clean copy, which must have an end. */
static unsigned int count_events(const struct check_file *file)
{
	struct trace_reader *reader = check_open(file);
	g_autoptr(GArray) events = check_events(reader, NULL);
	uint64_t end;

	g_assert_false(is_cut(reader, &end));
	for (guint i = 1; i < events->len; i++)
		g_assert_cmpuint(g_array_index(events, struct trace_event, i).time_ns, >,
				 g_array_index(events, struct trace_event, i - 1).time_ns);
	trace_reader_close(reader);
	return events->len;
}

/* The bytes of a trace without packed chunks. */
static GByteArray *trace_bytes(bool swap)
{
	g_auto(check_file) file = check_file_make();

	write_trace(&file, swap, 0);
	return check_read(&file);
}

/* Recovers a file of @bytes. Returns the number of events in the clean copy. */
static unsigned int recover_bytes(const GByteArray *bytes, struct trace_recovery *recovery)
{
	g_auto(check_file) from = check_file_make(), to = check_file_make();

	check_write(&from, bytes->data, bytes->len);
	recover(&from, &to, recovery);
	return count_events(&to);
}

static char *read_text(const struct check_file *file)
{
	struct trace_reader *reader = check_open(file);
	struct trace_error err = { "" };
	size_t len;
	char *text;

	if (trace_reader_snapshot(reader, "recovered", KMEMTRACE_PHASE_END, &text, &len, NULL, &err))
		g_error("%s", err.text);
	trace_reader_close(reader);
	return text;
}

static uint64_t count_missing(const uint32_t *chunks, size_t count)
{
	struct trace_numbers numbers = { 0 };

	for (size_t i = 0; i < count; i++)
		trace_numbers_add(&numbers, chunks[i]);
	return trace_numbers_missing(&numbers);
}

static void numbers_tell_what_is_missing(void)
{
	static const uint32_t whole[] = { 0x5a500001, 0x5a500002, 0x5a500003 };
	static const uint32_t gap[] = { 0x5a500001, 0x5a500003, 0x5a500007 };
	static const uint32_t moved[] = { 0x5a500001, 0x5a500003, 0x5a500002, 0x5a500004 };
	static const uint32_t strange[] = { 0x5a500001, 0, 0x5a600002, 0x5a500002 };
	static const uint32_t first[] = { 0x5a500000, 0x5a500000, 0x5a500000 };
	static const uint32_t none[] = { 0, 0, 0 };

	g_assert_cmpuint(count_missing(whole, G_N_ELEMENTS(whole)), ==, 0);
	g_assert_cmpuint(count_missing(gap, G_N_ELEMENTS(gap)), ==, 4);
	g_assert_cmpuint(count_missing(moved, G_N_ELEMENTS(moved)), ==, 1);
	g_assert_cmpuint(count_missing(strange, G_N_ELEMENTS(strange)), ==, 2);
	g_assert_cmpuint(count_missing(first, G_N_ELEMENTS(first)), ==, 3);
	g_assert_cmpuint(count_missing(none, G_N_ELEMENTS(none)), ==, 0);
}

static void good_file_is_copied_whole(gconstpointer data)
{
	g_auto(check_file) from = check_file_make(), to = check_file_make();
	struct trace_recovery recovery;
	char *text;

	write_trace(&from, GPOINTER_TO_INT(data), 1);
	recover(&from, &to, &recovery);
	g_assert_cmpuint(recovery.left_out, ==, 0);
	g_assert_cmpuint(recovery.gap_count, ==, 0);
	g_assert_true(recovery.had_end);
	g_assert_cmpuint(count_events(&to), ==, EVENTS);
	text = read_text(&to);
	g_assert_cmpstr(text, ==, "end 1\nbytes 0\nplaces 0\norphans 0\n");
	free(text);
	trace_recovery_clear(&recovery);
}

/* One chunk's header, another chunk's payload, and the end. */
static void damaged_chunks_are_left_out(void)
{
	g_auto(check_file) from = check_file_make(), to = check_file_make();
	g_autoptr(GByteArray) bytes = NULL;
	struct trace_recovery recovery;
	size_t second, fifth;
	char *text;

	write_trace(&from, false, 0);
	bytes = check_read(&from);
	second = check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 1);
	fifth = check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 4);
	bytes->data[second + 9] ^= 1;
	bytes->data[fifth + 1000] ^= 1;
	check_write(&from, bytes->data, bytes->len - 5);
	recover(&from, &to, &recovery);
	g_assert_cmpuint(recovery.gap_count, ==, 3);
	g_assert_cmpuint(recovery.gaps[0].offset, ==, second);
	g_assert_cmpuint(recovery.gaps[0].len, ==, 24 + 128 + 48 * 100);
	g_assert_cmpuint(recovery.gaps[1].offset, ==, fifth);
	g_assert_cmpuint(recovery.gaps[1].len, ==, 24 + 128 + 48 * 100);
	g_assert_cmpuint(recovery.gaps[2].len, ==, 24 - 5);
	g_assert_false(recovery.had_end);
	g_assert_cmpuint(count_events(&to), ==, EVENTS - 200);
	text = read_text(&to);
	g_assert_true(g_str_has_prefix(text, "end 0\nbytes 9923\nplaces 3\norphans 0\n"));
	free(text);
	trace_recovery_clear(&recovery);
}

/* As after a transfer in which bytes were lost. */
static void chunks_behind_lost_bytes_are_found(gconstpointer data)
{
	g_autoptr(GByteArray) bytes = trace_bytes(GPOINTER_TO_INT(data));
	struct trace_recovery recovery;

	g_byte_array_remove_range(bytes, bytes->len / 2, 13); /* in the payload of a sub-buffer */
	g_assert_cmpuint(recover_bytes(bytes, &recovery), ==, EVENTS - 100);
	g_assert_cmpuint(recovery.gap_count, ==, 1);
	g_assert_cmpuint(recovery.gaps[0].len, ==, 24 + 128 + 48 * 100 - 13);
	g_assert_true(recovery.had_end);
	trace_recovery_clear(&recovery);
}

/* The chunk before the first sub-buffer ends with padding. */
static void lost_padding_costs_no_chunk(void)
{
	g_autoptr(GByteArray) bytes = trace_bytes(false);
	size_t first = check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 0);
	struct trace_recovery recovery;

	g_assert_cmpint(bytes->data[first - 1], ==, 0);
	g_byte_array_remove_range(bytes, first - 1, 1);
	g_assert_cmpuint(recover_bytes(bytes, &recovery), ==, EVENTS);
	g_assert_cmpuint(recovery.gap_count, ==, 0);
	g_assert_true(recovery.had_end);
	trace_recovery_clear(&recovery);
}

static void inserted_bytes_cost_no_chunk(void)
{
	g_autoptr(GByteArray) bytes = trace_bytes(false), longer = g_byte_array_new();
	size_t third = check_find_chunk(bytes, KMEMTRACE_CHUNK_DATA, 2);
	struct trace_recovery recovery;

	g_byte_array_append(longer, bytes->data, third);
	g_byte_array_append(longer, (const guint8 *)"hello", 5);
	g_byte_array_append(longer, bytes->data + third, bytes->len - third);
	g_assert_cmpuint(recover_bytes(longer, &recovery), ==, EVENTS);
	g_assert_cmpuint(recovery.gap_count, ==, 1);
	g_assert_cmpuint(recovery.gaps[0].offset, ==, third);
	g_assert_cmpuint(recovery.gaps[0].len, ==, 5);
	trace_recovery_clear(&recovery);
}

static int count_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	unsigned int *count = data;

	g_assert_cmpuint(id, >, 0);
	g_assert_cmpuint(depth, ==, 1);
	g_assert_cmpuint(addrs[0], ==, ++*count);
	return 0;
}

/* A file with pieces after a missing one would be refused. */
static void stacks_behind_a_missing_piece_are_left_out(void)
{
	g_auto(check_file) from = check_file_make(), to = check_file_make();
	g_autoptr(GByteArray) bytes = NULL;
	struct trace_recovery recovery;
	struct trace_reader *reader;
	unsigned int stacks = 0;

	write_trace(&from, false, 0);
	bytes = check_read(&from);
	bytes->data[check_find_chunk(bytes, KMEMTRACE_CHUNK_STACKS, 1) + 30] ^= 1;
	check_write(&from, bytes->data, bytes->len);
	recover(&from, &to, &recovery);
	g_assert_cmpuint(recovery.orphans, ==, 1);
	reader = check_open(&to);
	g_assert_cmpint(trace_reader_stacks(reader, count_stack, &stacks, NULL), ==, 0);
	g_assert_cmpuint(stacks, ==, 1);
	trace_reader_close(reader);
	trace_recovery_clear(&recovery);
}

static void damaged_file_header_is_replaced(gconstpointer data)
{
	g_autoptr(GByteArray) bytes = trace_bytes(GPOINTER_TO_INT(data));
	struct trace_recovery recovery;

	bytes->data[2] ^= 1;
	g_assert_cmpuint(recover_bytes(bytes, &recovery), ==, EVENTS);
	g_assert_cmpuint(recovery.left_out, ==, 16);
	trace_recovery_clear(&recovery);
}

static void check_fails(const char *from, const char *to, int errnum, const char *part)
{
	struct trace_recovery recovery;
	struct trace_error err = { "" };

	g_assert_cmpint(check_recover(from, to, &recovery, &err), ==, -errnum);
	if (!strstr(err.text, part))
		g_error("'%s' is not in '%s'", part, err.text);
	trace_recovery_clear(&recovery);
}

static void failure_names_file_and_reason(void)
{
	g_auto(check_file) from = check_file_make(), to = check_file_make();
	g_autofree char *noise = g_malloc0(100000);

	check_fails(from.path, to.path, ENOENT, "can't open");
	check_fails(from.folder, to.path, EISDIR, "not a regular file");
	check_write(&from, noise, 100000);
	check_fails(from.path, to.path, ENODATA, "no chunk of a trace");
	write_trace(&from, false, 0);
	check_fails(from.path, "/nowhere/x.kmt", ENOENT, "/nowhere/x.kmt");
	check_fails(from.path, "/dev/full", ENOSPC, "/dev/full");
}

static void recovery_into_the_same_file_is_refused(void)
{
	struct trace_recovery recovery;
	struct trace_error err = { "" };
	g_auto(check_file) from = check_file_make();

	write_trace(&from, false, 0);
	g_assert_cmpint(trace_recover(from.path, memfd_create("copy", MFD_CLOEXEC), from.path, &recovery, &err), ==,
			-EINVAL);
	g_assert_nonnull(strstr(err.text, "the same file"));
	trace_recovery_clear(&recovery);
}

/* Each chunk claims to reach to the end of the file: reading them all would take quadratic time. */
static void nested_chunks_are_refused(void)
{
	static uint8_t bytes[TRACE_FILE_HEADER_LEN + 2000 * TRACE_CHUNK_HEADER_LEN];
	g_auto(check_file) from = check_file_make(), to = check_file_make();
	struct trace_error err = { "" };
	struct trace_recovery recovery;

	trace_file_header_make(bytes, false);
	for (size_t at = TRACE_FILE_HEADER_LEN; at < sizeof(bytes); at += TRACE_CHUNK_HEADER_LEN) {
		struct trace_chunk_header header = {
			.type = KMEMTRACE_CHUNK_DATA,
			.len = sizeof(bytes) - at - TRACE_CHUNK_HEADER_LEN,
			.payload_crc = 1,
		};

		trace_chunk_header_make(&header, false, bytes + at);
	}
	check_write(&from, bytes, sizeof(bytes));
	g_assert_cmpint(check_recover(from.path, to.path, &recovery, &err), ==, -EBADMSG);
	g_assert_nonnull(strstr(err.text, "damaged chunks overlap"));
	trace_recovery_clear(&recovery);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/recover/numbers_tell_what_is_missing", numbers_tell_what_is_missing);
	g_test_add_data_func("/recover/good_file_is_copied_whole", GINT_TO_POINTER(false), good_file_is_copied_whole);
	g_test_add_data_func("/recover/good_file_is_copied_whole_swapped", GINT_TO_POINTER(true),
			     good_file_is_copied_whole);
	g_test_add_func("/recover/damaged_chunks_are_left_out", damaged_chunks_are_left_out);
	g_test_add_data_func("/recover/chunks_behind_lost_bytes_are_found", GINT_TO_POINTER(false),
			     chunks_behind_lost_bytes_are_found);
	g_test_add_data_func("/recover/chunks_behind_lost_bytes_are_found_swapped", GINT_TO_POINTER(true),
			     chunks_behind_lost_bytes_are_found);
	g_test_add_func("/recover/lost_padding_costs_no_chunk", lost_padding_costs_no_chunk);
	g_test_add_func("/recover/inserted_bytes_cost_no_chunk", inserted_bytes_cost_no_chunk);
	g_test_add_func("/recover/stacks_behind_a_missing_piece_are_left_out", stacks_behind_a_missing_piece_are_left_out);
	g_test_add_data_func("/recover/damaged_file_header_is_replaced", GINT_TO_POINTER(false),
			     damaged_file_header_is_replaced);
	g_test_add_data_func("/recover/damaged_file_header_is_replaced_swapped", GINT_TO_POINTER(true),
			     damaged_file_header_is_replaced);
	g_test_add_func("/recover/failure_names_file_and_reason", failure_names_file_and_reason);
	g_test_add_func("/recover/nested_chunks_are_refused", nested_chunks_are_refused);
	g_test_add_func("/recover/recovery_into_the_same_file_is_refused", recovery_into_the_same_file_is_refused);
	return g_test_run();
}
