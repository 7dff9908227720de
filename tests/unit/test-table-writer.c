// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows written as pages equal those that SQLite reads, and SQLite finds the file in order.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <unistd.h>

#include "store/load/table_writer.h"
#include "store/schema/btree.h"
#include "store/schema/db.h"
#include "trace-check.h"

#define COLUMNS 3

typedef struct {
	check_file file;
	int fd;
	TableWriter *writer;
} Fixture;

static gint64 ask(const Fixture *f, const char *sql)
{
	sqlite3_stmt *stmt;
	sqlite3 *db;
	gint64 value;

	g_assert_cmpint(sqlite3_open(f->file.path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_step(stmt), ==, SQLITE_ROW);
	value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return value;
}

/* A database with an empty table, and a non-empty one. */
static void open_writer(Fixture *f, guint page_size)
{
	g_autofree char *sql = g_strdup_printf("PRAGMA synchronous = OFF; PRAGMA page_size = %u; CREATE TABLE other (text); "
		"CREATE TABLE t (a INTEGER, b INTEGER, c INTEGER); INSERT INTO other VALUES (zeroblob(9000))", page_size);
	sqlite3 *db;

	f->file = check_file_make();
	g_assert_cmpint(sqlite3_open(f->file.path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db, sql, NULL, NULL, NULL), ==, SQLITE_OK);
	sqlite3_close(db);
	f->fd = open(f->file.path, O_RDWR | O_CLOEXEC);
	f->writer = table_writer_new(f->fd, ask(f, "SELECT rootpage FROM sqlite_schema WHERE name = 't'"), COLUMNS);
}

static void finish(Fixture *f)
{
	g_assert_cmpint(table_writer_finish(f->writer), ==, 0);
	table_writer_free(f->writer);
}

static void tear_down(Fixture *f)
{
	close(f->fd);
	check_file_clear(&f->file);
}

/* Numbers of all lengths, depending on the row. */
static void make_row(guint64 row, gint64 *values)
{
	gint64 mixed = (gint64)(row * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15));

	values[0] = row;
	values[1] = row % 3 ? mixed >> row % 64 : DB_NULL;
	values[2] = row % 5;
}

static void check_rows(guint page_size, guint64 count)
{
	gint64 values[COLUMNS];
	sqlite3_stmt *stmt;
	guint64 row = 0;
	sqlite3 *db;
	Fixture f;

	open_writer(&f, page_size);
	for (guint64 i = 1; i <= count; i++) {
		make_row(i, values);
		g_assert_cmpint(table_writer_add(f.writer, values), ==, 0);
	}
	finish(&f);
	g_assert_cmpint(ask(&f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), ==, 1);
	g_assert_cmpint(sqlite3_open(f.file.path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_prepare_v2(db, "SELECT rowid, a, b, c FROM t ORDER BY rowid", -1, &stmt, NULL), ==, SQLITE_OK);
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		make_row(++row, values);
		g_assert_cmpint(sqlite3_column_int64(stmt, 0), ==, row);
		for (int i = 0; i < COLUMNS; i++) {
			int type = values[i] == DB_NULL ? SQLITE_NULL : SQLITE_INTEGER;

			g_assert_cmpint(sqlite3_column_type(stmt, i + 1), ==, type);
			if (values[i] != DB_NULL)
				g_assert_cmpint(sqlite3_column_int64(stmt, i + 1), ==, values[i]);
		}
	}
	g_assert_cmpint(row, ==, count);
	sqlite3_finalize(stmt);
	/* It can be searched and changed like any other. */
	if (count) {
		g_autofree char *search = g_strdup_printf("SELECT a FROM t WHERE rowid = %" G_GUINT64_FORMAT, count / 2 + 1);

		g_assert_cmpint(ask(&f, search), ==, count / 2 + 1);
	}
	g_assert_cmpint(sqlite3_exec(db, "PRAGMA synchronous = OFF; INSERT INTO t VALUES (1, 2, 3);"
				     "DELETE FROM t WHERE rowid % 2", NULL, NULL, NULL), ==, SQLITE_OK);
	sqlite3_close(db);
	g_assert_cmpint(ask(&f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), ==, 1);
	g_assert_cmpint(ask(&f, "SELECT count(*) FROM t"), ==, (count + 1) / 2);
	tear_down(&f);
}

/* With pages of 512 bytes: from an empty table to one with four levels, around each boundary. */
static void table_of_any_size_is_in_order(void)
{
	for (guint64 count = 0; count < 150; count++)
		check_rows(512, count);
	for (guint64 count = 1000; count < 1500; count += 7)
		check_rows(512, count);
	check_rows(512, 100000);
}

static void pages_of_any_size_are_in_order(void)
{
	for (guint size = 512; size <= 65536; size *= 2)
		check_rows(size, 20011);
}

static void numbers_keep_their_value(void)
{
	Fixture f;

	open_writer(&f, 4096);
	for (guint bit = 0; bit < 63; bit++) {
		gint64 power = G_GINT64_CONSTANT(1) << bit;

		table_writer_add(f.writer, (gint64[]){ power, power - 1, power + 1 });
		table_writer_add(f.writer, (gint64[]){ -power, -power - 1, -power + 1 });
	}
	table_writer_add(f.writer, (gint64[]){ G_MAXINT64, G_MININT64 + 1, DB_NULL });
	finish(&f);
	g_assert_cmpint(ask(&f, "SELECT count(*) FROM t WHERE rowid % 2 AND a = 1 << (rowid / 2) AND b = a - 1 AND c = a + 1"), ==, 63);
	g_assert_cmpint(ask(&f, "SELECT count(*) FROM t WHERE rowid % 2 = 0 AND a = -(1 << (rowid / 2 - 1)) AND b = a - 1 AND c = a + 1"), ==, 63);
	g_assert_cmpint(ask(&f, "SELECT a = 9223372036854775807 AND b = -9223372036854775807 AND c IS NULL FROM t WHERE rowid = 127"), ==, 1);
	g_assert_cmpint(ask(&f, "SELECT integrity_check = 'ok' FROM pragma_integrity_check"), ==, 1);
	tear_down(&f);
}

/*
 * The file is sparse up to there: its pages are in no table, and integrity_check would list them.
 */
static void page_of_locks_is_left_out(void)
{
	const guint32 locks = BTREE_LOCK_BYTE / 65536 + 1;
	guint8 pages[4], byte = 1;
	gint64 values[COLUMNS];
	Fixture f;

	open_writer(&f, 65536);
	table_writer_free(f.writer);
	btree_put32(pages, locks - 3);
	g_assert_cmpint(pwrite(f.fd, pages, sizeof(pages), BTREE_PAGES_AT), ==, sizeof(pages));
	g_assert_cmpint(ftruncate(f.fd, (off_t)(locks - 3) * 65536), ==, 0);
	f.writer = table_writer_new(f.fd, ask(&f, "SELECT rootpage FROM sqlite_schema WHERE name = 't'"), COLUMNS);
	for (guint64 i = 1; i <= 50000; i++) {
		make_row(i, values);
		g_assert_cmpint(table_writer_add(f.writer, values), ==, 0);
	}
	finish(&f);
	g_assert_cmpint(ask(&f, "SELECT count(*) FROM t WHERE a = rowid"), ==, 50000);
	g_assert_cmpint(pread(f.fd, &byte, 1, BTREE_LOCK_BYTE), ==, 1);
	g_assert_cmpint(byte, ==, 0);
	g_assert_cmpint(ask(&f, "PRAGMA page_count"), >, locks);
	tear_down(&f);
}

static void error_stays(void)
{
	gint64 values[COLUMNS] = { 0 };
	int error = 0;
	Fixture f;

	open_writer(&f, 4096);
	g_assert_cmpint(dup3(open("/dev/full", O_WRONLY | O_CLOEXEC), f.fd, O_CLOEXEC), ==, f.fd);
	for (guint i = 0; i < 1000000 && !error; i++)
		error = table_writer_add(f.writer, values);
	g_assert_cmpint(error, ==, ENOSPC);
	g_assert_cmpint(table_writer_add(f.writer, values), ==, ENOSPC);
	g_assert_cmpint(table_writer_finish(f.writer), ==, ENOSPC);
	table_writer_free(f.writer);
	tear_down(&f);
}

static void file_that_is_no_database_is_refused(void)
{
	g_autoptr(TableWriter) writer = table_writer_new(open("/dev/null", O_RDWR | O_CLOEXEC), 2, COLUMNS);

	g_assert_cmpint(table_writer_add(writer, (gint64[]){ 1, 2, 3 }), ==, EINVAL);
	g_assert_cmpint(table_writer_finish(writer), ==, EINVAL);
}

int main(int argc, char *argv[])
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/table-writer/table_of_any_size_is_in_order", table_of_any_size_is_in_order);
	g_test_add_func("/table-writer/pages_of_any_size_are_in_order", pages_of_any_size_are_in_order);
	g_test_add_func("/table-writer/numbers_keep_their_value", numbers_keep_their_value);
	g_test_add_func("/table-writer/page_of_locks_is_left_out", page_of_locks_is_left_out);
	g_test_add_func("/table-writer/error_stays", error_stays);
	g_test_add_func("/table-writer/file_that_is_no_database_is_refused", file_that_is_no_database_is_refused);
	return g_test_run();
}
