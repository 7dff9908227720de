// SPDX-License-Identifier: GPL-2.0-or-later
#include "chunks.h"

#include <string.h>
#include <zlib.h>
#include <zstd.h>

#define CHUNKS_MAX	4096		/* of a trace; the rest stays unchanged */
#define UNPACKED_MAX	(1 << 20)	/* bytes; larger chunks stay packed */

/* ---- bytes ---- */

uint64_t bytes_get(const uint8_t *bytes, size_t size, bool swap)
{
	bool little = G_BYTE_ORDER == G_LITTLE_ENDIAN;
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[little == swap ? i : size - 1 - i];
	return value;
}

void bytes_put(uint8_t *bytes, size_t size, bool swap, uint64_t value)
{
	bool little = G_BYTE_ORDER == G_LITTLE_ENDIAN;

	for (size_t i = 0; i < size; i++, value >>= 8)
		bytes[little == swap ? size - 1 - i : i] = value;
}

void bytes_splice(GByteArray *bytes, size_t at, size_t len, const void *new, size_t new_len)
{
	size_t old_len = bytes->len;

	if (new_len > len)
		g_byte_array_set_size(bytes, old_len + new_len - len);
	memmove(bytes->data + at + new_len, bytes->data + at + len, old_len - at - len);
	if (new_len)
		memcpy(bytes->data + at, new, new_len);
	g_byte_array_set_size(bytes, old_len - len + new_len);
}

GByteArray *bytes_copy(const void *bytes, size_t len)
{
	GByteArray *copy = g_byte_array_sized_new(len + 1);	/* never NULL inside */

	return g_byte_array_append(copy, bytes, len);
}

/* ---- a file to chunks ---- */

static void free_chunk(gpointer data)
{
	struct chunk *chunk = data;

	g_byte_array_unref(chunk->payload);
	g_free(chunk);
}

struct chunk *chunks_copy(const struct chunk *chunk)
{
	struct chunk *copy = g_memdup2(chunk, sizeof(*chunk));

	copy->payload = bytes_copy(chunk->payload->data, chunk->payload->len);
	return copy;
}

/* Replaces a ZSTD chunk with the one that it holds, if it can be unpacked. */
static void unpack(const struct trace *trace, struct chunk *chunk)
{
	const size_t head = sizeof(struct kmemtrace_chunk_zstd);
	const uint8_t *bytes = chunk->payload->data;
	size_t len = chunk->payload->len, head_len, raw_len, got;
	GByteArray *payload;

	if (chunk->type != KMEMTRACE_CHUNK_ZSTD || len < head)
		return;
	head_len = bytes_get(bytes + 2, 2, trace->swap);
	raw_len = bytes_get(bytes + 4, 4, trace->swap);
	if (head_len > len - head || head_len > raw_len || raw_len > UNPACKED_MAX)
		return;
	payload = bytes_copy(bytes + head, head_len);
	g_byte_array_set_size(payload, raw_len);
	got = ZSTD_decompress(payload->data + head_len, raw_len - head_len, bytes + head + head_len,
			      len - head - head_len);
	if (ZSTD_isError(got) || got != raw_len - head_len) {
		g_byte_array_unref(payload);
		return;
	}
	chunk->packed = true;
	chunk->type = bytes_get(bytes, 2, trace->swap);
	chunk->head_len = head_len;
	g_byte_array_unref(chunk->payload);
	chunk->payload = payload;
}

void chunks_clear(struct trace *trace)
{
	g_clear_pointer(&trace->head, g_byte_array_unref);
	g_clear_pointer(&trace->chunks, g_ptr_array_unref);
	g_clear_pointer(&trace->rest, g_byte_array_unref);
}

/* Reads the chunk at *@at, and moves *@at past it. Returns false at the end. */
static bool take_chunk(struct trace *trace, const uint8_t *data, size_t size, size_t *at)
{
	const size_t head = sizeof(struct kmemtrace_chunk_header);
	const uint8_t *bytes = data + *at;
	struct chunk *chunk;
	size_t len;

	if (size - *at < head || bytes_get(bytes, 4, trace->swap) != KMEMTRACE_CHUNK_MAGIC)
		return false;
	len = bytes_get(bytes + 8, 4, trace->swap);
	if (len > size - *at - head)
		return false;
	chunk = g_new0(struct chunk, 1);
	chunk->type = bytes_get(bytes + 4, 2, trace->swap);
	chunk->flags = bytes_get(bytes + 6, 2, trace->swap);
	chunk->number = bytes_get(bytes + 16, 4, trace->swap);
	chunk->len = chunk->raw_len = CHUNK_AS_IT_IS;
	chunk->payload = bytes_copy(bytes + head, len);
	unpack(trace, chunk);
	g_ptr_array_add(trace->chunks, chunk);
	*at += MIN(head + (len + 7) / 8 * 8, size - *at);
	return true;
}

bool chunks_parse(struct trace *trace, const uint8_t *data, size_t size)
{
	size_t at;

	*trace = (struct trace){ 0 };
	if (size < sizeof(struct kmemtrace_file_header) ||
	    memcmp(data, KMEMTRACE_FILE_MAGIC, KMEMTRACE_FILE_MAGIC_LEN) != 0)
		return false;
	trace->swap = bytes_get(data + 8, 4, false) != KMEMTRACE_FILE_BYTE_ORDER;
	at = bytes_get(data + 14, 2, trace->swap);
	if (at < sizeof(struct kmemtrace_file_header) || at > size)
		at = sizeof(struct kmemtrace_file_header);
	trace->head = bytes_copy(data, at);
	trace->chunks = g_ptr_array_new_with_free_func(free_chunk);
	while (trace->chunks->len < CHUNKS_MAX && take_chunk(trace, data, size, &at))
		;
	trace->rest = bytes_copy(data + at, size - at);
	return true;
}

/* ---- chunks to a file ---- */

static GByteArray *pack(const struct trace *trace, const struct chunk *chunk)
{
	size_t head_len = MIN(chunk->head_len, chunk->payload->len);
	size_t left = chunk->payload->len - head_len, room = ZSTD_compressBound(left), at;
	uint8_t head[sizeof(struct kmemtrace_chunk_zstd)];
	GByteArray *packed;

	bytes_put(head, 2, trace->swap, chunk->type);
	bytes_put(head + 2, 2, trace->swap, head_len);
	bytes_put(head + 4, 4, trace->swap,
	    chunk->raw_len == CHUNK_AS_IT_IS ? chunk->payload->len : chunk->raw_len);
	packed = bytes_copy(head, sizeof(head));
	g_byte_array_append(packed, chunk->payload->data, head_len);
	at = packed->len;
	g_byte_array_set_size(packed, at + room);
	g_byte_array_set_size(packed, at + ZSTD_compress(packed->data + at, room,
							 chunk->payload->data + head_len, left, 1));
	return packed;
}

static void write_chunk(const struct trace *trace, const struct chunk *chunk, GByteArray *out)
{
	static const uint8_t fill[8];
	uint8_t head[sizeof(struct kmemtrace_chunk_header)] = { 0 };
	GByteArray *payload = chunk->packed ? pack(trace, chunk) : g_byte_array_ref(chunk->payload);
	size_t len = chunk->len == CHUNK_AS_IT_IS ? payload->len : (uint32_t)chunk->len;

	bytes_put(head, 4, trace->swap, KMEMTRACE_CHUNK_MAGIC);
	bytes_put(head + 4, 2, trace->swap, chunk->packed ? KMEMTRACE_CHUNK_ZSTD : chunk->type);
	bytes_put(head + 6, 2, trace->swap, chunk->flags);
	bytes_put(head + 8, 4, trace->swap, len);
	bytes_put(head + 12, 4, trace->swap, crc32_z(0, payload->data, MIN(len, payload->len)));
	bytes_put(head + 16, 4, trace->swap, chunk->number);
	bytes_put(head + 20, 4, trace->swap, crc32_z(0, head, 20));
	g_byte_array_append(out, head, sizeof(head));
	g_byte_array_append(out, payload->data, payload->len);
	g_byte_array_append(out, fill, -payload->len & 7);
	g_byte_array_unref(payload);
}

size_t chunks_write(const struct trace *trace, uint8_t *data, size_t room)
{
	GByteArray *out = bytes_copy(trace->head->data, trace->head->len);
	size_t len;

	for (guint i = 0; i < trace->chunks->len; i++)
		write_chunk(trace, g_ptr_array_index(trace->chunks, i), out);
	g_byte_array_append(out, trace->rest->data, trace->rest->len);
	len = out->len - MIN(trace->cut, out->len);
	if (len <= room)
		memcpy(data, out->data, len);
	g_byte_array_unref(out);
	return len <= room ? len : 0;
}

