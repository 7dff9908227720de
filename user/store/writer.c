// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/writer.h"

#include <gio/gio.h>
#include <sqlite3.h>
#include <stdarg.h>

#include "store-resource.h"

static const char *const insert_names[STORE_INSERTS] = {
	[STORE_INSERT_ALLOC] = "insert_alloc",
	[STORE_INSERT_BUDDYINFO] = "insert_buddyinfo",
	[STORE_INSERT_CACHE] = "insert_cache",
	[STORE_INSERT_CPU] = "insert_cpu",
	[STORE_INSERT_EVENT_COUNT] = "insert_event_count",
	[STORE_INSERT_EVENT_NAME] = "insert_event_name",
	[STORE_INSERT_FAILED] = "insert_failed",
	[STORE_INSERT_FRAME] = "insert_frame",
	[STORE_INSERT_GFP_NAME] = "insert_gfp_name",
	[STORE_INSERT_LOSS] = "insert_loss",
	[STORE_INSERT_LOSS_WINDOW] = "insert_loss_window",
	[STORE_INSERT_MEMINFO] = "insert_meminfo",
	[STORE_INSERT_META] = "insert_meta",
	[STORE_INSERT_MIGRATETYPE_NAME] = "insert_migratetype_name",
	[STORE_INSERT_ORIGIN] = "insert_origin",
	[STORE_INSERT_RELEASE] = "insert_release",
	[STORE_INSERT_SLABINFO] = "insert_slabinfo",
	[STORE_INSERT_STACK] = "insert_stack",
	[STORE_INSERT_SYMBOL] = "insert_symbol",
	[STORE_INSERT_TASK] = "insert_task",
	[STORE_INSERT_UNMATCHED] = "insert_unmatched",
	[STORE_INSERT_VMSTAT] = "insert_vmstat",
};

struct StoreWriter {
	sqlite3 *db;
	char *path;
	sqlite3_stmt *inserts[STORE_INSERTS];
	char *failure;		/* the first error; NULL: none */
};

GBytes *store_sql(const char *name)
{
	g_autofree char *path = g_strdup_printf("/kmemtrace/sql/%s.sql", name);

	return g_resource_lookup_data(kmt_store_get_resource(), path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
}

static gboolean fail(StoreWriter *writer, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "can't write %s: %s", writer->path,
		    writer->failure ? writer->failure : sqlite3_errmsg(writer->db));
	return FALSE;
}

static void note_failure(StoreWriter *writer)
{
	if (!writer->failure)
		writer->failure = g_strdup(sqlite3_errmsg(writer->db));
}

static gboolean run_sql(StoreWriter *writer, const char *sql, GError **error)
{
	if (sqlite3_exec(writer->db, sql, NULL, NULL, NULL) == SQLITE_OK)
		return TRUE;
	return fail(writer, error);
}

static gboolean run_named(StoreWriter *writer, const char *name, GError **error)
{
	g_autoptr(GBytes) sql = store_sql(name);

	return run_sql(writer, g_bytes_get_data(sql, NULL), error);
}

static gboolean prepare_all(StoreWriter *writer, GError **error)
{
	for (int i = 0; i < STORE_INSERTS; i++) {
		g_autoptr(GBytes) sql = store_sql(insert_names[i]);

		if (sqlite3_prepare_v3(writer->db, g_bytes_get_data(sql, NULL), -1,
				       SQLITE_PREPARE_PERSISTENT, &writer->inserts[i], NULL) != SQLITE_OK)
			return fail(writer, error);
	}
	return TRUE;
}

/* The file is new, and thrown away if anything fails: it needs no journal and no flushing. */
static gboolean set_up(StoreWriter *writer, GError **error)
{
	g_autofree char *ids = g_strdup_printf("PRAGMA application_id = %d; PRAGMA user_version = %d;",
					       STORE_APPLICATION_ID, STORE_VERSION);

	return run_sql(writer, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
			       "PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; "
			       "PRAGMA cache_size = -65536;", error) &&
	       run_sql(writer, ids, error) && run_sql(writer, "BEGIN", error) &&
	       run_named(writer, "schema", error) && prepare_all(writer, error);
}

StoreWriter *store_writer_new(const char *path, GError **error)
{
	g_autoptr(StoreWriter) writer = g_new0(StoreWriter, 1);

	writer->path = g_strdup(path);
	if (sqlite3_open_v2(path, &writer->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
	    SQLITE_OK) {
		fail(writer, error);
		return NULL;
	}
	if (!set_up(writer, error))
		return NULL;
	return g_steal_pointer(&writer);
}

static void step(StoreWriter *writer, sqlite3_stmt *insert)
{
	if (sqlite3_step(insert) != SQLITE_DONE)
		note_failure(writer);
	sqlite3_reset(insert);
}

void store_writer_row(StoreWriter *writer, StoreInsert which, const char *types, ...)
{
	sqlite3_stmt *insert = writer->inserts[which];
	va_list args;

	if (writer->failure)
		return;
	va_start(args, types);
	for (int i = 1; types[i - 1]; i++) {
		switch (types[i - 1]) {
		case 'i':
			sqlite3_bind_int64(insert, i, va_arg(args, gint64));
			break;
		case 's':
			sqlite3_bind_text(insert, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
			break;
		default:
			sqlite3_bind_null(insert, i);
		}
	}
	va_end(args);
	step(writer, insert);
}

void store_writer_ints(StoreWriter *writer, StoreInsert which, const gint64 *values, int count)
{
	sqlite3_stmt *insert = writer->inserts[which];

	if (writer->failure)
		return;
	for (int i = 0; i < count; i++) {
		if (values[i] == G_MININT64)
			sqlite3_bind_null(insert, i + 1);
		else
			sqlite3_bind_int64(insert, i + 1, values[i]);
	}
	step(writer, insert);
}

static void finalize_all(StoreWriter *writer)
{
	for (int i = 0; i < STORE_INSERTS; i++) {
		sqlite3_finalize(writer->inserts[i]);
		writer->inserts[i] = NULL;
	}
}

static gboolean close_db(StoreWriter *writer, GError **error)
{
	if (sqlite3_close(writer->db) != SQLITE_OK)
		return fail(writer, error);
	writer->db = NULL;
	return TRUE;
}

gboolean store_writer_finish(StoreWriter *writer, GError **error)
{
	gboolean fine;

	finalize_all(writer);
	if (writer->failure)
		fine = fail(writer, error);
	else
		fine = run_named(writer, "finish", error) && run_sql(writer, "COMMIT", error) &&
		       close_db(writer, error);
	store_writer_free(writer);
	return fine;
}

void store_writer_free(StoreWriter *writer)
{
	if (!writer)
		return;
	finalize_all(writer);
	sqlite3_close(writer->db);
	g_free(writer->failure);
	g_free(writer->path);
	g_free(writer);
}
