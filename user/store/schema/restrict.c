// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/schema/restrict.h"

#include <string.h>

#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

/* Runs all statements of @sql. What is a parameter gets the value of its name. */
static int run(sqlite3 *handle, const char *sql, gint64 from_ns, gint64 to_ns)
{
	int result = SQLITE_OK;

	while (!result && *sql) {
		sqlite3_stmt *stmt = NULL;

		result = sqlite3_prepare_v2(handle, sql, -1, &stmt, &sql);
		for (int i = 1; !result && i <= sqlite3_bind_parameter_count(stmt); i++) {
			const char *name = sqlite3_bind_parameter_name(stmt, i);

			result = sqlite3_bind_int64(stmt, i,
						    strcmp(name, ":from") ? to_ns : from_ns);
		}
		if (!result && stmt && sqlite3_step(stmt) != SQLITE_DONE)
			result = sqlite3_errcode(handle);
		sqlite3_finalize(stmt);
	}
	return result;
}

static int run_named(sqlite3 *handle, const char *name, gint64 from_ns, gint64 to_ns)
{
	g_autoptr(GBytes) sql = db_sql(name);

	return run(handle, g_bytes_get_data(sql, NULL), from_ns, to_ns);
}

int restrict_lifetimes(sqlite3 *handle, gint64 from_ns, gint64 to_ns)
{
	return run_named(handle, "restrict", from_ns, to_ns);
}

int restrict_as(sqlite3 *handle, sqlite3 *other)
{
	g_autoptr(GBytes) sql = db_sql("restrict_interval");
	sqlite3_stmt *stmt = NULL;
	int result = SQLITE_OK;

	/* What isn't restricted has no such table. */
	if (!sqlite3_prepare_v2(other, g_bytes_get_data(sql, NULL), -1, &stmt, NULL) &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		result = restrict_lifetimes(handle, sqlite3_column_int64(stmt, 0),
					    sqlite3_column_int64(stmt, 1));
	sqlite3_finalize(stmt);
	return result;
}

int restrict_views(sqlite3 *handle)
{
	g_autofree char *views = db_views_sql(TRUE);

	return run(handle, views, 0, 0) ?: run_named(handle, "restrict_totals", 0, 0);
}

int restrict_temporaries(sqlite3 *handle)
{
	return run_named(handle, "restrict_temporaries", 0, 0);
}
