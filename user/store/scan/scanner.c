// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each worker has a connection of its own, and one statement that calls an aggregate function for
 * each row: that costs two thirds of what it costs to take the rows one by one.
 *
 * Connections are opened, and begin to read, before the threads do, and end after them. What
 * connections of one process share, as locks on the file, is then touched by one thread alone:
 * SQLite has no locks of its own in a process that has loaded a trace before.
 */
#include "store/scan/scanner.h"

#include <string.h>

#include "store/schema/restrict.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

typedef struct {
	sqlite3 *handle;
	sqlite3_stmt *stmt;
	ScanFunc func;
	gpointer data;
} Worker;

/* scan(…) of one row. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
	const Worker *worker = sqlite3_user_data(context);
	gint64 row[SCAN_COLUMNS];

	for (int i = 0; i < MIN(count, SCAN_COLUMNS); i++) {
		row[i] = sqlite3_value_int64(values[i]);
		if (!row[i] && sqlite3_value_type(values[i]) == SQLITE_NULL)
			row[i] = SCAN_NULL;
	}
	worker->func(worker->data, row);
}

static void end_rows(sqlite3_context *context)
{
	(void)context;
}

/* Begins to read: the file stays as it is until the connection is closed. */
static int open_worker(Worker *worker, sqlite3 *of)
{
	int result = statements_open(sqlite3_db_filename(of, "main"), &worker->handle)
			     ?: restrict_as(worker->handle, of);

	if (result)
		return result;
	sqlite3_db_config(worker->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	result = sqlite3_create_function_v2(worker->handle, "scan", -1,
					    SQLITE_UTF8 | SQLITE_DIRECTONLY, worker, NULL, take_row,
					    end_rows, NULL);
	return result ?: sqlite3_exec(worker->handle, "BEGIN", NULL, NULL, NULL);
}

static int count_rows(Worker *worker, gint64 *count)
{
	g_autoptr(GBytes) sql = db_sql("scan_rows");
	sqlite3_stmt *stmt = NULL;
	int result =
		sqlite3_prepare_v2(worker->handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);

	if (!result && sqlite3_step(stmt) == SQLITE_ROW)
		*count = sqlite3_column_int64(stmt, 0);
	return sqlite3_finalize(stmt) ?: result;
}

static int bind(sqlite3_stmt *stmt, const char *name, gint64 value)
{
	int index = sqlite3_bind_parameter_index(stmt, name);

	return index ? sqlite3_bind_int64(stmt, index, value) : SQLITE_OK;
}

/* An integer, or else a text that outlives the statement. */
static int bind_text(sqlite3_stmt *stmt, const char *name, const char *text)
{
	gint64 value;

	if (g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, &value, NULL))
		return bind(stmt, name, value);
	return sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, name), text, -1,
				 SQLITE_STATIC);
}

/* Worker @part of all. */
static int prepare(Worker *worker, const char *name, const char *const *params, guint part)
{
	g_autoptr(GBytes) sql = db_sql(name);
	gint64 count = 0;
	int result = count_rows(worker, &count);

	if (!result)
		result = sqlite3_prepare_v2(worker->handle, g_bytes_get_data(sql, NULL), -1,
					    &worker->stmt, NULL);
	for (; !result && params && *params; params += 2)
		result = bind_text(worker->stmt, params[0], params[1]);
	if (!result)
		result = bind(worker->stmt, ":first", count * part / SCAN_WORKERS + 1);
	return result ?: bind(worker->stmt, ":last", count * (part + 1) / SCAN_WORKERS);
}

static gpointer run(gpointer data)
{
	Worker *worker = data;
	int result = sqlite3_step(worker->stmt);

	/* One row, of the aggregate: what has more doesn't call scan(). */
	if (result == SQLITE_ROW)
		result = sqlite3_step(worker->stmt);
	return GINT_TO_POINTER(result == SQLITE_DONE ? SQLITE_OK : result);
}

static void close_worker(Worker *worker)
{
	sqlite3_finalize(worker->stmt);
	sqlite3_close_v2(worker->handle);
}

char *scanner_run(sqlite3 *of, const char *name, const char *const *params, ScanFunc func,
		  gpointer const workers[SCAN_WORKERS])
{
	Worker parts[SCAN_WORKERS] = { 0 };
	GThread *threads[SCAN_WORKERS] = { NULL };
	char *failure = NULL;

	for (guint i = 0; i < SCAN_WORKERS && !failure; i++) {
		parts[i].func = func;
		parts[i].data = workers[i];
		if (open_worker(&parts[i], of) || prepare(&parts[i], name, params, i))
			failure = g_strdup(sqlite3_errmsg(parts[i].handle));
	}
	for (guint i = 0; i < SCAN_WORKERS && !failure; i++)
		threads[i] = g_thread_new("scan", run, &parts[i]);
	for (guint i = 0; i < SCAN_WORKERS; i++) {
		if (threads[i] && GPOINTER_TO_INT(g_thread_join(threads[i])) && !failure)
			failure = g_strdup(sqlite3_errmsg(parts[i].handle));
	}
	for (guint i = 0; i < SCAN_WORKERS; i++)
		close_worker(&parts[i]);
	return failure;
}
