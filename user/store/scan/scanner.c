// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each worker has a connection of its own, and one statement that calls an aggregate function for
 * each row, which takes two thirds of the time of stepping through the rows. Most statements read
 * columns of all lifetimes: these columns are read from the pages of the table (leaves.h), and the
 * statement only reads rows with values other than integers.
 *
 * Connections are opened, and begin to read, before the threads start, and end after them. So only
 * one thread accesses data that the connections of a process share, such as locks on the file:
 * SQLite has no locks of its own in a process that has loaded a trace.
 */
#include "store/scan/scanner.h"

#include <string.h>

#include "base/units.h"
#include "store/scan/leaves.h"
#include "store/scan/restriction.h"
#include "store/schema/restrict.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

#define CPU_SHIFT 2                      /* of the column place */
#define IS_KEPT   "within_time AND kept" /* as a value: rows that are not kept are passed, too */
#define STOP_OPS  10000                  /* steps of SQLite between two checks */

typedef struct {
	sqlite3 *handle;
	sqlite3_stmt *stmt;
	ScanFunc func;
	gpointer data;
	Leaves leaves; /* root is 0: the statement reads all rows */

	/* Selects rows that are read from pages; NULL: all. */
	Restriction *restriction;
	gboolean within_time; /* by the interval, too */
	int mark;             /* index of the value IS_KEPT; below 0: only kept rows are passed */
	gint16 at[RESTRICTION_COLUMNS];    /* indexes of its columns in a row of @leaves */
	guint8 shift[RESTRICTION_COLUMNS]; /* right shifts of their values */
} ScanWorker;

static gint interrupted;

void scanner_interrupt(void)
{
	g_atomic_int_set(&interrupted, 1);
}

/* An sqlite3_progress_handler() function. */
static int check_interrupt(void *data)
{
	(void)data;
	return g_atomic_int_get(&interrupted);
}

/* Called by scan(…) for one row. */
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

static void end_rows(sqlite3_context *context)
{
	(void)context;
}

/* Opens a worker's connection. The lock of store_open() prevents changes of the file. */
static int open_worker(ScanWorker *worker, sqlite3 *of)
{
	int result = statements_open(sqlite3_db_filename(of, "main"), &worker->handle)
			     ?: restrict_as(worker->handle, of);

	if (result)
		return result;
	sqlite3_progress_handler(worker->handle, STOP_OPS, check_interrupt, NULL);
	sqlite3_db_config(worker->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	result = sqlite3_create_function_v2(worker->handle, "scan", -1,
					    SQLITE_UTF8 | SQLITE_DIRECTONLY, worker, NULL, take_row,
					    end_rows, NULL);
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

/* Binds an integer, or else a text that outlives the statement. */
static int bind_text(sqlite3_stmt *stmt, const char *name, const char *text)
{
	gint64 value;

	if (units_parse_integer(text, &value))
		return bind(stmt, name, value);
	return sqlite3_bind_text(stmt, sqlite3_bind_parameter_index(stmt, name), text, -1,
				 SQLITE_STATIC);
}

/* ---- the pages of the table ---- */

/* Returns the first column of the first row; 0: none. */
static gint64 query_number(sqlite3 *handle, const char *name, const char *text)
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

/*
 * Adds the column @name, shifted right by @shift unless it was added with another shift, to the
 * values of a row. Returns its index; below 0 if the table has no such column, or for too many.
 */
static int want(ScanWorker *worker, const char *name, guint shift)
{
	Leaves *leaves = &worker->leaves;
	int column = (int)query_number(worker->handle, "scan_column", name) - 1;

	if (column < 0 || column >= LEAVES_COLUMNS)
		return -1;
	if (leaves->wanted_as[column] >= 0)
		return column;
	if (leaves->count == SCAN_COLUMNS)
		return -1;
	leaves->wanted_as[column] = (gint16)leaves->count++;
	leaves->shift[column] = shift;
	leaves->columns = MAX(leaves->columns, (guint)column + 1);
	return column;
}

/*
 * Returns FALSE if one of @values, "name", "name >> 2" or IS_KEPT, is not a column of the table, or
 * is there twice.
 */
static gboolean want_values(ScanWorker *worker, char *const *values)
{
	memset(worker->leaves.wanted_as, -1, sizeof(worker->leaves.wanted_as));
	worker->mark = -1;
	for (guint i = 0; values[i]; i++) {
		g_auto(GStrv) parts = g_strsplit(values[i], " >> ", 2);
		int column;

		if (!strcmp(values[i], IS_KEPT) && i < SCAN_COLUMNS) {
			worker->mark = (int)worker->leaves.count++;
			continue;
		}
		column = want(worker, parts[0], parts[1] ? g_ascii_digit_value(*parts[1]) : 0);

		if (column < 0 || worker->leaves.wanted_as[column] != (gint16)i)
			return FALSE;
	}
	return TRUE;
}

/* Returns FALSE if only a statement can evaluate which rows are kept. */
static gboolean want_restriction(ScanWorker *worker)
{
	static const char *const names[] = { "origin", "time_ns", "place", "task", "lifetime_ns" };
	const guint8 *shift = worker->leaves.shift;

	worker->restriction = restriction_read(worker->handle);
	if (!worker->restriction)
		return FALSE;
	for (guint i = 0; i < RESTRICTION_COLUMNS; i++) {
		int column = want(worker, names[i], 0);

		if (column < 0)
			return FALSE;
		worker->at[i] = worker->leaves.wanted_as[column];
		worker->shift[i] =
			i == RESTRICTION_CPU ? CPU_SHIFT - MIN(shift[column], CPU_SHIFT) : 0;
	}
	return TRUE;
}

static void take_kept(gpointer data, const gint64 *values)
{
	const ScanWorker *worker = data;
	gint64 row[RESTRICTION_COLUMNS], marked[SCAN_COLUMNS];
	gboolean kept;

	for (guint i = 0; i < RESTRICTION_COLUMNS; i++)
		row[i] = values[worker->at[i]] >> worker->shift[i];
	kept = restriction_keeps(worker->restriction, row) &&
	       (!worker->within_time || restriction_is_within(worker->restriction, row));
	if (worker->mark < 0) {
		if (kept)
			worker->func(worker->data, values);
		return;
	}
	memcpy(marked, values, worker->leaves.count * sizeof(*values));
	marked[worker->mark] = kept;
	worker->func(worker->data, marked);
}

/* Returns FALSE if the rows of @table, in the statement, are not those of the file's table. */
static gboolean plan_table(ScanWorker *worker, const char *table, gboolean kept)
{
	gboolean judged = !strcmp(table, "temp.judged_lifetime"), marked = worker->mark >= 0;

	if (judged != (kept || marked))
		return FALSE;
	if (!strcmp(table, "main.lifetime"))
		return TRUE;
	worker->within_time = !kept;
	if (!strcmp(table, "lifetime") &&
	    !query_number(worker->handle, "scan_is_restricted", table))
		return TRUE;
	return want_restriction(worker);
}

/*
 * Plans to read pages, for a statement that reads columns of all rows of the connection, or of the
 * rows from the first one that was not freed.
 */
static void plan(ScanWorker *worker, const char *sql)
{
	static const char all[] =
		"^SELECT scan\\(([a-z_]+(?: >> \\d)?(?:, [a-z_]+(?: >> \\d| AND kept)?)*)\\)\\s+"
		"FROM ([a-z_.]+)\\s+WHERE rowid BETWEEN "
		"(:first|max\\(:first, \\(SELECT value FROM meta WHERE key = 'first_left'\\)\\)) "
		"AND :last( AND kept)?;$";
	g_autoptr(GRegex) regex = g_regex_new(all, G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *list = NULL, *table = NULL, *from = NULL, *kept = NULL;
	g_auto(GStrv) values = NULL;
	Leaves *leaves = &worker->leaves;
	gint64 first_left;

	if (!g_regex_match(regex, sql, 0, &match) || !leaves_can_read(worker->handle))
		return;
	list = g_match_info_fetch(match, 1);
	table = g_match_info_fetch(match, 2);
	from = g_match_info_fetch(match, 3);
	kept = g_match_info_fetch(match, 4);
	values = g_strsplit(list, ", ", -1);
	if (!want_values(worker, values) || !plan_table(worker, table, kept && *kept))
		return;
	if (*from != ':') {
		first_left = query_number(worker->handle, "scan_first_left", "first_left");
		if (!first_left)
			return;
		leaves->first = MAX(leaves->first, first_left);
	}
	leaves->root = query_number(worker->handle, "scan_root", "lifetime");
}

/* Prepares worker @part. */
static int prepare(ScanWorker *worker, const char *name, const char *const *params, guint part)
{
	g_autoptr(GBytes) sql = db_sql(name);
	gint64 count = 0;
	int result = count_rows(worker, &count);

	/* The last row may have the highest possible id. */
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
		result = sqlite3_step(worker->stmt); /* the rows of the aggregate */
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
	leaves->func = worker->restriction ? take_kept : worker->func;
	leaves->data = worker->restriction ? worker : worker->data;
	leaves->other = step_one;
	leaves->self = worker;
	return GINT_TO_POINTER(leaves_read(leaves));
}

static void close_worker(ScanWorker *worker)
{
	restriction_free(worker->restriction);
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
