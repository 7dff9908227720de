// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows read from the pages of a table equal those that SQLite reads, whatever they contain. Pages
 * with errors give an error or other rows, never a crash.
 */
#include <sqlite3.h>

#include "store/scan/leaves.h"
#include "trace-check.h"

typedef struct {
	check_file file;
	sqlite3 *db;
	GArray *rows;	/* of gint64: only the columns, as the row id is no value */
	guint others;
} Fixture;

static void open_table(Fixture *f, const char *sql)
{
	f->file = check_file_make();
	f->rows = g_array_new(FALSE, FALSE, sizeof(gint64));
	g_assert_cmpint(sqlite3_open(f->file.path, &f->db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(f->db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
}

static void tear_down(Fixture *f)
{
	g_array_unref(f->rows);
	sqlite3_close(f->db);
	check_file_clear(&f->file);
}

static void take(gpointer data, const gint64 *values)
{
	g_array_append_vals(((Fixture *)data)->rows, values, 2);
}

static gint64 value_of(sqlite3_stmt *stmt, int column)
{
	if (sqlite3_column_type(stmt, column) == SQLITE_NULL)
		return SCAN_NULL;
	return sqlite3_column_int64(stmt, column);
}

/* The same by a statement, for one row. */
static int take_other(gpointer data, gint64 id)
{
	Fixture *f = data;
	gint64 values[2];
	sqlite3_stmt *stmt;

	f->others++;
	g_assert_cmpint(sqlite3_prepare_v2(f->db, "SELECT c, a FROM t WHERE rowid = ?", -1, &stmt, NULL), ==, SQLITE_OK);
	sqlite3_bind_int64(stmt, 1, id);
	if (sqlite3_step(stmt) == SQLITE_ROW) {
		for (int i = 0; i < 2; i++)
			values[i] = value_of(stmt, i);
		take(f, values);
	}
	return sqlite3_finalize(stmt);
}

static gint64 ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	gint64 value = 0;

	if (!sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) && sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* Columns c and a of the rows from @first to @last. */
static int read_rows(Fixture *f, guint32 root, gint64 first, gint64 last)
{
	const Leaves leaves = { .handle = f->db, .root = root, .first = first, .last = last,
				.columns = 3, .wanted_as = { 1, -1, 0 }, .func = take, .data = f,
				.other = take_other, .self = f };

	g_array_set_size(f->rows, 0);
	f->others = 0;
	return leaves_read(&leaves);
}

static void expect_same(Fixture *f, gint64 first, gint64 last)
{
	guint32 root = ask(f->db, "SELECT rootpage FROM sqlite_schema WHERE name = 't'");
	sqlite3_stmt *stmt;
	guint i = 0;

	g_assert_true(leaves_can_read(f->db));
	g_assert_cmpint(read_rows(f, root, first, last), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_prepare_v2(f->db, "SELECT c, a FROM t WHERE rowid BETWEEN ? AND ? ORDER BY rowid", -1, &stmt, NULL), ==, SQLITE_OK);
	sqlite3_bind_int64(stmt, 1, first);
	sqlite3_bind_int64(stmt, 2, last);
	for (; sqlite3_step(stmt) == SQLITE_ROW; i += 2) {
		g_assert_cmpint(i, <, f->rows->len);
		for (int column = 0; column < 2; column++) {
			gint64 value = g_array_index(f->rows, gint64, i + column);

			g_assert_cmpint(value, ==, value_of(stmt, column));
		}
	}
	g_assert_cmpint(i, ==, f->rows->len);
	sqlite3_finalize(stmt);
}

/* Numbers of all lengths; row ids have gaps. */
static const char integers[] =
	"PRAGMA synchronous = OFF; PRAGMA page_size = 512; CREATE TABLE other (x); CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER);"
	"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
	"INSERT INTO t (rowid, a, b, c) SELECT i * 3, (i * 2654435761 * 2654435761) >> i % 64, i % 3, iif(i % 4, -i << i % 60, NULL) FROM n;";

static void integers_are_those_of_sqlite(void)
{
	static const gint64 ranges[][2] = {
		{ 1, G_MAXINT64 }, { 1, 0 }, { 1, 1 }, { 3, 3 }, { 4, 5 }, { 3000, 9000 },
		{ 14999, 15000 }, { 15001, G_MAXINT64 }, { G_MININT64, 2 },
	};
	Fixture f;

	open_table(&f, integers);
	for (guint i = 0; i < G_N_ELEMENTS(ranges); i++) {
		expect_same(&f, ranges[i][0], ranges[i][1]);
		g_assert_cmpint(f.others, ==, 0);
	}
	g_assert_cmpint(sqlite3_exec(f.db, "DELETE FROM t WHERE rowid % 7 < 3; VACUUM", NULL, NULL, NULL), ==, SQLITE_OK);
	expect_same(&f, 1, G_MAXINT64);
	tear_down(&f);
}

static void values_are_shifted(void)
{
	Fixture f = { 0 };
	guint32 root;

	open_table(&f, integers);
	root = ask(f.db, "SELECT rootpage FROM sqlite_schema WHERE name = 't'");
	const Leaves leaves = { .handle = f.db, .root = root, .first = 1, .last = G_MAXINT64,
				.columns = 2, .wanted_as = { 1, 0 }, .shift = { 2, 1 },
				.func = take, .data = &f, .other = take_other, .self = &f };

	g_assert_cmpint(leaves_read(&leaves), ==, SQLITE_OK);
	g_assert_cmpint(f.rows->len, ==, 2 * 5000);
	g_assert_cmpint(f.others, ==, 0);
	for (gint64 i = 1; i <= 5000; i++) {
		g_autofree char *sql = g_strdup_printf("SELECT a >> 2 FROM t WHERE rowid = %" G_GINT64_FORMAT, i * 3);
		gint64 a = g_array_index(f.rows, gint64, 2 * i - 1);
		gint64 b = g_array_index(f.rows, gint64, 2 * i - 2);

		g_assert_cmpint(a, ==, ask(f.db, sql));
		g_assert_cmpint(b, ==, i % 3 >> 1);
	}
	tear_down(&f);
}

/* Text, numbers with a point, long rows, rows from before a column was added. */
static void other_rows_are_read_by_a_statement(void)
{
	Fixture f;

	open_table(&f, "CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2), ('text', 2), (2.5, 3), (NULL, NULL);"
		   "ALTER TABLE t ADD COLUMN c; INSERT INTO t VALUES (7, zeroblob(100000), 8), (1, 1, x'00'), (5, 6, 7),"
		   "(9, 'short', 9)");
	expect_same(&f, 1, G_MAXINT64);
	g_assert_cmpint(f.others, ==, 7);
	g_assert_cmpint(f.rows->len, ==, 2 * 8);
	tear_down(&f);
}

static void write_ahead_log_is_not_read(void)
{
	Fixture f;

	open_table(&f, "PRAGMA journal_mode = WAL; CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 3)");
	g_assert_false(leaves_can_read(f.db));
	tear_down(&f);
}

/* Makes the table of integers, closes it, and reads its file. Returns the root page. */
static guint32 make_file(Fixture *f, char **bytes, gsize *len)
{
	guint32 root;

	open_table(f, integers);
	root = ask(f->db, "SELECT rootpage FROM sqlite_schema WHERE name = 't'");
	sqlite3_close(f->db);
	g_assert_true(g_file_get_contents(f->file.path, bytes, len, NULL));
	return root;
}

/* Overwrites random bytes, more often in the root page and in page headers. */
static void wrong_pages_are_survived(void)
{
	GRand *random = g_rand_new_with_seed(1);
	g_autofree char *bytes = NULL;
	guint failed = 0;
	guint32 root;
	gsize len;
	Fixture f;

	root = make_file(&f, &bytes, &len);
	for (guint round = 0; round < 3000; round++) {
		g_autofree char *wrong = g_memdup2(bytes, len);

		for (guint i = g_rand_int_range(random, 1, 20); i--;) {
			gsize any = g_rand_int_range(random, 1, len / 512);
			gsize page = g_rand_boolean(random) ? root - 1 : any;
			gsize at = g_rand_int_range(random, 0, g_rand_boolean(random) ? 16 : 512);

			wrong[page * 512 + at] = g_rand_int(random);
		}
		check_write(&f.file, wrong, len);
		g_assert_cmpint(sqlite3_open(f.file.path, &f.db), ==, SQLITE_OK);
		failed += read_rows(&f, root, 1, G_MAXINT64) != SQLITE_OK;
		g_assert_cmpint(f.rows->len, <, 2 * len);
		sqlite3_close(f.db);
	}
	g_test_message("%u of 3000 failed", failed);
	g_assert_cmpint(failed, >, 100);
	f.db = NULL;
	g_rand_free(random);
	tear_down(&f);
}

/*
 * Inner pages have wrong bounds for the row ids below: the rows equal those found by SQLite's
 * search, or there is an error.
 */
static void wrong_bounds_hide_no_rows(void)
{
	g_autofree char *bytes = NULL;
	guint failed = 0, count;
	gsize len, page;
	guint32 root;
	Fixture f;

	root = make_file(&f, &bytes, &len);
	page = (root - 1) * 512;
	g_assert_cmpint(bytes[page], ==, 5);
	count = (guint8)bytes[page + 3] << 8 | (guint8)bytes[page + 4];
	for (guint i = 0; i < 2 * count; i++) {
		gsize at = page + 12 + i / 2 * 2;
		g_autofree char *wrong = g_memdup2(bytes, len);

		at = page + ((guint8)wrong[at] << 8 | (guint8)wrong[at + 1]) + 4;
		for (; wrong[at] & 0x80; at++)
			wrong[at] = i % 2 ? 0xff : 0x80;
		wrong[at] = i % 2 ? 0x7f : 0;
		check_write(&f.file, wrong, len);
		g_assert_cmpint(sqlite3_open(f.file.path, &f.db), ==, SQLITE_OK);
		if (read_rows(&f, root, 1, 14000))
			failed++;
		else
			expect_same(&f, 1, 14000);
		sqlite3_close(f.db);
	}
	g_test_message("%u of %u failed", failed, 2 * count);
	g_assert_cmpint(failed, >, count);
	f.db = NULL;
	tear_down(&f);
}

/*
 * Changes each byte of a page of rows: the rows equal those of a statement, or there is an error.
 */
static void damaged_rows_are_not_answered_from(void)
{
	static const guint8 flips[] = { 0x01, 0x02, 0x7f };
	g_autofree char *bytes = NULL;
	guint failed = 0;
	gsize len, page;
	guint32 root;
	Fixture f;

	root = make_file(&f, &bytes, &len);
	page = len - 512;
	g_assert_cmpint(bytes[page], ==, 13);
	for (gsize i = 0; i < 512 * G_N_ELEMENTS(flips); i++) {
		g_autofree char *wrong = g_memdup2(bytes, len);

		wrong[page + i % 512] ^= flips[i / 512];
		check_write(&f.file, wrong, len);
		g_assert_cmpint(sqlite3_open(f.file.path, &f.db), ==, SQLITE_OK);
		if (read_rows(&f, root, 1, G_MAXINT64))
			failed++;
		else
			expect_same(&f, 1, G_MAXINT64);
		sqlite3_close(f.db);
	}
	g_test_message("%u of %u failed", failed, (guint)(512 * G_N_ELEMENTS(flips)));
	g_assert_cmpint(failed, >, 100);
	f.db = NULL;
	tear_down(&f);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/leaves/integers_are_those_of_sqlite", integers_are_those_of_sqlite);
	g_test_add_func("/leaves/values_are_shifted", values_are_shifted);
	g_test_add_func("/leaves/other_rows_are_read_by_a_statement", other_rows_are_read_by_a_statement);
	g_test_add_func("/leaves/write_ahead_log_is_not_read", write_ahead_log_is_not_read);
	g_test_add_func("/leaves/wrong_pages_are_survived", wrong_pages_are_survived);
	g_test_add_func("/leaves/wrong_bounds_hide_no_rows", wrong_bounds_hide_no_rows);
	g_test_add_func("/leaves/damaged_rows_are_not_answered_from", damaged_rows_are_not_answered_from);
	return g_test_run();
}
