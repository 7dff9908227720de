// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack table: assembles its parts and walks over its entries. Parts may be in any order and
 * overlap; then the later one in the file counts, as it was read later. Memory is allocated only
 * for bytes that are in the file.
 */
#include "trace/file/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "trace/file/cursor.h"
#include "trace/file/index.h"

#define STACK_TABLE_MAX (1U << 30) /* bytes; the kernel part allows no more */
#define STACK_ID_UNIT   8          /* bytes */

/* ---- the table's bytes ---- */

struct stack_table {
	const struct trace_chunk **pieces; /* in order of the table */
	size_t piece_count;
	uint8_t *bytes;
	size_t len;
};

static size_t piece_len(const struct trace_chunk *piece)
{
	return piece->len - sizeof(struct kmemtrace_chunk_stacks);
}

static int compare_places(const void *a, const void *b)
{
	const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
	const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

	return COMPARE(x->table_offset, y->table_offset);
}

static int list_pieces(struct trace_reader *reader, struct stack_table *table,
		       struct trace_error *err)
{
	table->pieces = malloc((reader->chunk_count + 1) * sizeof(*table->pieces));
	if (!table->pieces)
		return trace_error_set(err, ENOMEM, "%s: out of memory for its stacks",
				       reader->path);
	for (size_t i = 0; i < reader->chunk_count; i++) {
		if (reader->chunks[i].type == KMEMTRACE_CHUNK_STACKS)
			table->pieces[table->piece_count++] = &reader->chunks[i];
	}
	qsort(table->pieces, table->piece_count, sizeof(*table->pieces), compare_places);
	return 0;
}

/* Computes the table's length, and finds holes before memory is allocated. */
static int measure(struct trace_reader *reader, struct stack_table *table, struct trace_error *err)
{
	for (size_t i = 0; i < table->piece_count; i++) {
		const struct trace_chunk *piece = table->pieces[i];
		uint64_t end = piece->table_offset + piece_len(piece);

		if (piece->table_offset > table->len)
			return trace_error_advise(
				err,
				trace_error_set(err, EBADMSG,
						"%s: the stack table has a hole from its byte %zu "
						"to %" PRIu64 ", where the piece at offset %" PRIu64
						" begins",
						reader->path, table->len, piece->table_offset,
						piece->offset));
		if (end > STACK_TABLE_MAX)
			return trace_error_set(err, EFBIG,
					       "%s: the stack table ends at its byte %" PRIu64
					       " (the piece at offset %" PRIu64
					       "), expected %u at most",
					       reader->path, end, piece->offset, STACK_TABLE_MAX);
		if (end > table->len)
			table->len = end;
	}
	return 0;
}

/* Reports the CRC error of a part whose damaged offset leaves a hole. */
static int check_pieces(struct trace_reader *reader, const struct stack_table *table,
			struct trace_error *err)
{
	for (size_t i = 0; i < table->piece_count; i++) {
		int ret = trace_reader_verify(reader, table->pieces[i], err);

		if (ret)
			return ret;
	}
	return 0;
}

static int load_piece(struct trace_reader *reader, struct stack_table *table,
		      const struct trace_chunk *piece, struct trace_error *err)
{
	uint8_t *bytes;
	int ret = trace_reader_load(reader, piece, &bytes, err);

	if (ret)
		return ret;
	memcpy(table->bytes + piece->table_offset, bytes + sizeof(struct kmemtrace_chunk_stacks),
	       piece_len(piece));
	free(bytes);
	return 0;
}

static int load_table(struct trace_reader *reader, struct stack_table *table,
		      struct trace_error *err)
{
	int ret = list_pieces(reader, table, err);

	if (!ret)
		ret = measure(reader, table, err);
	if (ret) {
		int damage = check_pieces(reader, table, err);

		return damage ? damage : ret;
	}
	table->bytes = malloc(table->len + 1);
	if (!table->bytes)
		return trace_error_set(err, ENOMEM, "%s: out of memory for %zu bytes of stacks",
				       reader->path, table->len);
	for (size_t i = 0; !ret && i < reader->chunk_count; i++) {
		if (reader->chunks[i].type == KMEMTRACE_CHUNK_STACKS)
			ret = load_piece(reader, table, &reader->chunks[i], err);
	}
	return ret;
}

/* ---- its entries ---- */

int trace_stack_head_parse(const uint8_t *bytes, size_t len, struct trace_stack_head *out,
			   const char *path, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, len, false);
	uint32_t magic = trace_cursor_u32(&cursor);
	uint16_t version;

	out->swap = cursor.swap = magic == __builtin_bswap32(KMEMTRACE_STACK_MAGIC);
	version = trace_cursor_u16(&cursor);
	out->header_len = trace_cursor_u16(&cursor);
	out->session = trace_cursor_u64(&cursor);
	if (cursor.overrun)
		return trace_error_set(err, EBADMSG,
				       "%s: the stack table has %zu bytes, expected a header of "
				       "%zu",
				       path, len, sizeof(struct kmemtrace_stack_table));
	if (!out->swap && magic != KMEMTRACE_STACK_MAGIC)
		return trace_error_set(err, EBADMSG,
				       "%s: the stack table has magic 0x%08" PRIx32
				       ", expected 0x%08x",
				       path, magic, KMEMTRACE_STACK_MAGIC);
	if (version == 0 || version > KMEMTRACE_ABI_VERSION)
		return trace_error_set(err, EPROTONOSUPPORT,
				       "%s: the stack table has ABI version %u, this tool "
				       "reads 1 to %u: a newer kmemtrace-user is needed",
				       path, version, KMEMTRACE_ABI_VERSION);
	if (out->header_len < sizeof(struct kmemtrace_stack_table) ||
	    out->header_len % STACK_ID_UNIT)
		return trace_error_set(err, EBADMSG,
				       "%s: the stack table has a header of %u bytes, expected "
				       "%zu or more, in steps of %u",
				       path, out->header_len, sizeof(struct kmemtrace_stack_table),
				       STACK_ID_UNIT);
	return 0;
}

/* Visits the entry at the cursor. Returns 1, 0 if the table ends there, or -errno. */
static int visit_stack(struct trace_reader *reader, struct trace_cursor *cursor,
		       trace_stack_visitor visit, void *data, struct trace_error *err)
{
	uint64_t addrs[TRACE_STACK_MAX];
	size_t start = cursor->pos;
	uint32_t hash = trace_cursor_u32(cursor);
	uint16_t depth = trace_cursor_u16(cursor), flags = trace_cursor_u16(cursor);
	int ret;

	if (cursor->overrun || !hash) /* cut, or incomplete when it was read */
		return 0;
	if (depth < 1 || depth > KMEMTRACE_STACK_DEPTH_MAX)
		return trace_error_set(err, EBADMSG,
				       "%s: the stack at byte %zu of the stack table has depth "
				       "%u, expected 1 to %u",
				       reader->path, start, depth, KMEMTRACE_STACK_DEPTH_MAX);
	for (unsigned int i = 0; i < depth; i++)
		addrs[i] = trace_cursor_u64(cursor);
	if (cursor->overrun)
		return 0;
	if (flags & KMEMTRACE_STACK_CUT)
		addrs[depth++] = TRACE_STACK_CUT;
	ret = visit(data, start / STACK_ID_UNIT, addrs, depth);
	return ret ? ret : 1;
}

static int visit_table(struct trace_reader *reader, const struct stack_table *table,
		       trace_stack_visitor visit, void *data, struct trace_error *err)
{
	struct trace_stack_head head;
	struct trace_cursor cursor;
	int ret = trace_stack_head_parse(table->bytes, table->len, &head, reader->path, err);

	if (ret)
		return ret;
	cursor = trace_cursor_init(table->bytes, table->len, head.swap);
	trace_cursor_bytes(&cursor, head.header_len);
	do {
		ret = visit_stack(reader, &cursor, visit, data, err);
	} while (ret > 0);
	return ret;
}

int trace_reader_stacks(struct trace_reader *reader, trace_stack_visitor visit, void *data,
			struct trace_error *err)
{
	struct stack_table table = { 0 };
	int ret = load_table(reader, &table, err);

	if (!ret && table.len)
		ret = visit_table(reader, &table, visit, data, err);
	free(table.pieces);
	free(table.bytes);
	return ret;
}
