// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All rows are in leaves. An interior page lists its children, with the last row id of each. Levels
 * of interior pages are added until a single page is at the top: the root.
 */
#include "store/load/table_writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/schema/btree.h"
#include "store/schema/db.h"

#define BUFFERED_PAGES 64
#define CELL_MAX       (2 * BTREE_VARINT_MAX + 1 + 9 * TABLE_WRITER_COLUMNS)

typedef struct {
	guint32 page;
	guint64 last; /* its last row id */
} Child;

struct TableWriter {
	int fd, error; /* errno, or 0 */
	guint columns;
	guint32 root;
	guint32 page_size, usable;
	guint8 *buffer;      /* pages not yet written */
	guint buffered;      /* how many */
	guint32 first, next; /* page numbers of the first buffered page, and of the next one */
	guint8 *leaf;        /* the leaf being filled; NULL: none */
	guint cells;         /* in it */
	guint32 content;     /* offset of the first cell in it */
	guint64 rows;
	GArray *leaves; /* of Child */
};

/* ---- pages ---- */

static void write_at(TableWriter *writer, const guint8 *bytes, gsize len, guint64 offset)
{
	while (len && !writer->error) {
		gssize written = pwrite(writer->fd, bytes, len, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			writer->error = errno;
			return;
		}
		bytes += written;
		offset += written;
		len -= written;
	}
}

static void write_page(TableWriter *writer, guint32 page, const guint8 *bytes, guint count)
{
	write_at(writer, bytes, (gsize)count * writer->page_size,
		 (guint64)(page - 1) * writer->page_size);
}

static void flush(TableWriter *writer)
{
	write_page(writer, writer->first, writer->buffer, writer->buffered);
	writer->buffered = 0;
}

/* Returns the next page of the file, zeroed. */
static guint8 *new_page(TableWriter *writer)
{
	guint8 *page;

	if (writer->next == BTREE_LOCK_BYTE / writer->page_size + 1) {
		flush(writer);
		writer->next++;
	}
	if (writer->buffered == BUFFERED_PAGES)
		flush(writer);
	if (!writer->buffered)
		writer->first = writer->next;
	page = writer->buffer + (gsize)writer->buffered++ * writer->page_size;
	writer->next++;
	return memset(page, 0, writer->page_size);
}

static void put_header(guint8 *page, guint8 type, guint cells, guint32 content)
{
	page[0] = type;
	btree_put16(page + BTREE_CELLS_AT, cells);
	btree_put16(page + BTREE_CONTENT_AT, content);
}

/* ---- rows ---- */

static guint8 *put_varint(guint8 *at, guint64 value)
{
	guint shift = 0;

	if (value >> 56) { /* the ninth byte has eight bits */
		for (guint i = 0; i < BTREE_VARINT_MAX - 1; i++)
			*at++ = 0x80 | value >> (57 - 7 * i);
		*at++ = value;
		return at;
	}
	while (value >> shift >= 0x80)
		shift += 7;
	for (; shift; shift -= 7)
		*at++ = 0x80 | value >> shift;
	*at++ = value & 0x7f;
	return at;
}

/* Returns the type of @value. Writes eight bytes at *@at, and advances it past the used ones. */
static guint8 put_column(guint8 **at, gint64 value)
{
	/* By the bytes that a number needs, with its sign. */
	static const struct {
		guint8 type, len;
	} types[] = { { 0, 0 },           { 1, 1 },           { 2, 2 },
		      { 3, 3 },           { 4, 4 },           { BTREE_INT48, 6 },
		      { BTREE_INT48, 6 }, { BTREE_INT64, 8 }, { BTREE_INT64, 8 } };
	guint64 bits = value < 0 ? ~(guint64)value : (guint64)value;
	guint bytes = (64 - __builtin_clzll(bits | 1)) / 8 + 1;
	guint64 written;

	if (value == DB_NULL)
		return BTREE_NULL;
	if (bits == (guint64)value && value <= 1)
		return BTREE_ZERO + value;
	written = GUINT64_TO_BE((guint64)value << (64 - 8 * types[bytes].len));
	memcpy(*at, &written, sizeof(written));
	*at += types[bytes].len;
	return types[bytes].type;
}

/* Writes the length of the row, the id, and the row: the types of its columns, and their bytes. */
static gsize put_row(const TableWriter *writer, guint64 id, const gint64 *values, guint8 *cell)
{
	guint8 *at = put_varint(cell + 1, id);
	guint8 *row = at, *body = row + 1 + writer->columns;

	*at++ = 1 + writer->columns;
	for (guint i = 0; i < writer->columns; i++)
		*at++ = put_column(&body, values[i]);
	*cell = body - row;
	return body - cell;
}

static void end_leaf(TableWriter *writer)
{
	const Child child = { writer->next - 1, writer->rows };

	if (!writer->leaf)
		return;
	put_header(writer->leaf, BTREE_TABLE_LEAF, writer->cells, writer->content);
	g_array_append_val(writer->leaves, child);
	writer->leaf = NULL;
}

static void begin_leaf(TableWriter *writer)
{
	writer->leaf = new_page(writer);
	writer->cells = 0;
	writer->content = writer->usable;
}

int table_writer_add(TableWriter *writer, const gint64 *values)
{
	guint8 cell[CELL_MAX + sizeof(guint64)];
	gsize len;

	if (writer->error)
		return writer->error;
	len = put_row(writer, writer->rows + 1, values, cell);
	if (writer->leaf && BTREE_LEAF_HEADER + 2 * (writer->cells + 1) + len > writer->content)
		end_leaf(writer);
	if (!writer->leaf)
		begin_leaf(writer);
	writer->rows++;
	writer->content -= len;
	memcpy(writer->leaf + writer->content, cell, len);
	btree_put16(writer->leaf + BTREE_LEAF_HEADER + 2 * writer->cells++, writer->content);
	return writer->error;
}

/* ---- interior pages ---- */

/*
 * Writes as many of @count children as fit into @page, but never leaves just one. Returns their
 * number.
 */
static guint put_children(const TableWriter *writer, guint8 *page, const Child *children,
			  guint count)
{
	guint32 content = writer->usable, before = content;
	guint cells = 0;

	while (cells < count - 1) {
		guint8 cell[4 + BTREE_VARINT_MAX];
		gsize len = put_varint(cell + 4, children[cells].last) - cell;

		if (BTREE_INTERIOR_HEADER + 2 * (cells + 1) + len > content)
			break;
		btree_put32(cell, children[cells].page);
		before = content;
		content -= len;
		memcpy(page + content, cell, len);
		btree_put16(page + BTREE_INTERIOR_HEADER + 2 * cells++, content);
	}
	if (cells + 1 == count - 1) {
		cells--;
		content = before;
	}
	put_header(page, BTREE_TABLE_INTERIOR, cells, content);
	btree_put32(page + BTREE_LAST_CHILD_AT, children[cells].page);
	return cells + 1;
}

/* Writes a level of interior pages above @children. */
static GArray *put_level(TableWriter *writer, const GArray *children)
{
	GArray *level = g_array_new(FALSE, FALSE, sizeof(Child));

	for (guint done = 0; done < children->len;) {
		const Child *first = &g_array_index(children, Child, done);
		guint taken = put_children(writer, new_page(writer), first, children->len - done);
		const Child child = { writer->next - 1, first[taken - 1].last };

		g_array_append_val(level, child);
		done += taken;
	}
	return level;
}

static void put_root(TableWriter *writer)
{
	GArray *level = g_array_ref(writer->leaves);
	g_autofree guint8 *root = g_malloc0(writer->page_size);

	while (put_children(writer, root, (Child *)level->data, level->len) < level->len) {
		GArray *above = put_level(writer, level);

		g_array_unref(level);
		level = above;
		memset(root, 0, writer->page_size);
	}
	g_array_unref(level);
	write_page(writer, writer->root, root, 1);
}

/* ---- the file ---- */

static void read_header(TableWriter *writer, guint8 *header)
{
	gssize got = pread(writer->fd, header, BTREE_FILE_HEADER_LEN, 0);

	if (got < 0)
		writer->error = errno;
	else if (got < BTREE_FILE_HEADER_LEN || !btree_page_size(header) || !writer->root)
		writer->error = EINVAL;
}

/* Changes the header as SQLite does after a change of the file. */
static void write_header(TableWriter *writer)
{
	guint8 header[BTREE_FILE_HEADER_LEN];
	guint32 changes;

	read_header(writer, header);
	changes = btree_number32(header + BTREE_CHANGES_AT) + 1;
	btree_put32(header + BTREE_CHANGES_AT, changes);
	btree_put32(header + BTREE_PAGES_CHANGES_AT, changes);
	btree_put32(header + BTREE_PAGES_AT, writer->next - 1);
	write_at(writer, header, sizeof(header), 0);
}

TableWriter *table_writer_new(int fd, guint32 root, guint columns)
{
	TableWriter *writer = g_new0(TableWriter, 1);
	guint8 header[BTREE_FILE_HEADER_LEN] = { 0 };

	g_assert(columns <= TABLE_WRITER_COLUMNS);
	writer->fd = fd;
	writer->root = root;
	writer->columns = columns;
	writer->leaves = g_array_new(FALSE, FALSE, sizeof(Child));
	read_header(writer, header);
	writer->page_size = btree_page_size(header);
	writer->usable = writer->page_size - header[BTREE_RESERVED_AT];
	writer->next = btree_number32(header + BTREE_PAGES_AT) + 1;
	writer->buffer = g_malloc((gsize)BUFFERED_PAGES * writer->page_size);
	return writer;
}

void table_writer_free(TableWriter *writer)
{
	if (!writer)
		return;
	g_array_unref(writer->leaves);
	g_free(writer->buffer);
	g_free(writer);
}

int table_writer_finish(TableWriter *writer)
{
	end_leaf(writer);
	if (writer->error || !writer->rows)
		return writer->error;
	if (writer->leaves->len == 1) { /* still in the buffer */
		write_page(writer, writer->root, writer->buffer, 1);
		return writer->error;
	}
	put_root(writer);
	flush(writer);
	write_header(writer);
	return writer->error;
}
