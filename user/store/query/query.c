// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read-only statements on a database. The file is opened read-only, but SQLite then still allows
 * ATTACH and some PRAGMAs, which can create files. So an authorizer allows only what a SELECT
 * needs.
 */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/message.h"
#include "base/regular.h"
#include "base/units.h"
#include "store/query/query.h"
#include "store/query/watch.h"
#include "store/scan/table_function.h"
#include "store/schema/db.h"
#include "store/schema/descriptor.h"
#include "store/schema/filelock.h"
#include "store/schema/functions.h"
#include "store/schema/identity.h"
#include "store/schema/pages.h"
#include "store/schema/restrict.h"
#include "store/schema/unmerged.h"
#include "store/schema/untrusted.h"
#include "store/store.h"

struct StoreDb {
	sqlite3 *handle;
	char *path;
	int fd;          /* descriptor by which SQLite opens the file; -1: by name */
	FileState state; /* of the file, before it was read */
	Watch *watch;    /* of that file; NULL: none */
	const volatile sig_atomic_t *stop; /* NULL: statements are not interrupted */
	gboolean restricted;               /* see store_restrict() */
	gint64 from_ns, to_ns;
	struct Lines *lines; /* NULL: none; owned by a function of the connection */
	gboolean refused;    /* the authorizer rejected the statement that is being prepared */
	gboolean is_open;    /* store_open() has succeeded */
};

static char *changed; /* see store_changed(): the path of a closed database that changed */

struct StoreRows {
	StoreDb *db;
	sqlite3_stmt *stmt;
	GPtrArray *escaped; /* escaped texts of the current row; NULL: none */
	GError *error;      /* of store_rows_next(); NULL: none */
};

/* Only store_open() sets a state, and a descriptor. */
static gboolean is_changed(const StoreDb *db)
{
	return db->fd >= 0 && !filelock_is_unchanged(db->fd, &db->state);
}

static void set_changed_error(const StoreDb *db, GError **error)
{
	store_fail(error, STORE_CHANGED_FORMAT, db->path);
}

gboolean query_fail(const StoreDb *db, const char *failure, GError **error)
{
	if (is_changed(db))
		set_changed_error(db, error);
	else
		store_fail(error, "%s: %s", db->path, failure);
	return FALSE;
}

static void set_sql_error(const StoreDb *db, GError **error)
{
	const char *failure = sqlite3_errmsg(db->handle);
	gboolean is_unknown = g_str_has_prefix(failure, "no such column") ||
			      g_str_has_prefix(failure, "no such table");
	g_autofree char *hint = g_strconcat(
		failure, is_unknown ? " (query .schema shows all tables and columns)" : "", NULL);

	query_fail(db, hint, error);
}

/* ---- open ---- */

static gboolean is_reading_pragma(const char *name)
{
	static const char *const allowed[] = { "table_info", "table_xinfo",    "table_list",
					       "index_list", "application_id", "user_version",
					       NULL };

	return g_strv_contains(allowed, name);
}

/* An sqlite3_set_authorizer() function. */
static int authorize(void *data, int action, const char *first, const char *second,
		     const char *database, const char *trigger)
{
	StoreDb *db = data;

	(void)database;
	(void)trigger;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_READ:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		if (strcmp(second, "load_extension"))
			return SQLITE_OK;
		break;
	case SQLITE_PRAGMA:
		if (is_reading_pragma(first) && (!second || g_str_has_prefix(first, "table_") ||
						 g_str_has_prefix(first, "index_")))
			return SQLITE_OK;
		break;
	case SQLITE_UPDATE:
		/*
		 * SQLite asks this when it sets up a table function. A real access is rejected by
		 * prepare().
		 */
		if (!strcmp(first, "sqlite_master"))
			return SQLITE_OK;
		break;
	}
	db->refused = TRUE;
	return SQLITE_DENY;
}

static gboolean check_version(StoreDb *db, GError **error)
{
	g_autoptr(GBytes) sql = db_sql("version");
	sqlite3_stmt *stmt = NULL;
	gint64 version = 0;
	int result = sqlite3_prepare_v2(db->handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);

	if (!result && sqlite3_step(stmt) == SQLITE_ROW)
		version = sqlite3_column_int64(stmt, 0);
	if (sqlite3_finalize(stmt) || result) {
		set_sql_error(db, error);
		return FALSE;
	}
	if (version == DB_VERSION)
		return TRUE;
	g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
		    "%s has version %" G_GINT64_FORMAT
		    ", this program supports %d: load the trace again",
		    db->path, version, DB_VERSION);
	return FALSE;
}

/*
 * Restricts an untrusted database: the functions that its views and tables may call, and no
 * writing. Functions are added first, since one of them runs a statement.
 */
static void prepare_handle(StoreDb *db)
{
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0, NULL);
	if (functions_register(db->handle) || live_at_register(db->handle) ||
	    table_functions_register(db->handle))
		g_error("can't register functions in SQLite: %s", sqlite3_errmsg(db->handle));
	sqlite3_set_authorizer(db->handle, authorize, db);
}

StoreDb *query_adopt(sqlite3 *handle, const char *path)
{
	StoreDb *db = g_new0(StoreDb, 1);

	db->path = g_strdup(path);
	db->fd = -1;
	db->handle = handle;
	prepare_handle(db);
	return db;
}

gboolean query_extend(StoreDb *db, int (*extend)(sqlite3 *handle, gpointer data), gpointer data,
		      GError **error)
{
	int result;

	sqlite3_set_authorizer(db->handle, NULL, NULL);
	result = extend(db->handle, data);
	if (result)
		set_sql_error(db, error);
	sqlite3_set_authorizer(db->handle, authorize, db);
	return !result;
}

/* Opens and checks the file whose state was read. */
static gboolean open_file(StoreDb *db, GError **error)
{
	g_autofree char *file = NULL;

	if (!unmerged_check(db->fd, db->path, error) || !pages_check(db->fd, db->path, error))
		return FALSE;
	file = descriptor_path(db->fd);
	if (statements_open(file, &db->handle))
		return store_fail(error, "can't open %s: %s", db->path, sqlite3_errmsg(db->handle));
	db->watch = watch_begin(db->handle, db->fd, &db->state);
	if (!db->watch)
		return store_fail(error, "can't create a thread: %s", g_strerror(errno));
	prepare_handle(db);
	return check_version(db, error) && untrusted_check(db->handle, db->path, error);
}

StoreDb *store_open(const char *path, GError **error)
{
	g_autoptr(StoreDb) db = g_new0(StoreDb, 1);

	db->path = g_strdup(path);
	db->fd = regular_open(path, NULL); /* SQLite would block on a FIFO */
	if (db->fd < 0) {
		store_fail(error, "can't open %s: %s", path,
			   errno == EINVAL ? "it is not a regular file" : g_strerror(errno));
		return NULL;
	}
	if (!filelock_share(db->fd, path, error) ||
	    !filelock_state(db->fd, path, &db->state, error))
		return NULL;
	if (!open_file(db, error)) {
		if (is_changed(db)) {
			g_clear_error(error);
			set_changed_error(db, error);
		}
		return NULL;
	}
	db->is_open = TRUE;
	return g_steal_pointer(&db);
}

StoreDb *store_open_again(const StoreDb *db, GError **error)
{
	g_autoptr(StoreDb) again = g_new0(StoreDb, 1);

	again->path = g_strdup(db->path);
	again->state = db->state;
	again->fd = fcntl(db->fd, F_DUPFD_CLOEXEC, 0); /* the lock is that of both */
	if (again->fd < 0) {
		store_fail(error, "can't open %s again: %s", db->path, g_strerror(errno));
		return NULL;
	}
	return open_file(again, error) ? g_steal_pointer(&again) : NULL;
}

/* Sets the authorizer again after changes without it, which had @result. */
static gboolean finish_restrict(StoreDb *db, int result, GError **error)
{
	sqlite3_set_authorizer(db->handle, authorize, db);
	if (!result)
		return TRUE;
	set_sql_error(db, error);
	return FALSE;
}

gboolean store_restrict(StoreDb *db, const char *const *params, GError **error)
{
	db->restricted = TRUE;
	sqlite3_set_authorizer(db->handle, NULL, NULL);
	return finish_restrict(db, restrict_connection(db->handle, params), error);
}

gboolean store_is_restricted(const StoreDb *db)
{
	return db->restricted;
}

/*
 * Prints until when temporaries are inexact: the order of an allocation and a free at one time is
 * not in the database.
 */
static void say_inexact(StoreDb *db)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "ticks_until", NULL, NULL);
	g_autofree char *until = NULL;

	if (!store_rows_next(rows))
		return;
	until = units_format_time(store_rows_int(rows, 0));
	message("the clock went in steps until %s: temporary allocations of this selection are inexact until then",
		until);
}

gboolean store_restrict_temporaries(StoreDb *db, GError **error)
{
	gboolean by_origin = FALSE;
	int result;

	if (!db->restricted)
		return TRUE;
	sqlite3_set_authorizer(db->handle, NULL, NULL);
	result = restrict_temporaries(db->handle, &by_origin);
	if (!finish_restrict(db, result, error))
		return FALSE;
	if (!by_origin)
		say_inexact(db);
	return TRUE;
}

void query_set_lines(StoreDb *db, struct Lines *lines)
{
	db->lines = lines;
}

struct Lines *query_lines(const StoreDb *db)
{
	return db->lines;
}

sqlite3 *query_handle(const StoreDb *db)
{
	return db->handle;
}

void store_close(StoreDb *db)
{
	if (!db)
		return;
	watch_end(db->watch);
	sqlite3_close_v2(db->handle);
	if (db->is_open && !changed && is_changed(db))
		changed = g_strdup(db->path);
	if (db->fd >= 0)
		close(db->fd);
	g_free(db->path);
	g_free(db);
}

gboolean store_check_unchanged(const StoreDb *db, GError **error)
{
	if (!is_changed(db))
		return TRUE;
	set_changed_error(db, error);
	return FALSE;
}

const char *store_changed(void)
{
	return changed;
}

/* ---- preparing statements ---- */

/* Returns TRUE if @sql has only blanks, semicolons and comments. */
static gboolean is_rest_empty(StoreDb *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	const char *tail = sql;
	gboolean empty = TRUE;

	while (empty && *tail) {
		empty = !sqlite3_prepare_v2(db->handle, tail, -1, &stmt, &tail) && !stmt;
		sqlite3_finalize(stmt);
		stmt = NULL;
	}
	return empty;
}

/*
 * Prepares the first statement. *@stmt is NULL, without an error, if there is none; *@tail is the
 * rest.
 */
static gboolean prepare(StoreDb *db, const char *sql, sqlite3_stmt **stmt, const char **tail,
			GError **error)
{
	db->refused = FALSE;
	if (sqlite3_prepare_v2(db->handle, sql, -1, stmt, tail)) {
		if (db->refused)
			g_set_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY,
				    "%s: only read-only statements are allowed", db->path);
		else
			set_sql_error(db, error);
		return FALSE;
	}
	if (!*stmt || sqlite3_stmt_readonly(*stmt))
		return TRUE;
	g_set_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY,
		    "%s: only read-only statements are allowed", db->path);
	return FALSE;
}

static const char *find_param(const char *const *params, const char *name)
{
	for (; params && *params; params += 2) {
		if (name && !strcmp(params[0], name))
			return params[1];
	}
	return NULL;
}

static int bind_value(sqlite3_stmt *stmt, int index, const char *value)
{
	gint64 number;

	if (units_parse_integer(value, &number))
		return sqlite3_bind_int64(stmt, index, number);
	return sqlite3_bind_text(stmt, index, value, -1, SQLITE_TRANSIENT);
}

static gboolean bind_params(StoreRows *rows, const char *const *params, GError **error)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(rows->stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(rows->stmt, i);
		const char *value = find_param(params, name);

		if (!value)
			return store_fail(error, "the statement's parameter %s has no value",
					  name ? name : "?");
		if (bind_value(rows->stmt, i, value)) {
			set_sql_error(rows->db, error);
			return FALSE;
		}
	}
	return TRUE;
}

static gboolean is_single(StoreRows *rows, const char *tail, GError **error)
{
	if (rows->stmt && is_rest_empty(rows->db, tail))
		return TRUE;
	return store_fail(error, "%s",
			  rows->stmt ? "one statement at a time" : "there is no statement");
}

StoreRows *store_query(StoreDb *db, const char *sql, const char *const *params, GError **error)
{
	g_autoptr(StoreRows) rows = g_new0(StoreRows, 1);
	const char *tail;

	rows->db = db;
	if (!prepare(db, sql, &rows->stmt, &tail, error) || !is_single(rows, tail, error) ||
	    !bind_params(rows, params, error))
		return NULL;
	return g_steal_pointer(&rows);
}

StoreRows *store_query_first(StoreDb *db, const char **sql, GError **error)
{
	g_autoptr(StoreRows) rows = g_new0(StoreRows, 1);

	rows->db = db;
	while (**sql && !rows->stmt) { /* a comment or a semicolon alone */
		if (!prepare(db, *sql, &rows->stmt, sql, error))
			return NULL;
	}
	if (!rows->stmt || !bind_params(rows, NULL, error))
		return NULL;
	return g_steal_pointer(&rows);
}

gboolean store_is_complete(const char *sql)
{
	return sqlite3_complete(sql);
}

/* ---- interrupting statements ---- */

#define STOP_OPS 10000 /* SQLite's steps between two checks: under a millisecond */

/* An sqlite3_progress_handler() function. */
static int check_stop(void *data)
{
	StoreDb *db = data;

	if (*db->stop)
		sqlite3_interrupt(db->handle);
	return *db->stop;
}

void store_stop_when(StoreDb *db, const volatile sig_atomic_t *stop)
{
	db->stop = stop;
	sqlite3_progress_handler(db->handle, STOP_OPS, stop ? check_stop : NULL, db);
}

StoreRows *store_query_named(StoreDb *db, const char *name, const char *const *params,
			     GError **error)
{
	g_autoptr(GBytes) sql = db_sql(name);

	if (sql)
		return store_query(db, g_bytes_get_data(sql, NULL), params, error);
	store_fail(error, "there is no query named %s", name);
	return NULL;
}

StoreRows *store_query_ordered(StoreDb *db, const char *name, const char *order,
			       const char *const *params, GError **error)
{
	g_autoptr(GBytes) sql = db_sql(name);
	g_autoptr(GString) text = g_string_new(g_bytes_get_data(sql, NULL));

	g_string_replace(text, "{order}", order, 1);
	return store_query(db, text->str, params, error);
}

StoreRows *store_query_row(StoreDb *db, const char *name, const char *const *params, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, name, params, error);

	if (store_rows_next(rows))
		return g_steal_pointer(&rows);
	if (store_rows_done(rows, error))
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
			    "%s lacks data for '%s': load the trace again", db->path, name);
	return NULL;
}

void store_rows_free(StoreRows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->stmt);
	g_clear_pointer(&rows->escaped, g_ptr_array_unref);
	g_clear_error(&rows->error);
	g_free(rows);
}

/* ---- rows ---- */

gboolean store_rows_next(StoreRows *rows)
{
	if (!rows || rows->error)
		return FALSE;
	g_clear_pointer(&rows->escaped, g_ptr_array_unref);
	switch (sqlite3_step(rows->stmt)) {
	case SQLITE_ROW:
		return TRUE;
	case SQLITE_DONE:
		return FALSE;
	default:
		set_sql_error(rows->db, &rows->error);
		return FALSE;
	}
}

gboolean store_rows_done(const StoreRows *rows, GError **error)
{
	if (rows && rows->error)
		g_propagate_error(error, g_error_copy(rows->error));
	return rows && !rows->error;
}

gboolean store_each(StoreDb *db, const char *name, const char *const *params, StoreTakeRow take,
		    gpointer data, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, name, params, error);

	while (store_rows_next(rows))
		take(rows, data);
	return store_rows_done(rows, error);
}

int store_rows_columns(StoreRows *rows)
{
	return sqlite3_column_count(rows->stmt);
}

const char *store_rows_name(StoreRows *rows, int column)
{
	return sqlite3_column_name(rows->stmt, column);
}

gboolean store_rows_is_optional(StoreRows *rows, int column)
{
	return g_strcmp0(sqlite3_column_decltype(rows->stmt, column), "OPTIONAL") == 0;
}

StoreType store_rows_type(StoreRows *rows, int column)
{
	switch (sqlite3_column_type(rows->stmt, column)) {
	case SQLITE_INTEGER:
		return STORE_INTEGER;
	case SQLITE_FLOAT:
		return STORE_REAL;
	case SQLITE_TEXT:
		return STORE_TEXT;
	case SQLITE_BLOB:
		return STORE_BLOB;
	default:
		return STORE_NULL;
	}
}

gint64 store_rows_int(StoreRows *rows, int column)
{
	return sqlite3_column_int64(rows->stmt, column);
}

double store_rows_double(StoreRows *rows, int column)
{
	return sqlite3_column_double(rows->stmt, column);
}

const char *store_rows_raw(StoreRows *rows, int column)
{
	const char *text = (const char *)sqlite3_column_text(rows->stmt, column);

	return text ? text : "";
}

const char *store_rows_text(StoreRows *rows, int column)
{
	const char *raw = store_rows_raw(rows, column);
	char *text;

	if (escape_is_plain(raw))
		return raw;
	if (!rows->escaped)
		rows->escaped = g_ptr_array_new_with_free_func(g_free);
	text = escape_text(raw);
	g_ptr_array_add(rows->escaped, text);
	return text;
}

/* ---- the trace of a database ---- */

int store_stat(const StoreDb *db, struct stat *st)
{
	return fstat(db->fd, st);
}

gboolean store_is_of(StoreDb *db, const char *kmt_path)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "trace_id", NULL, NULL);
	g_autofree char *identity = identity_of_trace(kmt_path);

	return identity && store_rows_next(rows) && strcmp(store_rows_raw(rows, 0), identity) == 0;
}
