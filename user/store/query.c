// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "store/store.h"
#include "store/writer.h"

struct StoreDb {
	sqlite3 *db;
	char *path;
};

struct StoreRows {
	StoreDb *db;		/* outlives the rows */
	sqlite3_stmt *stmt;
};

G_DEFINE_QUARK(kmemtrace-store-error, store_error)

/* ---- opening ---- */

static gboolean fail(StoreDb *db, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "%s: %s", db->path, sqlite3_errmsg(db->db));
	return FALSE;
}

/* The value of a pragma that is one integer; −1 on an error. */
static int read_pragma(StoreDb *db, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	int value = -1;

	if (sqlite3_prepare_v2(db->db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

static gboolean check_format(StoreDb *db, GError **error)
{
	int id = read_pragma(db, "PRAGMA application_id");
	int version = read_pragma(db, "PRAGMA user_version");

	if (id != STORE_APPLICATION_ID) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
			    "%s is neither a kmemtrace trace nor a database made from one", db->path);
		return FALSE;
	}
	if (version < 1 || version > STORE_VERSION) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
			    "%s is of version %d, this tool reads up to %d: load its trace again",
			    db->path, version, STORE_VERSION);
		return FALSE;
	}
	return TRUE;
}

/* Attaching another file, or calling out of SQL, is not what a look at a trace needs. */
static int authorize(void *data, int action, const char *first, const char *second, const char *db,
		     const char *trigger)
{
	(void)data, (void)second, (void)db, (void)trigger;
	if (action == SQLITE_ATTACH || action == SQLITE_DETACH)
		return SQLITE_DENY;
	if (action == SQLITE_FUNCTION && first && g_ascii_strcasecmp(first, "load_extension") == 0)
		return SQLITE_DENY;
	return SQLITE_OK;
}

StoreDb *store_open(const char *path, GError **error)
{
	g_autoptr(StoreDb) db = g_new0(StoreDb, 1);

	db->path = g_strdup(path);
	if (sqlite3_open_v2(path, &db->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		fail(db, error);
		return NULL;
	}
	if (!check_format(db, error))
		return NULL;
	sqlite3_set_authorizer(db->db, authorize, NULL);
	return g_steal_pointer(&db);
}

void store_close(StoreDb *db)
{
	if (!db)
		return;
	sqlite3_close_v2(db->db);
	g_free(db->path);
	g_free(db);
}

/* ---- statements ---- */

static gboolean is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n;")] == 0;
}

static gboolean check_statement(StoreDb *db, sqlite3_stmt *stmt, const char *rest, GError **error)
{
	if (!stmt || !is_blank(rest)) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "%s: exactly one SQL statement is expected",
			    db->path);
		return FALSE;
	}
	if (!sqlite3_stmt_readonly(stmt)) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_READ_ONLY,
			    "%s: a statement that changes the database is refused", db->path);
		return FALSE;
	}
	return TRUE;
}

static void bind_one(sqlite3_stmt *stmt, int index, const char *value)
{
	char *end;
	gint64 number;

	errno = 0;
	number = g_ascii_strtoll(value, &end, 10);
	if (end != value && !*end && !errno)
		sqlite3_bind_int64(stmt, index, number);
	else
		sqlite3_bind_text(stmt, index, value, -1, SQLITE_TRANSIENT);
}

static const char *find_param(const char *const *params, const char *name)
{
	for (; params && params[0] && params[1]; params += 2) {
		if (strcmp(params[0], name) == 0)
			return params[1];
	}
	return NULL;
}

static gboolean bind_all(StoreDb *db, sqlite3_stmt *stmt, const char *const *params, GError **error)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(stmt); i++) {
		const char *name = sqlite3_bind_parameter_name(stmt, i);
		const char *value = name ? find_param(params, name) : NULL;

		if (!value) {
			g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED,
				    "%s: parameter %s of the statement has no value", db->path,
				    name ? name : "?");
			return FALSE;
		}
		bind_one(stmt, i, value);
	}
	return TRUE;
}

StoreRows *store_query(StoreDb *db, const char *sql, const char *const *params, GError **error)
{
	sqlite3_stmt *stmt = NULL;
	const char *rest = "";
	StoreRows *rows;

	if (sqlite3_prepare_v2(db->db, sql, -1, &stmt, &rest) != SQLITE_OK) {
		fail(db, error);
		return NULL;
	}
	if (!check_statement(db, stmt, rest, error) || !bind_all(db, stmt, params, error)) {
		sqlite3_finalize(stmt);
		return NULL;
	}
	rows = g_new0(StoreRows, 1);
	rows->db = db;
	rows->stmt = stmt;
	return rows;
}

StoreRows *store_query_named(StoreDb *db, const char *name, const char *const *params, GError **error)
{
	g_autoptr(GBytes) sql = store_sql(name);

	if (!sql) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "there is no query '%s'", name);
		return NULL;
	}
	return store_query(db, g_bytes_get_data(sql, NULL), params, error);
}

void store_rows_free(StoreRows *rows)
{
	if (!rows)
		return;
	sqlite3_finalize(rows->stmt);
	g_free(rows);
}

/* ---- rows ---- */

gboolean store_rows_next(StoreRows *rows, GError **error)
{
	int ret = sqlite3_step(rows->stmt);

	if (ret == SQLITE_ROW)
		return TRUE;
	if (ret != SQLITE_DONE)
		fail(rows->db, error);
	return FALSE;
}

int store_rows_columns(StoreRows *rows)
{
	return sqlite3_column_count(rows->stmt);
}

const char *store_rows_name(StoreRows *rows, int column)
{
	return sqlite3_column_name(rows->stmt, column);
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

const char *store_rows_text(StoreRows *rows, int column)
{
	const char *text = (const char *)sqlite3_column_text(rows->stmt, column);

	return text ? text : "";
}
