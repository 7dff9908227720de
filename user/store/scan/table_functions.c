// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The virtual tables of the table functions. They are eponymous, and each of their scans reads all
 * lifetimes of the file through its own connections.
 */
#include <stdlib.h>
#include <string.h>

#include "store/scan/scanner.h"
#include "store/scan/table_function.h"
#include "store/schema/functions.h"
#include "store/schema/sqlite.h"

typedef struct {
	sqlite3_vtab base;
	sqlite3 *handle;
	const TableFunction *pass;
	char *last;     /* key of the last scan, see describe(); NULL: none */
	GArray *values; /* its rows, as in a cursor */
} Table;

typedef struct {
	sqlite3_vtab_cursor base;
	GArray *values; /* of gint64, row by row; NULL: none yet */
	gsize row;
} Cursor;

static int connect(sqlite3 *handle, void *data, int argc, const char *const *argv,
		   sqlite3_vtab **vtab, char **error)
{
	static const char *const arguments[] = { "", ", a HIDDEN", ", a HIDDEN, b HIDDEN",
						 ", a HIDDEN, b HIDDEN, c HIDDEN" };
	const TableFunction *pass = data;
	g_autofree char *text = g_strdup_printf("CREATE TABLE %s (%s%s)", pass->name, pass->columns,
						arguments[pass->arguments]);
	int result = sqlite3_declare_vtab(handle, text);
	Table *table;

	(void)argc;
	(void)argv;
	(void)error;
	if (result)
		return result;
	sqlite3_vtab_config(handle, SQLITE_VTAB_DIRECTONLY);
	table = g_new0(Table, 1);
	table->handle = handle;
	table->pass = pass;
	*vtab = &table->base;
	return SQLITE_OK;
}

static int disconnect(sqlite3_vtab *vtab)
{
	Table *table = (Table *)vtab;

	g_clear_pointer(&table->values, g_array_unref);
	g_free(table->last);
	g_free(table);
	return SQLITE_OK;
}

static int set_error(Table *table, const char *text)
{
	sqlite3_free(table->base.zErrMsg);
	table->base.zErrMsg = sqlite3_mprintf("%s: %s", table->pass->name, text);
	return SQLITE_ERROR;
}

/* Requires all arguments, and passes them in order. */
static int choose(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	Table *table = (Table *)vtab;
	guint given = 0, usable = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int argument = info->aConstraint[i].iColumn - (int)table->pass->count;

		if (argument < 0 || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		given++;
		if (!info->aConstraint[i].usable)
			continue;
		usable++;
		info->aConstraintUsage[i].argvIndex = argument + 1;
		info->aConstraintUsage[i].omit = 1;
	}
	info->estimatedCost = 1e7;    /* each scan reads all lifetimes */
	info->estimatedRows = 100000; /* many: an index pays off for joins with them */
	if (given != table->pass->arguments)
		return set_error(table, "an argument is missing");
	return usable == given ? SQLITE_OK : SQLITE_CONSTRAINT;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **cursor)
{
	Cursor *new_cursor = g_new0(Cursor, 1);

	(void)vtab;
	*cursor = &new_cursor->base;
	return SQLITE_OK;
}

static void clear(Cursor *cursor)
{
	g_clear_pointer(&cursor->values, g_array_unref);
	cursor->row = 0;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	clear((Cursor *)base);
	g_free(base);
	return SQLITE_OK;
}

/* ---- the scan ---- */

static GArray *parse(sqlite3_value *value)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
	const char *text = (const char *)sqlite3_value_text(value);
	char *end;

	for (; text; text = end) {
		gint64 number = g_ascii_strtoll(text, &end, 10);

		if (end == text)
			break;
		g_array_append_val(numbers, number);
	}
	return numbers;
}

static int run(Table *table, GArray *const *arguments, GArray *values)
{
	const char *path = sqlite3_db_filename(table->handle, "main");
	const TableFunction *pass = table->pass;
	g_autofree char *failure = NULL;
	gpointer workers[SCAN_WORKERS];

	if (!path || !*path)
		return set_error(table, "the database is in no file");
	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = pass->make(arguments);
	failure = scanner_run(table->handle, pass->scan, NULL, pass->take, workers);
	if (!failure)
		pass->finish(workers, values);
	for (guint i = 0; i < SCAN_WORKERS; i++)
		pass->free(workers[i]);
	return failure ? set_error(table, failure) : SQLITE_OK;
}

/*
 * Returns a key of the rows: the arguments, and the versions of the file and, for a restriction, of
 * temporary tables. For g_free().
 */
static char *describe(const Table *table, int argc, sqlite3_value **argv)
{
	GString *text = g_string_new(NULL);
	unsigned int version = 0;

	sqlite3_file_control(table->handle, "main", SQLITE_FCNTL_DATA_VERSION, &version);
	g_string_printf(text, "%u %d", version, sqlite3_total_changes(table->handle));
	for (int i = 0; i < argc; i++)
		g_string_append_printf(text, "\n%s",
				       (const char *)sqlite3_value_text(argv[i]) ?: "");
	return g_string_free(text, FALSE);
}

/*
 * Keeps the rows of the last scan, so that a statement that counts the rows of another one needs no
 * scan.
 */
static int filter(sqlite3_vtab_cursor *base, int plan, const char *text, int argc,
		  sqlite3_value **argv)
{
	Table *table = (Table *)base->pVtab;
	g_autofree char *now = describe(table, argc, argv);
	GArray *arguments[TABLE_ARGUMENTS] = { NULL };
	Cursor *cursor = (Cursor *)base;
	int result = SQLITE_OK;

	(void)plan;
	(void)text;
	clear(cursor);
	if (g_strcmp0(now, table->last)) {
		g_clear_pointer(&table->last, g_free);
		g_clear_pointer(&table->values, g_array_unref);
		table->values = g_array_new(FALSE, FALSE, sizeof(gint64));
		for (int i = 0; i < MIN(argc, TABLE_ARGUMENTS); i++)
			arguments[i] = parse(argv[i]);
		result = run(table, arguments, table->values);
		for (guint i = 0; i < TABLE_ARGUMENTS; i++)
			g_clear_pointer(&arguments[i], g_array_unref);
		if (!result)
			table->last = g_steal_pointer(&now);
	}
	cursor->values = g_array_ref(table->values);
	return result;
}

/* ---- the rows ---- */

static guint columns_of(sqlite3_vtab_cursor *base)
{
	return ((Table *)base->pVtab)->pass->count;
}

static int next(sqlite3_vtab_cursor *base)
{
	((Cursor *)base)->row++;
	return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *base)
{
	Cursor *cursor = (Cursor *)base;

	return !cursor->values || cursor->row * columns_of(base) >= cursor->values->len;
}

/* SQLite takes arguments from the constraints, and does not read them. */
static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int index)
{
	Cursor *cursor = (Cursor *)base;
	gsize at = cursor->row * columns_of(base) + index;

	if ((guint)index < columns_of(base) &&
	    g_array_index(cursor->values, gint64, at) != SCAN_NULL)
		sqlite3_result_int64(context, g_array_index(cursor->values, gint64, at));
	return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((Cursor *)base)->row;
	return SQLITE_OK;
}

int table_functions_register(sqlite3 *handle)
{
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
	static const TableFunction *const passes[] = {
		&table_first_times,   &table_freed_elsewhere, &table_freed_elsewhere_totals,
		&table_ranks,         &table_slab_addresses,  &table_page_frames,
		&table_live_totals,   &table_lifetime_totals, &table_module_lives,
		&table_slab_contents, &table_slab_holders,    &table_temporary_totals
	};
	int result = SQLITE_OK;

	for (guint i = 0; i < G_N_ELEMENTS(passes) && !result; i++)
		result = sqlite3_create_module_v2(handle, passes[i]->name, &module,
						  (gpointer)passes[i], NULL);
	return result;
}
