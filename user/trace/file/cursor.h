/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads numbers of either byte order from untrusted bytes. A read beyond the end returns 0 and
 * marks the cursor as overrun, so a caller can read a whole structure and check once.
 */
#ifndef KMT_TRACE_FILE_CURSOR_H
#define KMT_TRACE_FILE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct trace_cursor {
	const uint8_t *data;
	size_t len;   /* bytes at @data */
	size_t pos;   /* of the next read; never above @len */
	bool swap;    /* numbers are in the other byte order than this machine's */
	bool overrun; /* a read was beyond the end */
};

/* ---- numbers at a checked address ---- */

static inline uint16_t trace_load_u16(const void *at, bool swap)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap16(value) : value;
}

static inline uint32_t trace_load_u32(const void *at, bool swap)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap32(value) : value;
}

static inline uint64_t trace_load_u64(const void *at, bool swap)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return swap ? __builtin_bswap64(value) : value;
}

/* ---- the cursor ---- */

static inline struct trace_cursor trace_cursor_init(const void *data, size_t len, bool swap)
{
	return (struct trace_cursor){ .data = data, .len = len, .swap = swap };
}

/* Returns the next @len bytes, or NULL if there are fewer. */
static inline const void *trace_cursor_bytes(struct trace_cursor *cursor, size_t len)
{
	const void *at = cursor->data + cursor->pos;

	if (len > cursor->len - cursor->pos) {
		cursor->overrun = true;
		return NULL;
	}
	cursor->pos += len;
	return at;
}

static inline uint8_t trace_cursor_u8(struct trace_cursor *cursor)
{
	const uint8_t *at = trace_cursor_bytes(cursor, 1);

	return at ? *at : 0;
}

static inline uint16_t trace_cursor_u16(struct trace_cursor *cursor)
{
	const void *at = trace_cursor_bytes(cursor, 2);

	return at ? trace_load_u16(at, cursor->swap) : 0;
}

static inline uint32_t trace_cursor_u32(struct trace_cursor *cursor)
{
	const void *at = trace_cursor_bytes(cursor, 4);

	return at ? trace_load_u32(at, cursor->swap) : 0;
}

static inline uint64_t trace_cursor_u64(struct trace_cursor *cursor)
{
	const void *at = trace_cursor_bytes(cursor, 8);

	return at ? trace_load_u64(at, cursor->swap) : 0;
}

#endif
