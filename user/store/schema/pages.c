// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows all B-trees from their roots, which the schema has; the schema is the B-tree of page 1.
 *
 * Where SQLite reads only a part, such as of a number that is too long, this reads everything. So
 * it may reject files that SQLite accepts, but never the reverse.
 *
 * SQLite searches a table by the row ids in interior pages, and does not notice rows with other ids
 * below them: a search may then miss rows, or read most of the table each time.
 */
#include "store/schema/pages.h"

#include "store/schema/btree.h"
#include "store/store.h"

#define SCHEMA_PAGE 1
#define USABLE_MIN  480  /* bytes of a page, by the format */
#define SIZE_MIN    1024 /* a smaller page may lack names of a row of the schema */
#define ROOT_COLUMN 3    /* of the schema */
#define SEEN_BITS   32
#define WORKERS     2
#define WORK_MIN    1024 /* pages of one depth from which threads pay off */

/* A page, and the range of its row ids: above @above, and at most @most. */
typedef struct {
	guint32 page;
	gint64 above, most;
} Place;

typedef struct {
	const guint8 *bytes;
	guint64 len;
	guint32 page_size, usable, count; /* number of pages */
	guint *seen;                      /* bitmap of visited pages; shared by workers */
	GArray *schema, *others; /* of Place: visited pages of the schema, and of its tables */
	guint64 payload;         /* bytes of all rows so far */
	const char *path;
} Pages;

static gboolean pages_fail(const Pages *pages, guint32 page, const char *what, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
		    "%s is malformed: page %u %s: load the trace again", pages->path, page, what);
	return FALSE;
}

/* ---- pages ---- */

static gboolean add_place(Pages *pages, GArray *to, guint32 from, Place place, GError **error)
{
	guint32 page = place.page;
	guint bit = 1U << page % SEEN_BITS;

	if (!page || page > pages->count)
		return pages_fail(pages, from, "leads to one that is not there", error);
	if (g_atomic_int_or(&pages->seen[page / SEEN_BITS], bit) & bit)
		return pages_fail(pages, page, "is in two places", error);
	g_array_append_val(to, place);
	return TRUE;
}

static gboolean add_root(Pages *pages, GArray *to, guint32 from, guint32 page, GError **error)
{
	return add_place(pages, to, from, (Place){ page, G_MININT64, G_MAXINT64 }, error);
}

/* Returns the bytes of a column of this type. */
static guint64 column_len(guint64 type)
{
	static const guint8 lens[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };

	return type < G_N_ELEMENTS(lens) ? lens[type] : (type - G_N_ELEMENTS(lens)) / 2;
}

/* Reads an integer column: its bytes, or the value in its type. */
static guint64 integer_of(const guint8 *bytes, guint64 type)
{
	guint64 value = type == BTREE_ONE;

	for (guint i = 0; i < column_len(type); i++)
		value = value << 8 | bytes[i];
	return value;
}

/* Reads the root in a row of the schema, 0 if it has none. Returns FALSE without a valid column. */
static gboolean read_root(const guint8 *row, const guint8 *end, guint64 *root)
{
	const guint8 *at = row, *column;
	guint64 header_len, type;

	if (!btree_take_varint(&at, end, &header_len) || header_len > (guint64)(end - row))
		return FALSE;
	column = row + header_len;
	for (guint i = 0;; i++) {
		if (!btree_take_varint(&at, row + header_len, &type) ||
		    column_len(type) > (guint64)(end - column))
			return FALSE;
		if (i == ROOT_COLUMN)
			break;
		column += column_len(type);
	}
	*root = integer_of(column, type);
	return type <= BTREE_INT64 || type == BTREE_ZERO || type == BTREE_ONE;
}

/*
 * Reads a row of the schema of @len bytes. If it overflows the page, the names and the root are in
 * the first part.
 */
static gboolean take_schema_row(Pages *pages, guint32 page, const guint8 *row, guint64 len,
				const guint8 *end, GError **error)
{
	guint64 here = len > pages->usable - 35 ? (pages->usable - 12) * 32 / 255 - 23 : len;
	guint64 root;

	if (here > (guint64)(end - row) || !read_root(row, row + here, &root))
		return pages_fail(pages, page, "has a wrong row of the schema", error);
	return !root || add_root(pages, pages->others, page, MIN(root, G_MAXUINT32), error);
}

/* Adds the bytes of the row at *@at, and advances it past the length. */
static gboolean take_len(Pages *pages, guint32 page, const guint8 **at, const guint8 *end,
			 guint64 *len, GError **error)
{
	if (**at < 0x80) /* most rows are short, and there are many */
		*len = *(*at)++;
	else if (!btree_take_varint(at, end, len))
		return pages_fail(pages, page, "is cut", error);
	if (*len > pages->len - pages->payload)
		return pages_fail(pages, page, "has rows that are longer than the file", error);
	pages->payload += *len;
	return TRUE;
}

/* Reads the row id at *@at, and advances it. @rest: the remaining range of ids of the page. */
static gboolean take_id(const Pages *pages, Place *rest, const guint8 **at, const guint8 *end,
			GError **error)
{
	guint64 id;

	if (!btree_take_varint(at, end, &id))
		return pages_fail(pages, rest->page, "is cut", error);
	if ((gint64)id <= rest->above || (gint64)id > rest->most)
		return pages_fail(pages, rest->page, "has row ids out of order", error);
	rest->above = (gint64)id;
	return TRUE;
}

static gboolean take_cell(Pages *pages, GArray *tree, Place *rest, guint8 type, const guint8 *at,
			  const guint8 *end, GError **error)
{
	Place child = *rest;
	guint64 len;

	if (type == BTREE_TABLE_INTERIOR || type == BTREE_INDEX_INTERIOR) {
		if (end - at <= 4)
			return pages_fail(pages, rest->page, "is cut", error);
		child.page = btree_number32(at);
		at += 4;
		if (type == BTREE_TABLE_INTERIOR) {
			if (!take_id(pages, rest, &at, end, error))
				return FALSE;
			child.most = rest->above;
		}
		if (!add_place(pages, tree, rest->page, child, error))
			return FALSE;
	}
	if (type == BTREE_TABLE_INTERIOR)
		return TRUE;
	if (!take_len(pages, rest->page, &at, end, &len, error))
		return FALSE;
	if (type == BTREE_TABLE_LEAF && !take_id(pages, rest, &at, end, error))
		return FALSE;
	return tree != pages->schema || take_schema_row(pages, rest->page, at, len, end, error);
}

/* Adds the pages that a page refers to: those of its @tree, and roots. */
static gboolean follow(Pages *pages, GArray *tree, Place rest, GError **error)
{
	guint32 page = rest.page;
	const guint8 *start = pages->bytes + (guint64)(page - 1) * pages->page_size;
	const guint8 *end = start + pages->usable;
	const guint8 *header = start + (page == SCHEMA_PAGE ? BTREE_FILE_HEADER_LEN : 0);
	guint8 type = header[0];
	gboolean interior = type == BTREE_TABLE_INTERIOR || type == BTREE_INDEX_INTERIOR;
	const guint8 *cells = header + (interior ? BTREE_INTERIOR_HEADER : BTREE_LEAF_HEADER);
	guint count = btree_number16(header + BTREE_CELLS_AT);

	if (!interior && type != BTREE_TABLE_LEAF && type != BTREE_INDEX_LEAF)
		return pages_fail(pages, page, "is not one of a B-tree", error);
	if (count * 2 > end - cells)
		return pages_fail(pages, page, "is cut", error);
	for (guint i = 0; i < count; i++) {
		guint at = btree_number16(cells + 2 * i);

		if (at >= pages->usable)
			return pages_fail(pages, page, "is cut", error);
		if (!take_cell(pages, tree, &rest, type, start + at, end, error))
			return FALSE;
	}
	if (!interior)
		return TRUE;
	rest.page = btree_number32(header + BTREE_LAST_CHILD_AT);
	return add_place(pages, tree, page, rest, error);
}

/* ---- breadth first: the depth of a tree needs no stack ---- */

/* A worker that follows some pages of one depth, and adds the pages found to @found. */
typedef struct {
	Pages pages; /* a copy: the payload is the worker's own */
	const Place *places;
	guint count;
	guint32 first; /* page */
	GArray *found;
	GError *error;
} Worker;

static gpointer run(gpointer data)
{
	Worker *worker = data;

	for (guint i = 0; i < worker->count; i++) {
		if (!follow(&worker->pages, worker->found, worker->places[i], &worker->error))
			break;
	}
	return NULL;
}

/* Merges the result of a worker. */
static gboolean take_found(Pages *pages, GArray *tree, guint64 payload, Worker *worker,
			   GError **error)
{
	if (worker->error) {
		g_propagate_error(error, g_steal_pointer(&worker->error));
		return FALSE;
	}
	g_array_append_vals(tree, worker->found->data, worker->found->len);
	pages->payload += worker->pages.payload - payload;
	return pages->payload <= pages->len ||
	       pages_fail(pages, worker->first, "has rows that are longer than the file", error);
}

/* Follows the pages of @tree from @from on, which have one depth, in threads. */
static gboolean follow_parallel(Pages *pages, GArray *tree, guint from, GError **error)
{
	guint count = tree->len - from, share = count / WORKERS;
	guint64 payload = pages->payload;
	GThread *threads[WORKERS];
	Worker workers[WORKERS];
	gboolean fine = TRUE;

	for (guint i = 0; i < WORKERS; i++) {
		workers[i] = (Worker){
			.pages = *pages,
			.places = &g_array_index(tree, Place, from + i * share),
			.count = i + 1 < WORKERS ? share : count - i * share,
			.first = g_array_index(tree, Place, from + i * share).page,
			.found = g_array_new(FALSE, FALSE, sizeof(Place)),
		};
		threads[i] = g_thread_new("pages", run, &workers[i]);
	}
	for (guint i = 0; i < WORKERS; i++)
		g_thread_join(threads[i]);
	for (guint i = 0; i < WORKERS; i++) {
		fine = fine && take_found(pages, tree, payload, &workers[i], error);
		g_clear_error(&workers[i].error);
		g_array_unref(workers[i].found);
	}
	return fine;
}

static gboolean follow_tree(Pages *pages, GArray *tree, GError **error)
{
	guint from = 0;

	while (from < tree->len) {
		guint to = tree->len;

		if (tree != pages->schema && to - from >= WORK_MIN) {
			if (!follow_parallel(pages, tree, from, error))
				return FALSE;
			from = to;
		}
		for (; from < to; from++) {
			if (!follow(pages, tree, g_array_index(tree, Place, from), error))
				return FALSE;
		}
	}
	return TRUE;
}

static gboolean follow_all(Pages *pages, GError **error)
{
	gboolean fine;

	pages->seen = g_new0(guint, pages->count / SEEN_BITS + 1);
	pages->schema = g_array_new(FALSE, FALSE, sizeof(Place));
	pages->others = g_array_new(FALSE, FALSE, sizeof(Place));
	fine = add_root(pages, pages->schema, SCHEMA_PAGE, SCHEMA_PAGE, error) &&
	       follow_tree(pages, pages->schema, error) && follow_tree(pages, pages->others, error);
	g_array_unref(pages->others);
	g_array_unref(pages->schema);
	g_free(pages->seen);
	return fine;
}

/* ---- the file ---- */

static gboolean read_sizes(Pages *pages, GError **error)
{
	pages->page_size = btree_page_size(pages->bytes);
	pages->usable = pages->page_size - pages->bytes[BTREE_RESERVED_AT];
	if (!pages->page_size || pages->usable < USABLE_MIN) /* no SQLite file has such pages */
		return pages_fail(pages, SCHEMA_PAGE, "has no size", error);
	if (pages->page_size < SIZE_MIN) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
			    "%s has pages of %u bytes, expected %u or more: load the trace again",
			    pages->path, pages->page_size, SIZE_MIN);
		return FALSE;
	}
	pages->count = MIN(pages->len / pages->page_size, G_MAXUINT32 - 1);
	return TRUE;
}

gboolean pages_check(int fd, const char *path, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autoptr(GMappedFile) file = g_mapped_file_new_from_fd(fd, FALSE, &local);
	Pages pages = { .path = path };

	if (!file)
		return store_fail(error, "can't read %s: %s", path, local->message);
	pages.bytes = (const guint8 *)g_mapped_file_get_contents(file);
	pages.len = g_mapped_file_get_length(file);
	if (pages.bytes && store_kind.is_own(pages.bytes, pages.len))
		return read_sizes(&pages, error) && follow_all(&pages, error);
	g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
		    "%s is not a kmemtrace database (kmemtrace-user load makes one from a trace)",
		    path);
	return FALSE;
}
