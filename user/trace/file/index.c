// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The index of files: one walk over the chunk headers, with a single read for each chunk that also
 * covers the head of its payload.
 *
 * The end of a file that a crash, a full disk or a kill left incomplete is distinguished from
 * damage. Left out at the end, with the file counted as cut: a chunk beyond the end of the file,
 * zero bytes after the last chunk, and last chunks with a wrong CRC. In the middle, each of these
 * is an error.
 */
#include "trace/file/index.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "trace/file/cursor.h"
#include "trace/file/numbers.h"

/* Bytes read of each chunk: its header and the longest head of a payload, packed or not. */
#define PEEK_LEN                                                                                   \
	(TRACE_CHUNK_HEADER_LEN + sizeof(struct kmemtrace_chunk_zstd) +                            \
	 sizeof(struct kmemtrace_subbuf_header))
#define ZEROS_AT_ONCE 65536 /* bytes */

_Static_assert(sizeof(struct kmemtrace_chunk_snapshot) + KMEMTRACE_SNAPSHOT_NAME_MAX <=
		       sizeof(struct kmemtrace_subbuf_header),
	       "a snapshot's head is in what is read");
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

static const char *chunk_path(const struct trace_reader *reader, const struct trace_chunk *chunk)
{
	return trace_chunk_file(reader, chunk)->path;
}

/* ---- heads of payloads: @head is the part of the payload that was read ---- */

static int index_data(struct trace_reader *reader, struct trace_chunk *chunk,
		      const struct trace_cursor *head, struct trace_error *err)
{
	struct trace_subbuf subbuf;
	int ret;

	if (chunk->packed && head->len < sizeof(struct kmemtrace_subbuf_header))
		return trace_error_set(err, EBADMSG,
				       "%s: packed sub-buffer at offset %" PRIu64
				       " begins with %zu bytes that are not packed, expected %zu",
				       chunk_path(reader, chunk), chunk->offset, head->len,
				       sizeof(struct kmemtrace_subbuf_header));
	ret = trace_subbuf_parse(head->data, chunk->len, &subbuf, chunk_path(reader, chunk),
				 chunk->offset + TRACE_CHUNK_HEADER_LEN, err);
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
	snapshot.text_at = trace_cursor_u32(head);
	if (name_len <= KMEMTRACE_SNAPSHOT_NAME_MAX)
		name = trace_cursor_bytes(head, name_len);
	if (!name || head->overrun)
		return trace_error_set(err, EBADMSG,
				       "%s: snapshot at offset %" PRIu64 " of %" PRIu32
				       " bytes has a name of %u bytes, expected %u at most, inside "
				       "the chunk",
				       chunk_path(reader, chunk), chunk->offset, chunk->len,
				       name_len, KMEMTRACE_SNAPSHOT_NAME_MAX);
	memcpy(snapshot.name, name, name_len);
	snapshot.text_from = head->pos;
	return add_snapshot(reader, &snapshot, err);
}

/* Rejects a second session: its stack table would overlap the first one's. */
static int index_stacks_start(struct trace_reader *reader, struct trace_chunk *chunk,
			      const struct trace_cursor *head, struct trace_error *err)
{
	struct trace_stack_head table;
	int ret = trace_stack_head_parse(head->data + head->pos, head->len - head->pos, &table,
					 chunk_path(reader, chunk), err);

	if (ret)
		return ret;
	if (reader->stack_heads && reader->stack_session != table.session)
		return trace_error_set(err, EBADMSG,
				       "%s: stacks at offset %" PRIu64 " are of session %" PRIu64
				       ", expected %" PRIu64 " as in %s: these are two recordings",
				       chunk_path(reader, chunk), chunk->offset, table.session,
				       reader->stack_session, reader->stack_path);
	chunk->begins_stacks = true;
	reader->stack_heads++;
	reader->stack_path = chunk_path(reader, chunk);
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
				       chunk_path(reader, chunk), chunk->offset, chunk->len,
				       sizeof(struct kmemtrace_chunk_stacks));
	if (chunk->table_offset == 0 && chunk->len >= sizeof(struct kmemtrace_chunk_stacks) +
							      sizeof(struct kmemtrace_stack_table))
		return index_stacks_start(reader, chunk, head, err);
	return 0;
}

static int check_len(struct trace_reader *reader, const struct trace_chunk *chunk,
		     struct trace_error *err)
{
	static const struct {
		const char *name;
		uint32_t most; /* bytes of payload, unpacked */
	} types[] = {
		[KMEMTRACE_CHUNK_SNAPSHOT] = { "SNAPSHOT", KMEMTRACE_SNAPSHOT_MAX },
		[KMEMTRACE_CHUNK_DATA] = { "DATA", KMEMTRACE_DATA_MAX },
		[KMEMTRACE_CHUNK_STACKS] = { "STACKS", KMEMTRACE_STACKS_MAX },
	};

	if (chunk->type >= sizeof(types) / sizeof(*types) || !types[chunk->type].most ||
	    chunk->len <= types[chunk->type].most)
		return 0;
	return trace_error_set(err, EBADMSG,
			       "%s: %schunk at offset %" PRIu64 " has %" PRIu32
			       " bytes, expected at most %" PRIu32 " in one of type %s",
			       chunk_path(reader, chunk), chunk->packed ? "packed " : "",
			       chunk->offset, chunk->len, types[chunk->type].most,
			       types[chunk->type].name);
}

static int index_payload(struct trace_reader *reader, struct trace_chunk *chunk,
			 struct trace_cursor *head, struct trace_error *err)
{
	int ret = check_len(reader, chunk, err);

	if (ret)
		return ret;
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
			       chunk_path(reader, chunk), chunk->offset, chunk->type);
}

/* ---- chunks ---- */

/* Returns true if the file has only zeros from @offset on. */
static bool is_zero_from(const struct trace_file *file, uint64_t offset)
{
	static const uint8_t zeros[ZEROS_AT_ONCE];
	uint8_t bytes[ZEROS_AT_ONCE];

	while (offset < file->size) {
		uint64_t left = file->size - offset;
		size_t len = left < sizeof(bytes) ? left : sizeof(bytes);

		if (trace_file_read(file, offset, bytes, len, NULL) ||
		    memcmp(bytes, zeros, len) != 0)
			return false;
		offset = trace_file_skip_hole(file, offset + len);
	}
	return true;
}

/*
 * Returns true if a chunk with a bad header is the incompletely written end of a file: it would end
 * where the file does, or only zeros follow, as file systems leave them after a crash.
 */
static bool is_torn(const struct trace_file *file, uint64_t offset, uint32_t len)
{
	uint64_t left = file->size - offset;

	return left == TRACE_CHUNK_HEADER_LEN + len || left == trace_chunk_span(len) ||
	       is_zero_from(file, offset + TRACE_CHUNK_HEADER_LEN);
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

static bool can_be_packed(uint16_t type)
{
	return type == KMEMTRACE_CHUNK_SNAPSHOT || type == KMEMTRACE_CHUNK_DATA ||
	       type == KMEMTRACE_CHUNK_STACKS;
}

/* Limits the unpacked size, which determines memory and time, by the size of the file. */
static int check_unpacked(struct trace_reader *reader, const struct trace_chunk *chunk,
			  struct trace_error *err)
{
	struct trace_file *file = trace_chunk_file(reader, chunk);
	uint64_t end = chunk->offset + TRACE_CHUNK_HEADER_LEN + chunk->stored_len;
	uint64_t most = KMEMTRACE_UNPACKED_FREE + KMEMTRACE_UNPACKED_RATIO * end;

	if (chunk->len > most - file->unpacked)
		return trace_error_set(err, EBADMSG,
				       "%s: packed chunk at offset %" PRIu64 " holds %" PRIu32
				       " bytes: all up to it unpack to %" PRIu64 ", expected at "
				       "most %" PRIu64,
				       file->path, chunk->offset, chunk->len,
				       file->unpacked + chunk->len, most);
	file->unpacked += chunk->len;
	return 0;
}

/* Replaces a ZSTD chunk by the chunk in it, and leaves the head of its payload in @head. */
static int index_packed(struct trace_reader *reader, struct trace_chunk *chunk,
			struct trace_cursor *head, struct trace_error *err)
{
	const char *path = chunk_path(reader, chunk);
	uint32_t left;

	chunk->packed = true;
	chunk->type = trace_cursor_u16(head);
	chunk->head_len = trace_cursor_u16(head);
	chunk->len = trace_cursor_u32(head);
	left = chunk->stored_len - head->pos;
	if (head->overrun)
		return trace_error_set(err, EBADMSG,
				       "%s: packed chunk at offset %" PRIu64 " has %" PRIu32
				       " bytes, expected %zu or more",
				       path, chunk->offset, chunk->stored_len,
				       sizeof(struct kmemtrace_chunk_zstd));
	if (!can_be_packed(chunk->type))
		return trace_error_set(err, EPROTONOSUPPORT,
				       "%s: packed chunk at offset %" PRIu64
				       " holds one of unknown "
				       "type %u: a newer kmemtrace-user is needed",
				       path, chunk->offset, chunk->type);
	if (chunk->head_len > left || chunk->head_len > chunk->len)
		return trace_error_set(err, EBADMSG,
				       "%s: packed chunk at offset %" PRIu64 " of %" PRIu32
				       " bytes holds %" PRIu32 ", %u of them not packed, expected "
				       "these inside the chunk",
				       path, chunk->offset, chunk->stored_len, chunk->len,
				       chunk->head_len);
	*head = trace_cursor_init(head->data + head->pos,
				  chunk->head_len < head->len - head->pos ? chunk->head_len
									  : head->len - head->pos,
				  head->swap);
	return 0;
}

/*
 * Rejects chunks of version 2 in a file of version 1. The version has no CRC, and a wrong one would
 * change the meaning of the trace.
 */
static int check_version(const struct trace_reader *reader, const struct trace_chunk *chunk,
			 struct trace_error *err)
{
	const struct trace_file *file = trace_chunk_file(reader, chunk);
	const char *what = NULL;

	if (file->header.version >= 2)
		return 0;
	if (chunk->number)
		what = "a numbered chunk";
	else if (chunk->packed)
		what = "a packed chunk";
	else if (chunk->type == KMEMTRACE_CHUNK_SNAPSHOT &&
		 reader->snapshots[reader->snapshot_count - 1].text_at)
		what = "a piece of a text";
	if (!what)
		return 0;
	return trace_error_advise(
		err, trace_error_set(err, EBADMSG,
				     "%s: version 1 at offset 12, expected 2: at offset %" PRIu64
				     " is %s",
				     file->path, chunk->offset, what));
}

static int index_heads(struct trace_reader *reader, struct trace_chunk *chunk,
		       struct trace_cursor *head, struct trace_error *err)
{
	int ret = chunk->type == KMEMTRACE_CHUNK_ZSTD ? index_packed(reader, chunk, head, err) : 0;

	if (!ret)
		ret = index_payload(reader, chunk, head, err);
	if (!ret)
		ret = check_version(reader, chunk, err);
	return ret || !chunk->packed ? ret : check_unpacked(reader, chunk, err);
}

/*
 * Reads the chunk at chunk->offset and adds it. Returns 1, 0 if the file is cut there, or -errno.
 */
static int index_chunk(struct trace_reader *reader, struct trace_chunk *chunk,
		       struct trace_error *err)
{
	const struct trace_file *file = trace_chunk_file(reader, chunk);
	uint64_t left = file->size - chunk->offset;
	struct trace_chunk_header header;
	struct trace_cursor head;
	uint8_t bytes[PEEK_LEN];
	int ret;

	if (left < TRACE_CHUNK_HEADER_LEN)
		return 0;
	ret = trace_file_read(file, chunk->offset, bytes, left < PEEK_LEN ? left : PEEK_LEN, err);
	if (ret)
		return ret;
	ret = trace_chunk_header_parse(bytes, file->header.swap, &header, file->path, chunk->offset,
				       err);
	if (ret == -EBADMSG && is_torn(file, chunk->offset, header.len))
		return 0;
	if (ret)
		return trace_error_advise(err, ret);
	if (header.len > left - TRACE_CHUNK_HEADER_LEN)
		return 0;
	chunk->type = header.type;
	chunk->flags = header.flags;
	chunk->len = chunk->stored_len = header.len;
	chunk->payload_crc = header.payload_crc;
	chunk->number = header.number;
	head = trace_cursor_init(bytes + TRACE_CHUNK_HEADER_LEN,
				 header.len < PEEK_LEN - TRACE_CHUNK_HEADER_LEN
					 ? header.len
					 : PEEK_LEN - TRACE_CHUNK_HEADER_LEN,
				 file->header.swap);
	ret = index_heads(reader, chunk, &head, err);
	chunk->damaged = ret && trace_reader_verify(reader, chunk, NULL);
	if (!ret || chunk->damaged)
		ret = add_chunk(reader, chunk, err);
	return ret ? ret : 1;
}

static int index_chunks(struct trace_reader *reader, size_t index, struct trace_error *err)
{
	struct trace_file *file = &reader->files[index];
	struct trace_chunk chunk = { .file = index, .offset = file->header.header_len };
	int ret = 1;

	while (ret > 0 && chunk.offset < file->size) {
		ret = index_chunk(reader, &chunk, err);
		if (ret > 0)
			chunk = (struct trace_chunk){
				.file = index,
				.offset = chunk.offset + trace_chunk_span(chunk.stored_len),
			};
	}
	file->end = chunk.offset < file->size ? chunk.offset : file->size;
	return ret < 0 ? ret : 0;
}

/* ---- the end of a file ---- */

static void drop_last(struct trace_reader *reader)
{
	const struct trace_chunk *last = &reader->chunks[--reader->chunk_count];

	if (reader->snapshot_count &&
	    reader->snapshots[reader->snapshot_count - 1].chunk == reader->chunk_count)
		reader->snapshot_count--;
	reader->stack_heads -= last->begins_stacks;
	trace_chunk_file(reader, last)->end = last->offset;
}

/*
 * Removes incompletely written chunks at the end of a file without END. @first is the file's first
 * chunk.
 */
static void trim(struct trace_reader *reader, size_t first)
{
	while (reader->chunk_count > first &&
	       trace_reader_verify(reader, &reader->chunks[reader->chunk_count - 1], NULL) ==
		       -EBADMSG)
		drop_last(reader);
}

/* Reports invalid payloads by their CRC. */
static int check_damaged(struct trace_reader *reader, size_t first, struct trace_error *err)
{
	for (size_t i = first; i < reader->chunk_count; i++) {
		if (reader->chunks[i].damaged)
			return trace_reader_verify(reader, &reader->chunks[i], err);
	}
	return 0;
}

static uint64_t count_missing(const struct trace_reader *reader, size_t first)
{
	struct trace_numbers numbers = { 0 };

	for (size_t i = first; i < reader->chunk_count; i++)
		trace_numbers_add(&numbers, reader->chunks[i].number);
	return trace_numbers_missing(&numbers);
}

int trace_index_add(struct trace_reader *reader, size_t index, struct trace_error *err)
{
	size_t first = reader->chunk_count;
	struct trace_file *file = &reader->files[index];
	int ret = index_chunks(reader, index, err);

	if (ret)
		return ret;
	if (reader->chunk_count > first)
		file->has_end = reader->chunks[reader->chunk_count - 1].type == KMEMTRACE_CHUNK_END;
	if (!file->has_end)
		trim(reader, first);
	ret = check_damaged(reader, first, err);
	reader->missing_chunks += count_missing(reader, first);
	if (!ret && err)
		err->text[0] = 0; /* from chunks that belong to the cut end */
	return ret;
}
