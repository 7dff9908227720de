// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two passes: the first finds the chunks, the second copies them. Damaged ranges are searched for
 * the next chunk header at each possible offset; its CRC makes false matches unlikely.
 */
#include "trace/file/recover.h"

#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compare.h"
#include "trace/file/cursor.h"
#include "trace/file/index.h"
#include "trace/file/numbers.h"
#include "trace/file/writer.h"

#define SCAN_AT_FIRST 4096 /* bytes: the next chunk is usually near */
#define SCAN_AT_ONCE  (1U << 20)
#define TEXT_LINE     48 /* bytes: two numbers of 64 bits */
#define GAPS_IN_TEXT  1000
#define WASTE_MAX     16 /* times the file's size: limit of bytes read of damaged chunks */

/* An intact chunk. */
struct found {
	uint64_t offset;
	uint32_t len;
	bool is_piece;                /* a part of the stack table */
	bool is_orphan;               /* a part of it whose preceding part is missing */
	uint64_t piece_at, piece_end; /* is_piece only: its range in the table */
};

struct recover {
	struct trace_file file;
	struct found *chunks;
	size_t count, room;
	uint8_t *buffer;
	size_t buffer_room;
	uint64_t wasted;     /* bytes read of damaged chunks */
	uint32_t end_number; /* number of END */
	struct trace_numbers numbers;
	struct trace_recovery *result;
	struct trace_error *err;
};

static int no_memory(struct recover *recover)
{
	return trace_error_set(recover->err, ENOMEM, "%s: out of memory", recover->file.path);
}

static int add_gap(struct recover *recover, uint64_t offset, uint64_t end)
{
	struct trace_recovery *result = recover->result;
	struct trace_gap *last = result->gap_count ? &result->gaps[result->gap_count - 1] : NULL;
	void *gaps;

	if (end <= offset)
		return 0;
	result->left_out += end - offset;
	if (last && last->offset + last->len == offset) {
		last->len += end - offset;
		return 0;
	}
	gaps = trace_grow(result->gaps, result->gap_count, &result->gap_room, sizeof(*last));
	if (!gaps)
		return no_memory(recover);
	result->gaps = gaps;
	result->gaps[result->gap_count++] = (struct trace_gap){ offset, end - offset };
	return 0;
}

/* ---- finding chunks ---- */

/* Returns true if there is a header at @offset whose chunk fits into the file. */
static bool is_header(const struct recover *recover, const uint8_t *bytes, uint64_t offset,
		      struct trace_chunk_header *header)
{
	const struct trace_file *file = &recover->file;

	return trace_chunk_header_parse(bytes, file->header.swap, header, file->path, offset,
					NULL) == 0 &&
	       header->len <= file->size - offset - TRACE_CHUNK_HEADER_LEN;
}

/* Skips a hole: a header does not begin with a zero. */
static uint64_t skip_hole(const struct trace_file *file, uint64_t offset)
{
	uint64_t data = trace_file_skip_hole(file, offset);

	return data > offset ? data : offset;
}

/* Returns where the magic of a header is in the @len bytes from @at on; @len if it is not there. */
static size_t find_magic(const struct recover *recover, size_t at, size_t len)
{
	uint32_t magic =
		recover->file.header.swap ? bswap_32(KMEMTRACE_CHUNK_MAGIC) : KMEMTRACE_CHUNK_MAGIC;
	const uint8_t *found = memmem(recover->buffer + at, len - at, &magic, sizeof(magic));

	return found ? (size_t)(found - recover->buffer) : len;
}

/*
 * Advances *@offset to the next header, or to the file's size. Returns 0 or -errno. Where bytes
 * were lost or inserted, later chunks are not aligned.
 */
static int find_header(struct recover *recover, uint64_t *offset)
{
	const struct trace_file *file = &recover->file;
	struct trace_chunk_header header;
	size_t wanted = SCAN_AT_FIRST;

	while (*offset + TRACE_CHUNK_HEADER_LEN <= file->size) {
		uint64_t left = file->size - *offset;
		size_t len = left < wanted ? left : wanted, at;
		int ret = trace_file_read(file, *offset, recover->buffer, len, recover->err);

		if (ret)
			return ret;
		for (at = find_magic(recover, 0, len); at + TRACE_CHUNK_HEADER_LEN <= len;
		     at = find_magic(recover, at + 1, len)) {
			if (is_header(recover, recover->buffer + at, *offset + at, &header)) {
				*offset += at;
				return 0;
			}
		}
		*offset = skip_hole(file, *offset + len - TRACE_CHUNK_HEADER_LEN + 1);
		wanted = SCAN_AT_ONCE;
	}
	*offset = file->size;
	return 0;
}

/*
 * Limits rereading of damaged chunks: their payload is searched again, and a crafted file with
 * nested headers would take quadratic time.
 */
static int check_waste(struct recover *recover, uint64_t offset, uint32_t len)
{
	recover->wasted += len;
	if (recover->wasted / WASTE_MAX <= recover->file.size)
		return 0;
	return trace_error_set(recover->err, EBADMSG,
			       "%s: at offset %" PRIu64 ": too many damaged chunks overlap",
			       recover->file.path, offset);
}

/* Reads the chunk at @offset into the buffer. Returns 1, 0 if it is not intact, or -errno. */
static int read_chunk(struct recover *recover, uint64_t offset, struct trace_chunk_header *header)
{
	const struct trace_file *file = &recover->file;
	size_t len;
	int ret;

	if (offset + TRACE_CHUNK_HEADER_LEN > file->size)
		return 0;
	ret = trace_file_read(file, offset, recover->buffer, TRACE_CHUNK_HEADER_LEN, recover->err);
	if (ret)
		return ret;
	if (!is_header(recover, recover->buffer, offset, header))
		return 0;
	len = TRACE_CHUNK_HEADER_LEN + header->len;
	if (len > recover->buffer_room) {
		uint8_t *buffer = realloc(recover->buffer, len);

		if (!buffer)
			return no_memory(recover);
		recover->buffer = buffer;
		recover->buffer_room = len;
	}
	ret = trace_file_read(file, offset, recover->buffer, len, recover->err);
	if (ret)
		return ret;
	if (trace_crc(0, recover->buffer + TRACE_CHUNK_HEADER_LEN, header->len) ==
	    header->payload_crc)
		return 1;
	return check_waste(recover, offset, header->len);
}

/* Notes the range of a part of the stack table, packed or not. */
static void note_piece(const struct recover *recover, const struct trace_chunk_header *header,
		       struct found *chunk)
{
	struct trace_cursor cursor = trace_cursor_init(recover->buffer + TRACE_CHUNK_HEADER_LEN,
						       header->len, recover->file.header.swap);
	uint16_t type = header->type;
	uint32_t len = header->len;

	if (type == KMEMTRACE_CHUNK_ZSTD) {
		type = trace_cursor_u16(&cursor);
		trace_cursor_u16(&cursor);
		len = trace_cursor_u32(&cursor);
	}
	if (type != KMEMTRACE_CHUNK_STACKS || len < sizeof(struct kmemtrace_chunk_stacks))
		return;
	chunk->is_piece = true;
	chunk->piece_at = trace_cursor_u64(&cursor);
	chunk->piece_end = chunk->piece_at + len - sizeof(struct kmemtrace_chunk_stacks);
}

static int add_found(struct recover *recover, uint64_t offset,
		     const struct trace_chunk_header *header)
{
	struct found chunk = { .offset = offset, .len = header->len };
	void *chunks = trace_grow(recover->chunks, recover->count, &recover->room, sizeof(chunk));

	if (!chunks)
		return no_memory(recover);
	recover->chunks = chunks;
	trace_numbers_add(&recover->numbers, header->number);
	if (header->type == KMEMTRACE_CHUNK_END) {
		recover->result->had_end = true;
		recover->end_number = header->number;
		return 0;
	}
	note_piece(recover, header, &chunk);
	recover->chunks[recover->count++] = chunk;
	return 0;
}

static int find_chunks(struct recover *recover)
{
	uint64_t offset = TRACE_FILE_HEADER_LEN; /* the length in a header may be damaged */
	uint64_t padding = 0;                    /* that should be there; some of it may be lost */
	struct trace_chunk_header header;

	while (offset < recover->file.size) {
		uint64_t place = offset + padding, next = padding ? offset : offset + 1;
		int ret = read_chunk(recover, place, &header);

		padding = 0;
		if (ret > 0) {
			ret = add_found(recover, place, &header);
			next = place + TRACE_CHUNK_HEADER_LEN + header.len;
			padding = place + trace_chunk_span(header.len) - next;
		} else if (ret == 0) {
			ret = find_header(recover, &next);
			if (!ret)
				ret = add_gap(recover, place, next);
		}
		if (ret)
			return ret;
		offset = next;
	}
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct found *x = *(const struct found *const *)a;
	const struct found *y = *(const struct found *const *)b;

	return COMPARE(x->piece_at, y->piece_at);
}

/* Marks the stacks after a missing part of the stack table: their beginning is unknown. */
static int mark_orphans(struct recover *recover)
{
	struct found **pieces = malloc((recover->count + 1) * sizeof(*pieces));
	uint64_t reached = 0;
	size_t count = 0;

	if (!pieces)
		return no_memory(recover);
	for (size_t i = 0; i < recover->count; i++) {
		if (recover->chunks[i].is_piece)
			pieces[count++] = &recover->chunks[i];
	}
	qsort(pieces, count, sizeof(*pieces), compare_places);
	for (size_t i = 0; i < count; i++) {
		pieces[i]->is_orphan = pieces[i]->piece_at > reached;
		recover->result->orphans += pieces[i]->is_orphan;
		if (!pieces[i]->is_orphan && pieces[i]->piece_end > reached)
			reached = pieces[i]->piece_end;
	}
	free(pieces);
	return 0;
}

/* ---- writing chunks ---- */

static int copy_chunks(struct recover *recover, struct trace_writer *writer)
{
	struct trace_chunk_header header;

	for (size_t i = 0; i < recover->count; i++) {
		const struct found *chunk = &recover->chunks[i];
		int ret;

		if (chunk->is_orphan)
			continue;
		ret = read_chunk(recover, chunk->offset, &header);
		if (ret == 0)
			ret = trace_error_set(recover->err, EBADMSG,
					      "%s: the chunk at offset %" PRIu64 " changes",
					      recover->file.path, chunk->offset);
		if (ret < 0)
			return ret;
		ret = trace_writer_copy(writer, recover->buffer, header.len, recover->err);
		if (ret)
			return ret;
		recover->result->kept++;
	}
	return 0;
}

/* Writes the text "recovered", which lists what is missing. */
static int write_text(struct recover *recover, struct trace_writer *writer)
{
	const struct trace_recovery *result = recover->result;
	size_t lines = result->gap_count < GAPS_IN_TEXT ? result->gap_count : GAPS_IN_TEXT;
	size_t room = (4 + lines) * TEXT_LINE, len = 0;
	char *text = malloc(room);
	int ret;

	if (!text)
		return no_memory(recover);
	len += snprintf(text + len, room - len, "end %d\n", result->had_end);
	len += snprintf(text + len, room - len, "bytes %" PRIu64 "\n", result->left_out);
	len += snprintf(text + len, room - len, "places %zu\n", result->gap_count);
	len += snprintf(text + len, room - len, "orphans %" PRIu64 "\n", result->orphans);
	for (size_t i = 0; i < lines; i++)
		len += snprintf(text + len, room - len, "%" PRIu64 " %" PRIu64 "\n",
				result->gaps[i].offset, result->gaps[i].len);
	ret = trace_writer_snapshot(writer, "recovered", KMEMTRACE_PHASE_END, 0, text, len,
				    recover->err);
	free(text);
	return ret;
}

static int write_file(struct recover *recover, int fd, const char *to)
{
	struct trace_writer *writer;
	int ret =
		trace_writer_attach_file(fd, to, recover->file.header.swap, &writer, recover->err);

	if (ret)
		return ret;
	ret = copy_chunks(recover, writer);
	if (!ret && recover->end_number)
		trace_writer_number(writer, recover->end_number);
	if (!ret)
		ret = write_text(recover, writer);
	if (ret)
		trace_writer_close(writer, 0, NULL);
	else
		ret = trace_writer_close(writer, 1, recover->err);
	return ret;
}

/* ---- the old file ---- */

static bool is_same(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

static int open_old(struct recover *recover, const char *from, const char *to)
{
	struct trace_file *file = &recover->file;
	int ret = trace_file_open(file, from, recover->err);

	if (ret)
		return ret;
	file->path = (char *)from;
	if (is_same(file->fd, to))
		return trace_error_set(recover->err, EINVAL,
				       "%s and %s are the same file: the copy needs another file",
				       from, to);
	recover->result->size = file->size;
	recover->buffer_room = SCAN_AT_ONCE;
	recover->buffer = malloc(SCAN_AT_ONCE);
	return recover->buffer ? 0 : no_memory(recover);
}

/* If the file header is damaged, looks for chunks of either byte order after it. */
static int find_all(struct recover *recover)
{
	struct trace_file *file = &recover->file;
	uint8_t bytes[TRACE_FILE_HEADER_LEN];
	bool is_good;
	int ret = 0;

	is_good = file->size >= sizeof(bytes) &&
		  trace_file_read(file, 0, bytes, sizeof(bytes), NULL) == 0 &&
		  trace_file_header_parse(bytes, sizeof(bytes), &file->header, file->path,
					  recover->err) == 0;
	for (int swap = 0; swap < 2 && !ret && !recover->count; swap++) {
		recover->result->gap_count = 0;
		recover->result->left_out = 0;
		recover->result->had_end = false;
		recover->numbers = (struct trace_numbers){ 0 };
		if (!is_good) {
			file->header = (struct trace_file_header){ .swap = swap };
			ret = add_gap(recover, 0, TRACE_FILE_HEADER_LEN);
		}
		if (!ret)
			ret = find_chunks(recover);
		if (is_good)
			break;
	}
	return ret;
}

int trace_recover(const char *from, int fd, const char *to, struct trace_recovery *out,
		  struct trace_error *err)
{
	struct trace_error own;
	struct recover recover = {
		.file = { .fd = -1 },
		.result = out,
		.err = err ? err : &own,
	};
	int ret;

	memset(out, 0, sizeof(*out));
	ret = open_old(&recover, from, to);
	if (!ret)
		ret = find_all(&recover);
	if (!ret && !recover.count)
		ret = trace_error_set(recover.err, ENODATA,
				      "%s: no chunk of a trace in its %" PRIu64 " bytes", from,
				      out->size);
	out->missing = trace_numbers_missing(&recover.numbers);
	if (!ret)
		ret = mark_orphans(&recover);
	if (!ret)
		ret = write_file(&recover, fd, to);
	else
		close(fd);
	if (recover.file.fd >= 0)
		close(recover.file.fd);
	free(recover.chunks);
	free(recover.buffer);
	return ret;
}

void trace_recovery_clear(struct trace_recovery *recovery)
{
	free(recovery->gaps);
	recovery->gaps = NULL;
	recovery->gap_count = 0;
}
