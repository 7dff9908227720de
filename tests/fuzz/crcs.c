// SPDX-License-Identifier: GPL-2.0-or-later
#include "crcs.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "kmemtrace_file.h"

#define CHUNK_HEADER_LEN	sizeof(struct kmemtrace_chunk_header)

static uint32_t swapped(uint32_t value, bool swap)
{
	return swap ? __builtin_bswap32(value) : value;
}

static bool is_swapped(const uint8_t *data)
{
	struct kmemtrace_file_header header;

	memcpy(&header, data, sizeof(header));
	return header.byte_order == __builtin_bswap32(KMEMTRACE_FILE_BYTE_ORDER);
}

/* Sets the CRCs of a chunk with @left bytes after its header. Returns the bytes of its payload. */
static size_t fix_chunk(uint8_t *chunk, size_t left, bool swap)
{
	struct kmemtrace_chunk_header header;
	uint32_t len;

	memcpy(&header, chunk, sizeof(header));
	len = swapped(header.len, swap);
	if (len > left)
		len %= left + 1;
	header.magic = swapped(KMEMTRACE_CHUNK_MAGIC, swap);
	header.len = swapped(len, swap);
	header.payload_crc = swapped(crc32_z(0, chunk + sizeof(header), len), swap);
	header.header_crc = swapped(crc32_z(0, (const void *)&header,
					    offsetof(struct kmemtrace_chunk_header, header_crc)),
				    swap);
	memcpy(chunk, &header, sizeof(header));
	return len;
}

void crcs_fix(uint8_t *data, size_t size)
{
	size_t at = sizeof(struct kmemtrace_file_header);
	bool swap = size >= at && is_swapped(data);

	while (size >= CHUNK_HEADER_LEN && at <= size - CHUNK_HEADER_LEN) {
		size_t len = fix_chunk(data + at, size - at - CHUNK_HEADER_LEN, swap);

		at += CHUNK_HEADER_LEN + (len + 7) / 8 * 8;
	}
}
