/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of SQLite's file format that B-trees need. Numbers are big-endian. See
 * https://sqlite.org/fileformat2.html. Private to the store.
 */
#ifndef KMT_STORE_SCHEMA_BTREE_H
#define KMT_STORE_SCHEMA_BTREE_H

#include <glib.h>

/* The header of the file: the beginning of page 1. */
#define BTREE_FILE_HEADER_LEN  100
#define BTREE_PAGE_SIZE_AT     16 /* 16 bits; 1: 65536 */
#define BTREE_READ_VERSION_AT  19 /* 8 bits: 1; 2: there is a write-ahead log */
#define BTREE_RESERVED_AT      20 /* 8 bits: unused bytes at the end of each page */
#define BTREE_CHANGES_AT       24 /* 32 bits: change counter of the file */
#define BTREE_PAGES_AT         28 /* 32 bits; valid if the next field equals the change counter */
#define BTREE_PAGES_CHANGES_AT 92 /* 32 bits */

/* The page with this byte of the file is never used: locks are placed on it. */
#define BTREE_LOCK_BYTE 0x40000000

/* The first byte of a page. */
enum {
	BTREE_INDEX_INTERIOR = 2,
	BTREE_TABLE_INTERIOR = 5,
	BTREE_INDEX_LEAF = 10,
	BTREE_TABLE_LEAF = 13
};

/* The header of a page; interior pages have the number of the last child after it. */
#define BTREE_CELLS_AT        3 /* 16 bits: number of cells; their offsets follow the header */
#define BTREE_CONTENT_AT      5 /* 16 bits: offset of the last cell, they grow down; 0: 65536 */
#define BTREE_LAST_CHILD_AT   8
#define BTREE_LEAF_HEADER     8
#define BTREE_INTERIOR_HEADER 12

#define BTREE_VARINT_MAX 9 /* bytes */

/* The type of an integer column: NULL, one of 1 to 8 bytes, or the value itself. */
enum { BTREE_NULL = 0, BTREE_INT48 = 5, BTREE_INT64 = 6, BTREE_ZERO = 8, BTREE_ONE = 9 };

static inline guint32 btree_number16(const guint8 *bytes)
{
	return bytes[0] << 8 | bytes[1];
}

static inline guint32 btree_number32(const guint8 *bytes)
{
	return btree_number16(bytes) << 16 | btree_number16(bytes + 2);
}

/*
 * Reads seven bits of each byte, and eight of the ninth. Advances *@at. Returns FALSE if it passes
 * @end.
 */
static inline gboolean btree_take_varint(const guint8 **at, const guint8 *end, guint64 *value)
{
	*value = 0;
	for (guint i = 1; *at < end; i++) {
		guint8 byte = *(*at)++;

		if (i == BTREE_VARINT_MAX) {
			*value = *value << 8 | byte;
			return TRUE;
		}
		*value = *value << 7 | (byte & 0x7f);
		if (byte < 0x80)
			return TRUE;
	}
	return FALSE;
}

static inline void btree_put16(guint8 *bytes, guint32 number)
{
	bytes[0] = number >> 8;
	bytes[1] = number;
}

static inline void btree_put32(guint8 *bytes, guint32 number)
{
	btree_put16(bytes, number >> 16);
	btree_put16(bytes + 2, number);
}

/* Returns the page size from the header of the file; 0: invalid. */
static inline guint32 btree_page_size(const guint8 *header)
{
	guint32 size = btree_number16(header + BTREE_PAGE_SIZE_AT);

	if (size == 1)
		return 65536;
	return size < 512 || size & (size - 1) ? 0 : size;
}

#endif
