// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each worker has a connection of its own, and one statement that calls an aggregate function for
 * each row: that costs two thirds of what it costs to take the rows one by one. Most statements ask
 * for columns of all lifetimes: those are read from the pages of the table (leaves.h), and the
 * statement only reads rows that have something else than integers.
 *
 * Connections are opened, and begin to read, before the threads do, and end after them. What
 * connections of one process share, as locks on the file, is then touched by one thread alone:
 * SQLite has no locks of its own in a process that has loaded a trace before.
 */
#include "store/scan/scanner.h"

#include <string.h>

#include "base/units.h"
#include "store/scan/leaves.h"
#include "store/schema/restrict.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

#define DIGITS "0123456789"

typedef struct {
	sqlite3 *handle;
	sqlite3_stmt *stmt;
	ScanFunc func;
	gpointer data;
	Leaves leaves; /* root is 0: the statement reads all rows */
} ScanWorker;

/* scan(…) of one row. */
static void take_row(sqlite3_context *context, int count, sqlite3_value **values)
{
	const ScanWorker *worker = sqlite3_user_data(context);
	gint64 row[SCAN_COLUMNS];

	for (int i = 0; i < MIN(count, SCAN_COLUMNS); i++) {
		row[i] = sqlite3_value_int64(values[i]);
		if (!row[i] && sqlite3_value_type(values[i]) == SQLITE_NULL)
			row[i] = SCAN_NULL;
	}
	worker->func(worker->data, row);
}

/* A set of numbers, as bits. */
typedef struct {
	guint64 count; /* of bits */
	guint8 *bits;
} Numbers;

static void numbers_free(gpointer data)
{
	Numbers *numbers = data;

	g_free(numbers->bits);
	g_free(numbers);
}

/* Of a text like "[1,2]". */
static Numbers *numbers_new(const char *text)
{
	Numbers *numbers = g_new0(Numbers, 1);
	guint64 highest = 0;
	char *end;

	for (guint round = 0; round < 2; round++) {
		for (const char *at = text + strcspn(text, DIGITS); *at;
		     at = end + strcspn(end, DIGITS)) {
			guint64 number = g_ascii_strtoull(at, &end, 10);

			if (round && number <= highest)
				numbers->bits[number / 8] |= 1 << number % 8;
			highest = MAX(highest, MIN(number, G_MAXUINT32));
		}
		if (!round)
			numbers->bits = g_new0(guint8, highest / 8 + 1);
	}
	numbers->count = highest + 1;
	return numbers;
}

/*
 * is_in(list, number) of a statement's constant list, "[1,2]": many times faster than IN with the
 * rows of json_each().
 */
static void is_in(sqlite3_context *context, int count, sqlite3_value **values)
{
	Numbers *numbers = sqlite3_get_auxdata(context, 0);
	gint64 number = sqlite3_value_int64(values[1]);

	(void)count;
	if (!numbers) {
		numbers = numbers_new((const char *)sqlite3_value_text(values[0]) ?: "");
		sqlite3_set_auxdata(context, 0, numbers, numbers_free);
		numbers = sqlite3_get_auxdata(context, 0);
	}
	if (!numbers) {
		sqlite3_result_error_nomem(context);
		return;
	}
	sqlite3_result_int(context, number >= 0 && (guint64)number < numbers->count &&
					    numbers->bits[number / 8] >> number % 8 & 1);
}

static void end_rows(sqlite3_context *context)
{
	(void)context;
}

/* Begins to read: the file stays as it is until the connection is closed. */
static int open_worker(ScanWorker *worker, sqlite3 *of)
{
	int result = statements_open(sqlite3_db_filename(of, "main"), &worker->handle)
			     ?: restrict_as(worker->handle, of);

	if (result)
		return result;
	sqlite3_db_config(worker->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	result = sqlite3_create_function_v2(worker->handle, "scan", -1,
					    SQLITE_UTF8 | SQLITE_DIRECTONLY, worker, NULL, take_row,
					    end_rows, NULL)
			 ?: sqlite3_create_function_v2(worker->handle, "is_in", 2,
						       SQLITE_UTF8 | SQLITE_DETERMINISTIC |
							       SQLITE_DIRECTONLY,
						       NULL, is_in, NULL, NULL, NULL);
	return result ?: sqlite3_exec(worker->handle, "BEGIN", NULL, NULL, NULL);
}

static int count_rows(ScanWorker *worker, gint64 *count)
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

	if (units_parse_integer(text, &value))
		return bind(stmt, name, value);
	return sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, name), text, -1,
				 SQLITE_STATIC);
}

/* ---- the pages of the table ---- */

/* The first column of the first row; 0: there is none. */
static gint64 ask(sqlite3 *handle, const char *name, const char *text)
{
	g_autoptr(GBytes) sql = db_sql(name);
	sqlite3_stmt *stmt = NULL;
	gint64 value = 0;

	if (!sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL) &&
	    !sqlite3_bind_text(stmt, 1, text, -1, SQLITE_STATIC) &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* FALSE: one of @values, "name" or "name >> shift", is no column of the table, or is wanted twice. */
static gboolean find_columns(Leaves *leaves, sqlite3 *handle, char *const *values)
{
	memset(leaves->wanted_as, -1, sizeof(leaves->wanted_as));
	for (guint i = 0; values[i]; i++) {
		g_auto(GStrv) parts = g_strsplit(values[i], " >> ", 2);
		gint64 column = ask(handle, "scan_column", parts[0]);

		if (column < 1 || column > LEAVES_COLUMNS || i == SCAN_COLUMNS ||
		    leaves->wanted_as[column - 1] >= 0)
			return FALSE;
		leaves->wanted_as[column - 1] = (gint16)i;
		leaves->shift[column - 1] = parts[1] ? g_ascii_digit_value(*parts[1]) : 0;
		leaves->columns = MAX(leaves->columns, (guint)column);
	}
	return TRUE;
}

/*
 * From a statement that asks for columns of all rows, or of those from the first one that was not
 * freed, of a connection that is not restricted, or of the file's own table.
 */
static void plan(ScanWorker *worker, const char *sql)
{
	static const char all[] =
		"^SELECT scan\\(([a-z_]+(?: >> \\d)?(?:, [a-z_]+(?: >> \\d)?)*)\\)\\s+"
		"FROM (main\\.)?lifetime\\s+WHERE rowid BETWEEN "
		"(:first|max\\(:first, \\(SELECT value FROM meta WHERE key = 'first_left'\\)\\)) AND :last;$";
	g_autoptr(GRegex) regex = g_regex_new(all, G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *list = NULL, *schema = NULL, *from = NULL;
	g_auto(GStrv) values = NULL;
	Leaves *leaves = &worker->leaves;
	gint64 first_left;

	if (!g_regex_match(regex, sql, 0, &match) || !leaves_can_read(worker->handle))
		return;
	list = g_match_info_fetch(match, 1);
	schema = g_match_info_fetch(match, 2);
	from = g_match_info_fetch(match, 3);
	values = g_strsplit(list, ", ", -1);
	if ((!*schema && ask(worker->handle, "scan_is_restricted", "lifetime")) ||
	    !find_columns(leaves, worker->handle, values))
		return;
	if (*from != ':') {
		first_left = ask(worker->handle, "scan_first_left", "first_left");
		if (!first_left)
			return;
		leaves->first = MAX(leaves->first, first_left);
	}
	leaves->root = ask(worker->handle, "scan_root", "lifetime");
}

/* Worker @part of all. */
static int prepare(ScanWorker *worker, const char *name, const char *const *params, guint part)
{
	g_autoptr(GBytes) sql = db_sql(name);
	gint64 count = 0;
	int result = count_rows(worker, &count);

	/* The last row may have the highest id there is. */
	worker->leaves.first = count / SCAN_WORKERS * part + 1;
	worker->leaves.last = part + 1 == SCAN_WORKERS ? count : count / SCAN_WORKERS * (part + 1);
	if (!result)
		result = sqlite3_prepare_v2(worker->handle, g_bytes_get_data(sql, NULL), -1,
					    &worker->stmt, NULL);
	for (; !result && params && *params; params += 2)
		result = bind_text(worker->stmt, params[0], params[1]);
	if (!result)
		plan(worker, g_bytes_get_data(sql, NULL));
	return result;
}

static int step(ScanWorker *worker, gint64 first, gint64 last)
{
	int result = bind(worker->stmt, ":first", first) ?: bind(worker->stmt, ":last", last);

	if (result)
		return result;
	do
		result = sqlite3_step(worker->stmt); /* rows of the aggregates */
	while (result == SQLITE_ROW);
	sqlite3_reset(worker->stmt);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int step_one(gpointer data, gint64 id)
{
	return step(data, id, id);
}

static gpointer run(gpointer data)
{
	ScanWorker *worker = data;
	Leaves *leaves = &worker->leaves;

	if (!leaves->root)
		return GINT_TO_POINTER(step(worker, leaves->first, leaves->last));
	leaves->handle = worker->handle;
	leaves->func = worker->func;
	leaves->data = worker->data;
	leaves->other = step_one;
	leaves->self = worker;
	return GINT_TO_POINTER(leaves_read(leaves));
}

static void close_worker(ScanWorker *worker)
{
	sqlite3_finalize(worker->stmt);
	sqlite3_close_v2(worker->handle);
}

char *scanner_run(sqlite3 *of, const char *name, const char *const *params, ScanFunc func,
		  gpointer const workers[SCAN_WORKERS])
{
	ScanWorker parts[SCAN_WORKERS] = { 0 };
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
		int result = threads[i] ? GPOINTER_TO_INT(g_thread_join(threads[i])) : SQLITE_OK;

		if (result && !failure)
			failure = g_strdup(result == sqlite3_errcode(parts[i].handle)
						   ? sqlite3_errmsg(parts[i].handle)
						   : sqlite3_errstr(result));
	}
	for (guint i = 0; i < SCAN_WORKERS; i++)
		close_worker(&parts[i]);
	return failure;
}
