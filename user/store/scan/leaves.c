// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * store_open() holds the lock on the file: only the decoding is done here. No page is visited
 * twice, whatever the pages contain. Row ids must ascend, within the bounds of the pages above:
 * otherwise a search would miss rows, and a statement would return others.
 */
#include "store/scan/leaves.h"

#include <string.h>

#include "store/schema/btree.h"
#include "store/schema/sqlite.h"

#define READ_PAGES  16 /* at a time: neighbours are likely to be read next */
#define DEPTH_MAX   20 /* of a B-tree, as in SQLite */
#define LEN_UNKNOWN 255

typedef struct {
	const Leaves *of;
	sqlite3_file *file;
	guint32 page_size, usable, count; /* number of pages */
	guint32 visited;
	gint64 behind; /* the next row id is higher */
	guint8 *pages; /* READ_PAGES, and room to read 8 bytes at their end */
	guint32 first, buffered;
	gboolean ended; /* all requested rows have been read */
} Reading;

/* Bytes of a column, by type; 0 for types other than integers. */
static const guint8 lens[128] = {
	[0] = 0,
	[1] = 1,
	[2] = 2,
	[3] = 3,
	[4] = 4,
	[5] = 6,
	[6] = 8,
	[7] = LEN_UNKNOWN,
	[BTREE_ZERO] = 0,
	[BTREE_ONE] = 0,
	[BTREE_ONE + 1 ... 127] = LEN_UNKNOWN,
};

static int read_bytes(const Reading *reading, guint8 *bytes, gsize len, guint64 offset)
{
	return reading->file->pMethods->xRead(reading->file, bytes, (int)len,
					      (sqlite3_int64)offset);
}

static sqlite3_file *file_of(sqlite3 *handle)
{
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) || !file ||
	    !file->pMethods)
		return NULL;
	return file;
}

static gboolean read_header(Reading *reading)
{
	guint8 header[BTREE_FILE_HEADER_LEN];
	sqlite3_int64 size;

	if (!reading->file || read_bytes(reading, header, sizeof(header), 0) ||
	    header[BTREE_READ_VERSION_AT] != 1 ||
	    reading->file->pMethods->xFileSize(reading->file, &size))
		return FALSE;
	reading->page_size = btree_page_size(header);
	if (!reading->page_size)
		return FALSE;
	reading->usable = reading->page_size - header[BTREE_RESERVED_AT];
	reading->count = MIN(size / reading->page_size, G_MAXUINT32 - 1);
	return TRUE;
}

gboolean leaves_can_read(sqlite3 *handle)
{
	Reading reading = { .file = file_of(handle) };

	return read_header(&reading);
}

/* Reads a page, valid until the next call. NULL: it can't be read. */
static const guint8 *read_page(Reading *reading, guint32 page)
{
	guint32 count = MIN(READ_PAGES, reading->count - page + 1);

	if (!page || page > reading->count || reading->visited++ == reading->count)
		return NULL;
	if (page < reading->first || page - reading->first >= reading->buffered) {
		reading->first = page;
		reading->buffered = count;
		if (read_bytes(reading, reading->pages, (gsize)count * reading->page_size,
			       (guint64)(page - 1) * reading->page_size)) {
			reading->buffered = 0;
			return NULL;
		}
	}
	return reading->pages + (gsize)(page - reading->first) * reading->page_size;
}

/* Returns the value of a column of @len bytes, of which eight can be read. */
static gint64 value_of(const guint8 *at, guint8 type, guint8 len, guint8 shift)
{
	guint64 bytes;

	if (!type)
		return SCAN_NULL;
	memcpy(&bytes, at, sizeof(bytes));
	return (gint64)GUINT64_FROM_BE(bytes) >> (64 - 8 * len) >> shift;
}

/* Returns whether the columns from @at on, whose values begin at @body, end where the row does. */
static gboolean fills_row(const guint8 *row, guint64 len, guint at, const guint8 *body)
{
	for (; at < row[0]; at++) {
		guint8 type = row[at];

		if (type >= G_N_ELEMENTS(lens) || lens[type] == LEN_UNKNOWN)
			return FALSE;
		body += lens[type];
	}
	return body == row + len;
}

/*
 * Decodes a row of @len bytes. Returns FALSE if it has values other than integers, or is damaged,
 * which SQLite then reports.
 */
static gboolean take_row(const Reading *reading, const guint8 *row, guint64 len)
{
	const Leaves *of = reading->of;
	const guint8 *body = row + row[0];
	gint64 values[SCAN_COLUMNS];

	if (row[0] >= 0x80 || row[0] > len || row[0] <= of->columns)
		return FALSE;
	for (guint i = 0; i < of->columns; i++) {
		guint8 type = row[1 + i];
		int as = of->wanted_as[i];

		if (type == BTREE_ZERO || type == BTREE_ONE) {
			if (as >= 0)
				values[as] = (type - BTREE_ZERO) >> of->shift[i];
			continue;
		}
		if (type >= G_N_ELEMENTS(lens) || lens[type] == LEN_UNKNOWN)
			return FALSE;
		if (body + lens[type] > row + len)
			return FALSE;
		if (as >= 0)
			values[as] = value_of(body, type, lens[type], of->shift[i]);
		body += lens[type];
	}
	if (!fills_row(row, len, 1 + of->columns, body))
		return FALSE;
	of->func(of->data, values);
	return TRUE;
}

static int take_cell(Reading *reading, const guint8 *at, const guint8 *end)
{
	const Leaves *of = reading->of;
	guint64 len, id;

	if (!btree_take_varint(&at, end, &len) || !btree_take_varint(&at, end, &id))
		return SQLITE_CORRUPT;
	if ((gint64)id <= reading->behind)
		return SQLITE_CORRUPT;
	reading->behind = (gint64)id;
	if ((gint64)id < of->first)
		return SQLITE_OK;
	reading->ended = (gint64)id > of->last;
	if (reading->ended)
		return SQLITE_OK;
	/* A longer row has overflow pages. */
	if (len && len <= reading->usable - 35 && len <= (guint64)(end - at) &&
	    take_row(reading, at, len))
		return SQLITE_OK;
	return of->other(of->self, (gint64)id);
}

static int read_leaf(Reading *reading, const guint8 *page)
{
	guint count = btree_number16(page + BTREE_CELLS_AT);
	const guint8 *end = page + reading->usable;
	int result = SQLITE_OK;

	if (BTREE_LEAF_HEADER + 2 * count > reading->usable)
		return SQLITE_CORRUPT;
	for (guint i = 0; i < count && !result && !reading->ended; i++) {
		guint at = btree_number16(page + BTREE_LEAF_HEADER + 2 * i);

		result = at < reading->usable ? take_cell(reading, page + at, end) : SQLITE_CORRUPT;
	}
	return result;
}

static int read_tree(Reading *reading, guint32 page, guint depth);

/* Reads a child whose row ids are at most @last. */
static int read_child(Reading *reading, guint32 child, gint64 last, guint depth)
{
	int result = SQLITE_OK;

	if (last >= reading->of->first)
		result = read_tree(reading, child, depth);
	if (result || reading->ended)
		return result;
	/* A child that was not read has at least one. */
	if (reading->behind > last || (last < reading->of->first && reading->behind == last))
		return SQLITE_CORRUPT;
	reading->behind = last;
	return SQLITE_OK;
}

/* Reads the children of an interior page, which stays in memory meanwhile. */
static int read_children(Reading *reading, const guint8 *page, guint depth)
{
	g_autofree guint8 *bytes = g_memdup2(page, reading->page_size);
	guint count = btree_number16(bytes + BTREE_CELLS_AT);
	const guint8 *end = bytes + reading->usable;
	int result = SQLITE_OK;

	if (depth == DEPTH_MAX || BTREE_INTERIOR_HEADER + 2 * count > reading->usable)
		return SQLITE_CORRUPT;
	for (guint i = 0; i < count && !result && !reading->ended; i++) {
		const guint8 *at = bytes + btree_number16(bytes + BTREE_INTERIOR_HEADER + 2 * i);
		guint32 child;
		guint64 last;

		if (at + 4 > end)
			return SQLITE_CORRUPT;
		child = btree_number32(at);
		at += 4;
		if (!btree_take_varint(&at, end, &last))
			return SQLITE_CORRUPT;
		result = read_child(reading, child, (gint64)last, depth + 1);
	}
	if (result || reading->ended)
		return result;
	return read_tree(reading, btree_number32(bytes + BTREE_LAST_CHILD_AT), depth + 1);
}

static int read_tree(Reading *reading, guint32 number, guint depth)
{
	const guint8 *page = read_page(reading, number);

	if (!page)
		return SQLITE_CORRUPT;
	if (page[0] == BTREE_TABLE_LEAF)
		return read_leaf(reading, page);
	return page[0] == BTREE_TABLE_INTERIOR ? read_children(reading, page, depth)
					       : SQLITE_CORRUPT;
}

int leaves_read(const Leaves *leaves)
{
	Reading reading = { .of = leaves, .file = file_of(leaves->handle), .behind = G_MININT64 };
	int result;

	if (!read_header(&reading))
		return SQLITE_CORRUPT;
	reading.pages = g_malloc0((gsize)READ_PAGES * reading.page_size + sizeof(guint64));
	result = read_tree(&reading, leaves->root, 0);
	g_free(reading.pages);
	return result;
}
