// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inserts FROM.db TO.db: bare inserts of the rows that a load has made: the same values into a
 * table with the same columns, with one prepared statement, one transaction, no journal, nothing
 * else. Prints the number of rows and the seconds for inserting them, without reading them.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COLUMNS		11
#define ROWS_AT_ONCE	65536

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void check(int fine, sqlite3 *db)
{
	if (fine)
		return;
	fprintf(stderr, "inserts: %s\n", sqlite3_errmsg(db));
	exit(1);
}

struct cell {
	sqlite3_int64 value;
	int is_null;
};

/* Reads rows until there are no more or enough. */
static int read_rows(sqlite3_stmt *select, struct cell *cells)
{
	int rows = 0;

	while (rows < ROWS_AT_ONCE && sqlite3_step(select) == SQLITE_ROW) {
		for (int i = 0; i < COLUMNS; i++, cells++) {
			cells->is_null = sqlite3_column_type(select, i) == SQLITE_NULL;
			cells->value = sqlite3_column_int64(select, i);
		}
		rows++;
	}
	return rows;
}

static void insert_rows(sqlite3 *db, sqlite3_stmt *insert, const struct cell *cells, int rows)
{
	for (; rows > 0; rows--) {
		for (int i = 1; i <= COLUMNS; i++, cells++) {
			if (cells->is_null)
				sqlite3_bind_null(insert, i);
			else
				sqlite3_bind_int64(insert, i, cells->value);
		}
		check(sqlite3_step(insert) == SQLITE_DONE, db);
		sqlite3_reset(insert);
	}
}

int main(int argc, char **argv)
{
	struct cell *cells = malloc(sizeof(*cells) * COLUMNS * ROWS_AT_ONCE);
	sqlite3_stmt *select, *insert;
	sqlite3 *from, *to;
	double seconds = 0, start;
	long long count = 0;
	int rows;

	if (argc != 3 || !cells)
		return 2;
	check(sqlite3_open_v2(argv[1], &from, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK, from);
	check(sqlite3_open(argv[2], &to) == SQLITE_OK, to);
	check(sqlite3_exec(to, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
			       "CREATE TABLE t (a, b, c, d, e, f, g, h, i, j, k)", NULL, NULL, NULL) ==
		      SQLITE_OK, to);
	check(sqlite3_prepare_v2(from, "SELECT * FROM lifetime", -1, &select, NULL) == SQLITE_OK,
	      from);
	check(sqlite3_prepare_v2(to, "INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?,?,?)", -1, &insert,
				 NULL) == SQLITE_OK, to);
	do {
		rows = read_rows(select, cells);
		start = now();
		insert_rows(to, insert, cells, rows);
		seconds += now() - start;
		count += rows;
	} while (rows == ROWS_AT_ONCE);
	start = now();
	check(sqlite3_exec(to, "COMMIT", NULL, NULL, NULL) == SQLITE_OK, to);
	sqlite3_finalize(insert);
	sqlite3_close(to);
	printf("%lld %.3f\n", count, seconds + now() - start);
	return 0;
}
