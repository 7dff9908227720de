// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inserts FILE.db ROWS: bare inserts of 14 integers each, prepared, one transaction, no index and
 * no journal: what SQLite itself takes for as many rows as a trace has allocations.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS	14

static int insert_rows(sqlite3 *db, long rows)
{
	sqlite3_stmt *insert;
	int ret = sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
				     &insert, NULL);

	for (long i = 0; ret == SQLITE_OK && i < rows; i++) {
		for (int column = 1; column <= COLUMNS; column++)
			sqlite3_bind_int64(insert, column, column < 4 ? i << column * 6 : column);
		sqlite3_step(insert);
		ret = sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	return ret;
}

int main(int argc, char **argv)
{
	sqlite3 *db;
	int ret;

	if (argc != 3 || sqlite3_open(argv[1], &db) != SQLITE_OK)
		return 1;
	sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
			 "CREATE TABLE t (a, b, c, d, e, f, g, h, i, j, k, l, m, n)", NULL, NULL, NULL);
	ret = insert_rows(db, atol(argv[2]));
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
	return ret != SQLITE_OK;
}
