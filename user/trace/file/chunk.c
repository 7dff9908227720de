// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/file/chunk.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "trace/file/cursor.h"

static uint16_t swapped16(uint16_t value, bool swap)
{
	return swap ? __builtin_bswap16(value) : value;
}

static uint32_t swapped32(uint32_t value, bool swap)
{
	return swap ? __builtin_bswap32(value) : value;
}

uint32_t trace_crc(uint32_t crc, const void *bytes, size_t len)
{
	return len ? crc32_z(crc, bytes, len) : crc; /* NULL would reset zlib's CRC */
}

uint64_t trace_chunk_span(uint32_t len)
{
	return TRACE_CHUNK_HEADER_LEN + ((uint64_t)len + KMEMTRACE_CHUNK_ALIGN - 1) /
						KMEMTRACE_CHUNK_ALIGN * KMEMTRACE_CHUNK_ALIGN;
}

/* ---- the file header ---- */

/* The fields after the magic. */
static int parse_file_fields(struct trace_cursor *cursor, struct trace_file_header *out,
			     const char *path, struct trace_error *err)
{
	uint32_t order = trace_cursor_u32(cursor);

	out->swap = cursor->swap = order == __builtin_bswap32(KMEMTRACE_FILE_BYTE_ORDER);
	if (!out->swap && order != KMEMTRACE_FILE_BYTE_ORDER)
		return trace_error_set(err, EBADMSG,
				       "%s: byte order mark 0x%08" PRIx32
				       " at offset 8, expected 0x%08x",
				       path, order, KMEMTRACE_FILE_BYTE_ORDER);
	out->version = trace_cursor_u16(cursor);
	out->header_len = trace_cursor_u16(cursor);
	if (out->version == 0 || out->version > KMEMTRACE_FILE_VERSION)
		return trace_error_set(err, EPROTONOSUPPORT,
				       "%s: file version %u at offset 12, this tool reads 1 to %u: "
				       "a newer kmemtrace-user is needed",
				       path, out->version, KMEMTRACE_FILE_VERSION);
	if (out->header_len < TRACE_FILE_HEADER_LEN || out->header_len % KMEMTRACE_CHUNK_ALIGN)
		return trace_error_set(err, EBADMSG,
				       "%s: header length %u at offset 14, expected %zu or more, "
				       "in steps of %u",
				       path, out->header_len, TRACE_FILE_HEADER_LEN,
				       KMEMTRACE_CHUNK_ALIGN);
	return 0;
}

int trace_file_header_parse(const void *bytes, size_t len, struct trace_file_header *out,
			    const char *path, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, len, false);

	if (len < TRACE_FILE_HEADER_LEN)
		return trace_error_set(
			err, EBADMSG,
			"%s: not a kmemtrace trace: ends at offset %zu, expected a header of "
			"%zu bytes",
			path, len, TRACE_FILE_HEADER_LEN);
	if (memcmp(trace_cursor_bytes(&cursor, KMEMTRACE_FILE_MAGIC_LEN), KMEMTRACE_FILE_MAGIC,
		   KMEMTRACE_FILE_MAGIC_LEN) != 0)
		return trace_error_set(err, EBADMSG,
				       "%s: not a kmemtrace trace: wrong magic at offset 0", path);
	return parse_file_fields(&cursor, out, path, err);
}

void trace_file_header_make(void *bytes, bool swap)
{
	struct kmemtrace_file_header header = {
		.byte_order = swapped32(KMEMTRACE_FILE_BYTE_ORDER, swap),
		.version = swapped16(KMEMTRACE_FILE_VERSION, swap),
		.header_len = swapped16(TRACE_FILE_HEADER_LEN, swap),
	};

	memcpy(header.magic, KMEMTRACE_FILE_MAGIC, sizeof(header.magic));
	memcpy(bytes, &header, sizeof(header));
}

/* ---- a chunk header ---- */

static uint32_t header_crc(const void *bytes)
{
	return trace_crc(0, bytes, offsetof(struct kmemtrace_chunk_header, header_crc));
}

int trace_chunk_header_parse(const void *bytes, bool swap, struct trace_chunk_header *out,
			     const char *path, uint64_t offset, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, TRACE_CHUNK_HEADER_LEN, swap);
	uint32_t magic = trace_cursor_u32(&cursor);
	uint32_t crc = header_crc(bytes), told_crc;

	out->type = trace_cursor_u16(&cursor);
	out->flags = trace_cursor_u16(&cursor);
	out->len = trace_cursor_u32(&cursor);
	out->payload_crc = trace_cursor_u32(&cursor);
	out->number = trace_cursor_u32(&cursor);
	told_crc = trace_cursor_u32(&cursor);
	if (magic != KMEMTRACE_CHUNK_MAGIC)
		return trace_error_set(err, EBADMSG,
				       "%s: no chunk at offset %" PRIu64 ": magic 0x%08" PRIx32
				       ", expected 0x%08x",
				       path, offset, magic, KMEMTRACE_CHUNK_MAGIC);
	if (told_crc != crc)
		return trace_error_set(err, EBADMSG,
				       "%s: header of the chunk at offset %" PRIu64
				       " is damaged: CRC 0x%08" PRIx32 ", expected 0x%08" PRIx32,
				       path, offset, crc, told_crc);
	if (out->len > KMEMTRACE_CHUNK_MAX)
		return trace_error_set(err, EPROTO,
				       "%s: chunk at offset %" PRIu64 " has %" PRIu32
				       " bytes, expected at most %u",
				       path, offset, out->len, KMEMTRACE_CHUNK_MAX);
	return 0;
}

void trace_chunk_header_make(const struct trace_chunk_header *header, bool swap, void *bytes)
{
	struct kmemtrace_chunk_header made = {
		.magic = swapped32(KMEMTRACE_CHUNK_MAGIC, swap),
		.type = swapped16(header->type, swap),
		.flags = swapped16(header->flags, swap),
		.len = swapped32(header->len, swap),
		.payload_crc = swapped32(header->payload_crc, swap),
		.number = swapped32(header->number, swap),
	};

	made.header_crc = swapped32(header_crc(&made), swap);
	memcpy(bytes, &made, sizeof(made));
}
