// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/scan/restriction.h"

#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

#define IDS_MAX (1U << 28) /* no trace has as many origins or tasks */

/* Columns of scan_restriction.sql. */
enum {
	FROM,
	TO,
	CPU_LEAST,
	CPU_MOST,
	AGE_LEAST,
	AGE_MOST,
	SPAN,
	BY_ORIGIN,
	BY_TASK,
	BY_CPU,
	BY_AGE,
	COLUMNS
};

struct Restriction {
	gint64 of[COLUMNS];
	GArray *origins, *tasks; /* of guint8, by number: whether it is kept */
};

/* Returns FALSE if a number is too high. */
static gboolean read_ids(sqlite3 *handle, const char *name, GArray *ids)
{
	g_autoptr(GBytes) sql = db_sql(name);
	sqlite3_stmt *stmt = NULL;
	gboolean fine = TRUE;
	int result = sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);

	while (!result && fine && sqlite3_step(stmt) == SQLITE_ROW) {
		gint64 id = sqlite3_column_int64(stmt, 0);

		fine = id >= 0 && id < IDS_MAX;
		if (!fine)
			break;
		if (id >= ids->len)
			g_array_set_size(ids, id + 1);
		g_array_index(ids, guint8, id) = TRUE;
	}
	return !sqlite3_finalize(stmt) && !result && fine;
}

/* Returns FALSE without bounds, or with an unknown number. */
static gboolean read_bounds(sqlite3 *handle, gint64 *of)
{
	g_autoptr(GBytes) sql = db_sql("scan_restriction");
	sqlite3_stmt *stmt = NULL;
	gboolean fine = !sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL) &&
			sqlite3_step(stmt) == SQLITE_ROW;

	for (int i = 0; fine && i < COLUMNS; i++) {
		fine = sqlite3_column_type(stmt, i) == SQLITE_INTEGER;
		of[i] = sqlite3_column_int64(stmt, i);
	}
	sqlite3_finalize(stmt);
	return fine;
}

Restriction *restriction_read(sqlite3 *handle)
{
	Restriction *restriction = g_new0(Restriction, 1);

	restriction->origins = g_array_new(FALSE, TRUE, sizeof(guint8));
	restriction->tasks = g_array_new(FALSE, TRUE, sizeof(guint8));
	if (read_bounds(handle, restriction->of) &&
	    read_ids(handle, "scan_kept_origins", restriction->origins) &&
	    read_ids(handle, "scan_kept_tasks", restriction->tasks))
		return restriction;
	restriction_free(restriction);
	return NULL;
}

void restriction_free(Restriction *restriction)
{
	if (!restriction)
		return;
	g_array_unref(restriction->origins);
	g_array_unref(restriction->tasks);
	g_free(restriction);
}

static gboolean has(const GArray *ids, gint64 id)
{
	return id >= 0 && id < ids->len && g_array_index(ids, guint8, id);
}

static gboolean is_between(gint64 value, gint64 least, gint64 most)
{
	return value >= least && value <= most;
}

gboolean restriction_keeps(const Restriction *restriction, const gint64 values[RESTRICTION_COLUMNS])
{
	const gint64 *of = restriction->of;
	guint64 age = values[RESTRICTION_LIFETIME] != SCAN_NULL
			      ? (guint64)values[RESTRICTION_LIFETIME]
			      : (guint64)of[SPAN] - (guint64)values[RESTRICTION_TIME];

	return (!of[BY_ORIGIN] || has(restriction->origins, values[RESTRICTION_ORIGIN])) &&
	       (!of[BY_TASK] || has(restriction->tasks, values[RESTRICTION_TASK])) &&
	       (!of[BY_CPU] || is_between(values[RESTRICTION_CPU], of[CPU_LEAST], of[CPU_MOST])) &&
	       (!of[BY_AGE] || is_between((gint64)age, of[AGE_LEAST], of[AGE_MOST]));
}

gboolean restriction_is_within(const Restriction *restriction,
			       const gint64 values[RESTRICTION_COLUMNS])
{
	gint64 time_ns = values[RESTRICTION_TIME];

	return time_ns != SCAN_NULL && time_ns >= restriction->of[FROM] &&
	       time_ns < restriction->of[TO];
}
