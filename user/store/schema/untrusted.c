// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our statements name tables and views of the database. A view in place of a table, or an altered
 * view, would run statements of the file's author. So an empty database is created in memory, and
 * the two schemas are compared object by object.
 */
#include "store/schema/untrusted.h"

#include <sqlite3.h>
#include <string.h>

#include "base/escape.h"
#include "store/schema/db.h"
#include "store/store.h"

/* Columns of schema_objects.sql. */
enum { TYPE, NAME, TABLE, SQL, COLUMNS };

static sqlite3_stmt *prepare(sqlite3 *handle, const char *name)
{
	g_autoptr(GBytes) sql = db_sql(name);
	sqlite3_stmt *stmt = NULL;

	sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);
	return stmt;
}

static gboolean untrusted_fail(sqlite3 *handle, const char *path, GError **error)
{
	return store_fail(error, "%s: %s", path, sqlite3_errmsg(handle));
}

/* ---- objects of the schema ---- */

/* Returns GStrvs, ordered by name, or NULL with an error. */
static GPtrArray *read_objects(sqlite3 *handle, const char *path, GError **error)
{
	g_autoptr(GPtrArray) objects = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
	sqlite3_stmt *stmt = prepare(handle, "schema_objects");
	int result = SQLITE_ERROR;

	while (stmt && (result = sqlite3_step(stmt)) == SQLITE_ROW) {
		char **object = g_new0(char *, COLUMNS + 1);

		for (int i = 0; i < COLUMNS; i++) {
			const char *text = (const char *)sqlite3_column_text(stmt, i);

			object[i] = g_strdup(text ? text : "");
		}
		g_ptr_array_add(objects, object);
	}
	if (result != SQLITE_DONE)
		untrusted_fail(handle, path, error);
	sqlite3_finalize(stmt);
	return result == SQLITE_DONE ? g_steal_pointer(&objects) : NULL;
}

/* Returns the schema that load creates, kept for the next call, or NULL with an error. */
static const GPtrArray *made_objects(GError **error)
{
	static GPtrArray *objects;
	g_autoptr(Db) db = NULL;
	sqlite3 *handle;

	if (objects)
		return objects;
	db = db_create(":memory:", -1, error);
	if (!db || !db_finish(db, error))
		return NULL;
	handle = db_release(g_steal_pointer(&db));
	objects = read_objects(handle, "memory", error);
	sqlite3_close(handle);
	return objects;
}

static gboolean refuse(const char *path, const GStrv object, const char *what, GError **error)
{
	g_autofree char *name = escape_text(object[NAME]);

	g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT, "%s: the %s '%s' %s", path,
		    object[TYPE], name, what);
	return FALSE;
}

static gboolean check_schema(sqlite3 *handle, const char *path, GError **error)
{
	const GPtrArray *made = made_objects(error);
	g_autoptr(GPtrArray) found = made ? read_objects(handle, path, error) : NULL;

	for (guint i = 0; found && i < MAX(made->len, found->len); i++) {
		const GStrv one = i < made->len ? made->pdata[i] : NULL;
		const GStrv other = i < found->len ? found->pdata[i] : NULL;
		int order = !one ? 1 : !other ? -1 : strcmp(one[NAME], other[NAME]);

		if (order < 0)
			return refuse(path, one, "is missing: load the trace again", error);
		if (order > 0)
			return refuse(
				path, other,
				"is not part of a kmemtrace database: drop it, or load the trace again",
				error);
		if (!g_strv_equal((const char *const *)one, (const char *const *)other))
			return refuse(path, one,
				      "differs from what load creates: load the trace again",
				      error);
	}
	return found != NULL;
}

/* ---- rows ---- */

/*
 * Checks that ids start at 1 and have no gaps: a damaged B-tree may lead to the same rows again and
 * again, with plausible count and highest id.
 */
static gboolean check_ids(sqlite3 *handle, const char *path, GError **error)
{
	sqlite3_stmt *stmt = prepare(handle, "untrusted_ids");
	int result = stmt ? sqlite3_step(stmt) : SQLITE_ERROR;
	char table[16] = "";
	gint64 id = 0;

	for (; result == SQLITE_ROW; result = sqlite3_step(stmt)) {
		const char *name = (const char *)sqlite3_column_text(stmt, 0);

		if (strcmp(name, table) != 0) {
			g_strlcpy(table, name, sizeof(table));
			id = 0;
		}
		if (sqlite3_column_int64(stmt, 1) == ++id)
			continue;
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
			    "%s: table '%s': ids have gaps: load the trace again", path, table);
		break;
	}
	if (result != SQLITE_ROW && result != SQLITE_DONE)
		untrusted_fail(handle, path, error);
	sqlite3_finalize(stmt);
	return result == SQLITE_DONE;
}

static gboolean check_rows(sqlite3 *handle, const char *path, GError **error)
{
	sqlite3_stmt *stmt = prepare(handle, "untrusted_rows");
	int result = stmt ? sqlite3_step(stmt) : SQLITE_ERROR;

	if (result == SQLITE_ROW)
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT, "%s: %s: load the trace again",
			    path, (const char *)sqlite3_column_text(stmt, 0));
	else if (result != SQLITE_DONE)
		untrusted_fail(handle, path, error);
	sqlite3_finalize(stmt);
	return result == SQLITE_DONE;
}

gboolean untrusted_check(sqlite3 *handle, const char *path, GError **error)
{
	return check_schema(handle, path, error) && check_ids(handle, path, error) &&
	       check_rows(handle, path, error);
}
