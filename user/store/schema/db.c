// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/db.h"

#include <gio/gio.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>

#include "store/schema/descriptor.h"
#include "store/schema/functions.h"
#include "store/store.h"

struct Db {
	sqlite3 *handle;
	char *shown;
	int fd;                   /* below 0: in memory */
	char *failure;            /* the first one; NULL: none */
	GPtrArray *inserts;       /* of Insert, finalised before the handle closes */
	guint64 texts, texts_max; /* bytes */
};

struct Insert {
	Db *db;
	char *sql;
	sqlite3_stmt *stmt; /* NULL if it could not be prepared: see the failure */
};

static void db_fail(Db *db)
{
	if (!db->failure)
		db->failure = g_strdup(sqlite3_errmsg(db->handle));
}

static gboolean report_failure(const Db *db, GError **error)
{
	if (!db->failure)
		return TRUE;
	return store_fail(error, "can't write %s: %s", db->shown, db->failure);
}

/* Called by sqlite3_exec() for each row; not 0 ends it. */
typedef int (*RowFunc)(void *data, int columns, char **values, char **names);

static void run_text(Db *db, const char *sql, RowFunc row)
{
	if (!db->failure && sqlite3_exec(db->handle, sql, row, db, NULL))
		db_fail(db);
}

static void run_named(Db *db, const char *name)
{
	g_autoptr(GBytes) sql = db_sql(name);

	run_text(db, g_bytes_get_data(sql, NULL), NULL);
}

/* Runs a statement that has the identity of the database in braces. */
static void run_identified(Db *db, const char *name, RowFunc row)
{
	g_autoptr(GBytes) sql = db_sql(name);
	g_autoptr(GString) text = g_string_new(g_bytes_get_data(sql, NULL));
	g_autofree char *id = g_strdup_printf("%d", DB_APPLICATION_ID);
	g_autofree char *version = g_strdup_printf("%d", DB_VERSION);

	g_string_replace(text, "{application_id}", id, 0);
	g_string_replace(text, "{user_version}", version, 0);
	run_text(db, text->str, row);
}

/* Reports a pragma that had no effect: SQLite ignores it silently. */
static int refuse_pragma(void *data, int columns, char **values, char **names)
{
	Db *db = data;

	(void)columns;
	(void)names;
	if (!db->failure)
		db->failure = g_strdup_printf("%s stays %s", values[0], values[1]);
	return 0;
}

static void free_insert(gpointer data)
{
	Insert *insert = data;

	sqlite3_finalize(insert->stmt);
	g_free(insert->sql);
	g_free(insert);
}

/*
 * Disables SQLite's locks and memory accounting, which take a quarter of the time of an insert:
 * only one thread at a time uses SQLite. SQLite refuses this if it was used before in this process,
 * which does no harm.
 */
static void leave_out_locks(void)
{
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/* ---- the file ---- */

/*
 * Opens the file by its descriptor, even when it is opened again: by its name, SQLite would open,
 * create and remove journals beside it, which other users may have put there.
 */
static void open_file(Db *db)
{
	g_autofree char *path = db->fd < 0 ? g_strdup(":memory:") : descriptor_path(db->fd);

	if (sqlite3_open_v2(path, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    db->fd < 0 ? NULL : DESCRIPTOR_VFS))
		db_fail(db);
	run_identified(db, "begin", NULL);
	run_identified(db, "begin_check", refuse_pragma);
}

Db *db_create(const char *shown, int fd, GError **error)
{
	g_autoptr(Db) db = g_new0(Db, 1);

	leave_out_locks();
	db->shown = g_strdup(shown);
	db->inserts = g_ptr_array_new_with_free_func(free_insert);
	db->fd = fd;
	db->texts_max = G_MAXUINT64;
	open_file(db);
	run_named(db, "schema");
	return report_failure(db, error) ? g_steal_pointer(&db) : NULL;
}

sqlite3 *db_release(Db *db)
{
	sqlite3 *handle = g_steal_pointer(&db->handle);

	db_free(db);
	return handle;
}

void db_limit_texts(Db *db, guint64 bytes)
{
	db->texts_max = bytes;
}

guint64 db_texts_left(const Db *db)
{
	return db->texts_max - MIN(db->texts, db->texts_max);
}

void db_free(Db *db)
{
	if (!db)
		return;
	g_ptr_array_unref(db->inserts);
	sqlite3_close(db->handle);
	g_free(db->failure);
	g_free(db->shown);
	g_free(db);
}

/* Returns the conflict clause for a second row with the same key; by default it is an error. */
static const char *on_conflict(const char *table)
{
	static const struct {
		const char *table, *words;
	} conflicts[] = {
		{ "cache_alias", "OR IGNORE" }, { "event_group", "OR REPLACE" },
		{ "filter", "OR REPLACE" },     { "meta", "OR IGNORE" },
		{ "migratetype", "OR IGNORE" }, { "path", "OR REPLACE" },
	};

	for (guint i = 0; i < G_N_ELEMENTS(conflicts); i++) {
		if (!strcmp(conflicts[i].table, table))
			return conflicts[i].words;
	}
	return "";
}

static int count_columns(Db *db, const char *table)
{
	g_autofree char *sql = g_strdup_printf("SELECT * FROM %s", table);
	sqlite3_stmt *stmt = NULL;
	int count;

	if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL))
		db_fail(db);
	count = sqlite3_column_count(stmt);
	sqlite3_finalize(stmt);
	return count;
}

/* Prepares an insert. Also a g_ptr_array_foreach() function. */
static void prepare(gpointer data, gpointer unused)
{
	Insert *insert = data;

	(void)unused;
	if (sqlite3_prepare_v3(insert->db->handle, insert->sql, -1, SQLITE_PREPARE_PERSISTENT,
			       &insert->stmt, NULL))
		db_fail(insert->db);
}

static void unprepare(gpointer data, gpointer unused)
{
	(void)unused;
	g_clear_pointer(&((Insert *)data)->stmt, sqlite3_finalize);
}

Insert *db_insert(Db *db, const char *table)
{
	g_autoptr(GString) sql = g_string_new(NULL);
	Insert *insert = g_new0(Insert, 1);
	int columns = count_columns(db, table);

	g_string_printf(sql, "INSERT %s INTO %s VALUES (", on_conflict(table), table);
	for (int i = 0; i < columns; i++)
		g_string_append(sql, i ? ", ?" : "?");
	g_string_append_c(sql, ')');
	insert->db = db;
	insert->sql = g_strdup(sql->str);
	prepare(insert, NULL);
	g_ptr_array_add(db->inserts, insert);
	return insert;
}

static void bind_int(Insert *insert, int column, gint64 value)
{
	if (value == DB_NULL)
		sqlite3_bind_null(insert->stmt, column);
	else
		sqlite3_bind_int64(insert->stmt, column, value);
}

static void count_text(Db *db, const char *text)
{
	db->texts += strlen(text);
	if (db->texts <= db->texts_max || db->failure)
		return;
	db->failure = g_strdup_printf("its names need more than %" G_GUINT64_FORMAT
				      " MiB, much more than the trace: it is damaged or hostile",
				      db->texts_max >> 20);
}

static void bind_text(Insert *insert, int column, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	if (valid)
		count_text(insert->db, valid);
	if (sqlite3_bind_text(insert->stmt, column, valid, -1, SQLITE_TRANSIENT))
		db_fail(insert->db);
}

static void bind_bits(Insert *insert, int column, guint64 value)
{
	if (sqlite3_bind_int64(insert->stmt, column, (gint64)value))
		db_fail(insert->db);
}

static void step(Insert *insert)
{
	if (sqlite3_step(insert->stmt) != SQLITE_DONE)
		db_fail(insert->db);
	sqlite3_reset(insert->stmt);
}

void insert_ints(Insert *insert, const gint64 *values, guint count)
{
	if (insert->db->failure)
		return;
	for (guint i = 0; i < count; i++)
		bind_int(insert, i + 1, values[i]);
	step(insert);
}

void insert_row(Insert *insert, const char *types, ...)
{
	va_list args;

	if (insert->db->failure)
		return;
	va_start(args, types);
	for (int i = 0; types[i]; i++) {
		if (types[i] == 'i')
			bind_int(insert, i + 1, va_arg(args, gint64));
		else if (types[i] == 'u')
			bind_bits(insert, i + 1, va_arg(args, guint64));
		else
			bind_text(insert, i + 1, va_arg(args, const char *));
	}
	va_end(args);
	step(insert);
}

/* ---- lending the file ---- */

static guint32 find_root(Db *db, const char *table)
{
	sqlite3_stmt *stmt = NULL;
	guint32 root = 0;

	if (sqlite3_prepare_v2(db->handle, "SELECT rootpage FROM sqlite_schema WHERE name = ?", -1,
			       &stmt, NULL) ||
	    sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC) ||
	    sqlite3_step(stmt) != SQLITE_ROW)
		db_fail(db);
	else
		root = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return root;
}

guint32 db_lend_file(Db *db, const char *table)
{
	guint32 root = find_root(db, table);

	run_text(db, "COMMIT", NULL);
	g_ptr_array_foreach(db->inserts, unprepare, NULL);
	sqlite3_close(g_steal_pointer(&db->handle));
	return root;
}

void db_take_back(Db *db, int error)
{
	if (error && !db->failure)
		db->failure = g_strdup(g_strerror(error));
	open_file(db);
	g_ptr_array_foreach(db->inserts, prepare, NULL);
}

#define STOP_OPS 10000

void db_stop_when(Db *db, int (*func)(void *data), void *data)
{
	sqlite3_progress_handler(db->handle, STOP_OPS, func, data);
}

gboolean db_finish(Db *db, GError **error)
{
	g_autofree char *views = db_views_sql(FALSE);

	if (functions_register(db->handle))
		db_fail(db);
	run_text(db, views, NULL);
	run_named(db, "finish");
	return report_failure(db, error);
}
