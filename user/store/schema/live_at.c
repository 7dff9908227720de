// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * live_at(t): the rows of the view allocations that were live at a time; slabs_at_end: the view
 * slabs, faster. Eponymous virtual tables; each scan runs a statement of its own. Only columns that
 * are read are computed: the others are NULL, and their joins are left out.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "store/schema/functions.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

#define LIVE_AT   "live_at"
#define MASK_BITS 64 /* bits of a column mask; the last one is for all columns from there on */

typedef struct {
	sqlite3_vtab base;
	sqlite3 *handle;
	const char *name;   /* also the name of its statement */
	GPtrArray *columns; /* names; live_at's hidden column t follows them */
} Table;

typedef struct {
	sqlite3_vtab_cursor base;
	sqlite3_stmt *stmt;
	gboolean at_end;
} Cursor;

/* ---- the table ---- */

static void append_name(GString *text, const char *name)
{
	char *quoted = sqlite3_mprintf("\"%w\"", name);

	g_string_append(text, quoted);
	sqlite3_free(quoted);
}

static gboolean has_time(const char *name)
{
	return !strcmp(name, LIVE_AT);
}

static int declare(sqlite3 *handle, const char *name, const GPtrArray *columns)
{
	g_autoptr(GString) text = g_string_new("CREATE TABLE ");

	g_string_append_printf(text, "%s (", name);

	for (guint i = 0; i < columns->len; i++) {
		g_string_append(text, i ? ", " : "");
		append_name(text, g_ptr_array_index(columns, i));
	}
	g_string_append(text, has_time(name) ? ", t HIDDEN)" : ")");
	return sqlite3_declare_vtab(handle, text->str);
}

/*
 * Returns the column names of store/sql/@name.sql. NULL with a result code if it cannot be
 * prepared.
 */
static GPtrArray *read_columns(sqlite3 *handle, const char *name, int *result)
{
	g_autoptr(GBytes) sql = db_sql(name);
	GPtrArray *columns = NULL;
	sqlite3_stmt *stmt = NULL;

	*result = sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);
	if (!*result) {
		columns = g_ptr_array_new_with_free_func(g_free);
		for (int i = 0; i < sqlite3_column_count(stmt); i++)
			g_ptr_array_add(columns, g_strdup(sqlite3_column_name(stmt, i)));
	}
	sqlite3_finalize(stmt);
	return columns;
}

static int connect(sqlite3 *handle, void *data, int argc, const char *const *argv,
		   sqlite3_vtab **vtab, char **error)
{
	g_autoptr(GPtrArray) columns = NULL;
	const char *name = data;
	Table *table;
	int result;

	(void)argc;
	(void)argv;
	columns = read_columns(handle, name, &result);
	if (!columns)
		*error = sqlite3_mprintf("%s: not in a kmemtrace database: %s", name,
					 sqlite3_errmsg(handle));
	else
		result = declare(handle, name, columns);
	if (result)
		return result;
	sqlite3_vtab_config(handle, SQLITE_VTAB_DIRECTONLY);
	table = g_new0(Table, 1);
	table->handle = handle;
	table->name = name;
	table->columns = g_steal_pointer(&columns);
	*vtab = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
	Table *table = (Table *)vtab;

	g_ptr_array_unref(table->columns);
	g_free(table);
	return SQLITE_OK;
}

static int set_error(Table *table, int result, const char *text)
{
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf("%s", text);
	return result;
}

/* ---- scans ---- */

/* Passes the columns that are read in the plan's text, and the time as its argument. */
static int choose(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	Table *table = (Table *)vtab;
	gboolean given = FALSE;

	info->idxStr = sqlite3_mprintf("%llu", (unsigned long long)info->colUsed);
	info->needToFreeIdxStr = 1;
	info->estimatedCost = 1e7;    /* each scan reads all lifetimes */
	info->estimatedRows = 100000; /* many: an index pays off for joins with them */
	if (!info->idxStr)
		return SQLITE_NOMEM;
	if (!has_time(table->name))
		return SQLITE_OK;

	for (int i = 0; i < info->nConstraint; i++) {
		if (info->aConstraint[i].iColumn != (int)table->columns->len ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		given = TRUE;
		if (!info->aConstraint[i].usable)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = 1;
		return SQLITE_OK;
	}
	if (given)
		return SQLITE_CONSTRAINT;
	return set_error(table, SQLITE_ERROR,
			 "live_at(t): t is missing, in seconds or as '1500ms'");
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
	Cursor *new_cursor = g_new0(Cursor, 1);

	(void)vtab;
	*cursor = &new_cursor->base;
	return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	Cursor *cursor = (Cursor *)base;

	sqlite3_finalize(cursor->stmt);
	g_free(cursor);
	return SQLITE_OK;
}

static char *statement_of(const Table *table, guint64 used)
{
	g_autoptr(GBytes) sql = db_sql(table->name);
	g_autoptr(GString) text = g_string_new("SELECT ");

	for (guint i = 0; i < table->columns->len; i++) {
		g_string_append(text, i ? ", " : "");
		if (used >> MIN(i, MASK_BITS - 1) & 1)
			append_name(text, g_ptr_array_index(table->columns, i));
		else
			g_string_append(text, "NULL");
	}
	g_string_append_printf(text, " FROM (%s)", (const char *)g_bytes_get_data(sql, NULL));
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/*
 * Reads a time: a number in seconds, as in time_s, or a text as on the command line. Returns FALSE
 * for NULL or an invalid time.
 */
static gboolean take_time(sqlite3_value *value, gint64 *ns, char **error)
{
	g_autoptr(GError) local = NULL;
	const char *text;
	guint64 parsed;

	switch (sqlite3_value_type(value)) {
	case SQLITE_NULL:
		return FALSE;
	case SQLITE_INTEGER:
	case SQLITE_FLOAT:
		*ns = llround(CLAMP(sqlite3_value_double(value) * 1e9, -9.2e18, 9.2e18));
		return TRUE;
	}
	text = (const char *)sqlite3_value_text(value);
	if (text && units_parse_time(text, &parsed, &local)) {
		*ns = parsed;
		return TRUE;
	}
	*error = sqlite3_mprintf("live_at: %s", local ? local->message : "invalid time");
	return FALSE;
}

static int step(Cursor *cursor)
{
	Table *table = (Table *)cursor->base.pVtab;
	int result = sqlite3_step(cursor->stmt);

	cursor->at_end = result != SQLITE_ROW;
	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return SQLITE_OK;
	return set_error(table, result, sqlite3_errmsg(table->handle));
}

static int filter(sqlite3_vtab_cursor *base, int plan, const char *used, int argc,
		  sqlite3_value **argv)
{
	Table *table = (Table *)base->pVtab;
	Cursor *cursor = (Cursor *)base;
	g_autofree char *sql = NULL;
	char *error = NULL;
	gint64 ns = 0;
	int result;

	(void)plan;
	sqlite3_finalize(cursor->stmt);
	cursor->stmt = NULL;
	cursor->at_end = TRUE;
	if (argc && !take_time(argv[0], &ns, &error)) {
		if (!error)
			return SQLITE_OK;
		set_error(table, SQLITE_ERROR, error);
		sqlite3_free(error);
		return SQLITE_ERROR;
	}
	sql = statement_of(table, g_ascii_strtoull(used, NULL, 10));
	result = sqlite3_prepare_v2(table->handle, sql, -1, &cursor->stmt, NULL);
	if (!result && argc)
		result = sqlite3_bind_int64(cursor->stmt, 1, ns);
	if (result)
		return set_error(table, result, sqlite3_errmsg(table->handle));
	return step(cursor);
}

static int next(sqlite3_vtab_cursor *base)
{
	return step((Cursor *)base);
}

static int at_end(sqlite3_vtab_cursor *base)
{
	return ((Cursor *)base)->at_end;
}

/* SQLite usually takes t from the constraint, and does not read it; if it does, it is NULL. */
static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
	Cursor *cursor = (Cursor *)base;

	if (index < sqlite3_column_count(cursor->stmt))
		sqlite3_result_value(context, sqlite3_column_value(cursor->stmt, index));
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	(void)base;
	*id = 0;
	return SQLITE_OK;
}

int live_at_register(sqlite3 *handle)
{
	/* Without xCreate the table is eponymous. */
	static const sqlite3_module module = {
		.xConnect = connect,
		.xBestIndex = choose,
		.xDisconnect = disconnect,
		.xOpen = open_cursor,
		.xClose = close_cursor,
		.xFilter = filter,
		.xNext = next,
		.xEof = at_end,
		.xColumn = column,
		.xRowid = row_id,
	};

	static const char *const names[] = { LIVE_AT, "slabs_at_end" };
	int result = SQLITE_OK;

	for (guint i = 0; i < G_N_ELEMENTS(names) && !result; i++)
		result = sqlite3_create_module_v2(handle, names[i], &module, (gpointer)names[i],
						  NULL);
	return result;
}
