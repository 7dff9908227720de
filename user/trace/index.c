// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The index of a file: one walk over the chunk headers, with a single read for each chunk that also
 * covers the head of its payload.
 *
 * What a crash, a full disk or a kill leaves at the end of a file is told from damage: a chunk that
 * the end of the file cuts, bytes behind the last chunk that are all zero, and last chunks whose
 * CRC is wrong are left out, and the file counts as cut. The same in the middle is an error.
 */
#include "trace/index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/cursor.h"

#define CHUNK_HEADER_LEN	sizeof(struct kmemtrace_chunk_header)
/* What is read of each chunk: its header and the longest head that a payload has. */
#define PEEK_LEN		(CHUNK_HEADER_LEN + sizeof(struct kmemtrace_subbuf_header))
#define ZEROS_AT_ONCE		65536	/* bytes */

_Static_assert(sizeof(struct kmemtrace_chunk_snapshot) + KMEMTRACE_SNAPSHOT_NAME_MAX <=
	       sizeof(struct kmemtrace_subbuf_header), "a snapshot's head is in what is read");
_Static_assert(sizeof(struct kmemtrace_chunk_stacks) + sizeof(struct kmemtrace_stack_table) <=
		       sizeof(struct kmemtrace_subbuf_header),
	       "the stack table's header is in what is read");

void *trace_grow(void *items, size_t count, size_t *room, size_t size)
{
	size_t wanted = *room ? 2 * *room : 64;

	if (count < *room)
		return items;
	items = reallocarray(items, wanted, size);
	if (items)
		*room = wanted;
	return items;
}

uint64_t trace_chunk_span(const struct trace_chunk *chunk)
{
	return CHUNK_HEADER_LEN + ((uint64_t)chunk->len + KMEMTRACE_CHUNK_ALIGN - 1) /
					  KMEMTRACE_CHUNK_ALIGN * KMEMTRACE_CHUNK_ALIGN;
}

/* ---- heads of payloads: @head is all of the payload that was read ---- */

static int index_data(struct trace_reader *reader, struct trace_chunk *chunk,
		      const struct trace_cursor *head, struct trace_error *err)
{
	struct trace_subbuf subbuf;
	int ret = trace_subbuf_parse(head->data, chunk->len, &subbuf, reader->path,
				     chunk->offset + CHUNK_HEADER_LEN, err);

	if (ret)
		return ret;
	chunk->cpu = subbuf.cpu;
	chunk->session = subbuf.session;
	chunk->seq = subbuf.seq;
	return 0;
}

static int add_snapshot(struct trace_reader *reader, const struct trace_snapshot *snapshot,
			struct trace_error *err)
{
	void *snapshots = trace_grow(reader->snapshots, reader->snapshot_count,
				     &reader->snapshot_room, sizeof(*snapshot));

	if (!snapshots)
		return trace_error_set(err, ENOMEM, "%s: out of memory for its index",
				       reader->path);
	reader->snapshots = snapshots;
	reader->snapshots[reader->snapshot_count++] = *snapshot;
	return 0;
}

static int index_snapshot(struct trace_reader *reader, struct trace_chunk *chunk,
			  struct trace_cursor *head, struct trace_error *err)
{
	struct trace_snapshot snapshot = { .chunk = reader->chunk_count };
	const void *name = NULL;
	uint16_t name_len;

	snapshot.time_ns = trace_cursor_u64(head);
	snapshot.phase = trace_cursor_u16(head);
	name_len = trace_cursor_u16(head);
	trace_cursor_u32(head);
	if (name_len <= KMEMTRACE_SNAPSHOT_NAME_MAX)
		name = trace_cursor_bytes(head, name_len);
	if (!name)
		return trace_error_set(err, EBADMSG,
				       "%s: snapshot at offset %" PRIu64 " of %" PRIu32
				       " bytes has a name of %u bytes, expected %u at most, inside "
				       "the chunk",
				       reader->path, chunk->offset, chunk->len, name_len,
				       KMEMTRACE_SNAPSHOT_NAME_MAX);
	memcpy(snapshot.name, name, name_len);
	snapshot.text_at = head->pos;
	return add_snapshot(reader, &snapshot, err);
}

/* A file holds the stacks of one session: pieces of another's table would lie over them. */
static int index_stacks_start(struct trace_reader *reader, struct trace_chunk *chunk,
			      const struct trace_cursor *head, struct trace_error *err)
{
	struct trace_stack_head table;
	int ret = trace_stack_head_parse(head->data + head->pos, head->len - head->pos, &table,
					 reader->path, err);

	if (ret)
		return ret;
	if (reader->has_stacks && reader->stack_session != table.session)
		return trace_error_set(err, EBADMSG,
				       "%s: stacks at offset %" PRIu64 " are of session %" PRIu64
				       ", expected %" PRIu64 " as before",
				       reader->path, chunk->offset, table.session,
				       reader->stack_session);
	reader->has_stacks = true;
	reader->stack_session = table.session;
	return 0;
}

static int index_stacks(struct trace_reader *reader, struct trace_chunk *chunk,
			struct trace_cursor *head, struct trace_error *err)
{
	chunk->table_offset = trace_cursor_u64(head);
	if (head->overrun)
		return trace_error_set(err, EBADMSG,
				       "%s: stacks at offset %" PRIu64 " have %" PRIu32
				       " bytes, expected %zu or more",
				       reader->path, chunk->offset, chunk->len,
				       sizeof(struct kmemtrace_chunk_stacks));
	if (chunk->table_offset == 0 &&
	    head->len - head->pos >= sizeof(struct kmemtrace_stack_table))
		return index_stacks_start(reader, chunk, head, err);
	return 0;
}

static int index_payload(struct trace_reader *reader, struct trace_chunk *chunk,
			 struct trace_cursor *head, struct trace_error *err)
{
	switch (chunk->type) {
	case KMEMTRACE_CHUNK_DATA:
		return index_data(reader, chunk, head, err);
	case KMEMTRACE_CHUNK_SNAPSHOT:
		return index_snapshot(reader, chunk, head, err);
	case KMEMTRACE_CHUNK_STACKS:
		return index_stacks(reader, chunk, head, err);
	case KMEMTRACE_CHUNK_END:
		return 0;
	}
	if (chunk->flags & KMEMTRACE_CHUNK_OPTIONAL)
		return 0;
	return trace_error_set(err, EPROTONOSUPPORT,
			       "%s: chunk at offset %" PRIu64 " is of unknown type %u: "
			       "a newer kmemtrace-user is needed",
			       reader->path, chunk->offset, chunk->type);
}

/* ---- chunks ---- */

static int parse_chunk_header(struct trace_reader *reader, const uint8_t *bytes,
			      struct trace_chunk *chunk, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, CHUNK_HEADER_LEN, reader->swap);
	uint32_t magic = trace_cursor_u32(&cursor);
	uint32_t crc = crc32_z(0, bytes, offsetof(struct kmemtrace_chunk_header, header_crc));
	uint32_t told_crc;

	chunk->type = trace_cursor_u16(&cursor);
	chunk->flags = trace_cursor_u16(&cursor);
	chunk->len = trace_cursor_u32(&cursor);
	chunk->payload_crc = trace_cursor_u32(&cursor);
	trace_cursor_u32(&cursor);	/* reserved */
	told_crc = trace_cursor_u32(&cursor);
	if (magic != KMEMTRACE_CHUNK_MAGIC)
		return trace_error_set(err, EBADMSG,
				       "%s: no chunk at offset %" PRIu64 ": magic 0x%08" PRIx32
				       ", expected 0x%08x",
				       reader->path, chunk->offset, magic, KMEMTRACE_CHUNK_MAGIC);
	if (told_crc != crc)
		return trace_error_set(err, EBADMSG,
				       "%s: header of the chunk at offset %" PRIu64
				       " is damaged: CRC 0x%08" PRIx32 ", expected 0x%08" PRIx32,
				       reader->path, chunk->offset, crc, told_crc);
	if (chunk->len > KMEMTRACE_CHUNK_MAX)
		return trace_error_set(err, EPROTO, "%s: chunk at offset %" PRIu64 " has %" PRIu32
				       " bytes, expected at most %u", reader->path, chunk->offset,
				       chunk->len, KMEMTRACE_CHUNK_MAX);
	return 0;
}

/* True if there is nothing but zeros from @offset to the end of the file. */
static bool is_zero_from(struct trace_reader *reader, uint64_t offset)
{
	static const uint8_t zeros[ZEROS_AT_ONCE];
	uint8_t bytes[ZEROS_AT_ONCE];

	while (offset < reader->size) {
		uint64_t left = reader->size - offset;
		size_t len = left < sizeof(bytes) ? left : sizeof(bytes);

		if (trace_reader_read(reader, offset, bytes, len, NULL) ||
		    memcmp(bytes, zeros, len) != 0)
			return false;
		offset += len;
	}
	return true;
}

/*
 * True if a chunk with a bad header looks like the end of a file that was not written to its end:
 * it would end where the file does, or zeros follow, which is what a file system leaves after a
 * crash.
 */
static bool is_torn(struct trace_reader *reader, const struct trace_chunk *chunk)
{
	uint64_t left = reader->size - chunk->offset;

	return left == CHUNK_HEADER_LEN + chunk->len || left == trace_chunk_span(chunk) ||
	       is_zero_from(reader, chunk->offset + CHUNK_HEADER_LEN);
}

static int add_chunk(struct trace_reader *reader, const struct trace_chunk *chunk,
		     struct trace_error *err)
{
	void *chunks = trace_grow(reader->chunks, reader->chunk_count, &reader->chunk_room,
				  sizeof(*chunk));

	if (!chunks)
		return trace_error_set(err, ENOMEM, "%s: out of memory for its index",
				       reader->path);
	reader->chunks = chunks;
	reader->chunks[reader->chunk_count++] = *chunk;
	return 0;
}

/*
 * Reads the chunk at chunk->offset and adds it. Returns 1, 0 if the file is cut there, or -errno.
 */
static int index_chunk(struct trace_reader *reader, struct trace_chunk *chunk,
		       struct trace_error *err)
{
	uint64_t left = reader->size - chunk->offset;
	uint8_t bytes[PEEK_LEN];
	struct trace_cursor head;
	int ret;

	if (left < CHUNK_HEADER_LEN)
		return 0;
	ret = trace_reader_read(reader, chunk->offset, bytes, left < PEEK_LEN ? left : PEEK_LEN,
				err);
	if (ret)
		return ret;
	ret = parse_chunk_header(reader, bytes, chunk, err);
	if (ret == -EBADMSG && is_torn(reader, chunk))
		return 0;
	if (ret)
		return ret;
	if (chunk->len > left - CHUNK_HEADER_LEN)
		return 0;
	head = trace_cursor_init(bytes + CHUNK_HEADER_LEN,
				 chunk->len < PEEK_LEN - CHUNK_HEADER_LEN ? chunk->len :
				 PEEK_LEN - CHUNK_HEADER_LEN, reader->swap);
	ret = index_payload(reader, chunk, &head, err);
	chunk->damaged = ret && trace_reader_verify(reader, chunk, NULL);
	if (!ret || chunk->damaged)
		ret = add_chunk(reader, chunk, err);
	return ret ? ret : 1;
}

static int index_chunks(struct trace_reader *reader, struct trace_error *err)
{
	struct trace_chunk chunk = { .offset = reader->header_len };
	int ret = 1;

	while (ret > 0 && chunk.offset < reader->size) {
		ret = index_chunk(reader, &chunk, err);
		if (ret > 0)
			chunk = (struct trace_chunk){
				.offset = chunk.offset + trace_chunk_span(&chunk),
			};
	}
	reader->end = chunk.offset < reader->size ? chunk.offset : reader->size;
	return ret < 0 ? ret : 0;
}

/* ---- the end of the file ---- */

static void drop_last(struct trace_reader *reader)
{
	const struct trace_chunk *last = &reader->chunks[--reader->chunk_count];

	if (reader->snapshot_count &&
	    reader->snapshots[reader->snapshot_count - 1].chunk == reader->chunk_count)
		reader->snapshot_count--;
	if (last->type == KMEMTRACE_CHUNK_STACKS && last->table_offset == 0)
		reader->has_stacks = false;
	reader->end = last->offset;
}

/* In a file without END, chunks at its end that did not get to the disk in full are no error. */
static void trim(struct trace_reader *reader)
{
	while (reader->chunk_count && !reader->has_end &&
	       trace_reader_verify(reader, &reader->chunks[reader->chunk_count - 1], NULL) ==
		       -EBADMSG)
		drop_last(reader);
}

/* Says what is wrong with chunks whose payload made no sense: their CRC. */
static int check_damaged(struct trace_reader *reader, struct trace_error *err)
{
	for (size_t i = 0; i < reader->chunk_count; i++) {
		if (reader->chunks[i].damaged)
			return trace_reader_verify(reader, &reader->chunks[i], err);
	}
	return 0;
}

int trace_index_build(struct trace_reader *reader, struct trace_error *err)
{
	int ret = index_chunks(reader, err);

	if (ret)
		return ret;
	if (reader->chunk_count)
		reader->has_end =
			reader->chunks[reader->chunk_count - 1].type == KMEMTRACE_CHUNK_END;
	trim(reader);
	ret = check_damaged(reader, err);
	if (!ret && err)
		err->text[0] = 0;	/* of what turned out to be the cut end of the file */
	return ret;
}
