// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The scalar functions. Unknown values are NULL, as everywhere in the database; invalid arguments
 * are an error.
 *
 * Functions that look something up prepare their statement at each call: a cached one would prevent
 * closing the connection.
 */
#include "store/schema/functions.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/gfptext.h"
#include "base/units.h"
#include "store/schema/sqlite.h"
#include "store/schema/statements.h"

#define ORDER_MAX 30 /* more than in any kernel */

static void functions_fail(sqlite3_context *context, const char *text)
{
	sqlite3_result_error(context, text, -1);
}

/* Returns TRUE for an integer; otherwise sets the result to NULL or an error. */
static gboolean take_number(sqlite3_context *context, sqlite3_value *value, gint64 *number)
{
	double real;

	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_INTEGER:
		*number = sqlite3_value_int64(value);
		return TRUE;
	case SQLITE_FLOAT:
		real = CLAMP(sqlite3_value_double(value), -9.2e18, 9.2e18);
		*number = llround(real);
		return TRUE;
	case SQLITE_NULL:
		return FALSE;
	default:
		functions_fail(context, "expected a number");
		return FALSE;
	}
}

/* ---- units ---- */

static void format(sqlite3_context *context, sqlite3_value *value, char *(*text_of)(gint64))
{
	gint64 number;

	if (take_number(context, value, &number))
		sqlite3_result_text(context, text_of(number), -1, g_free);
}

static void bytes(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	format(context, values[0], units_format_size);
}

static void duration(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	format(context, values[0], units_format_time);
}

/* ---- lookups in the database ---- */

/* Sets the result to the first column of the first row of a statement, or NULL if there is none. */
static void look_up(sqlite3_context *context, const char *name, gint64 number)
{
	g_autoptr(GBytes) sql = db_sql(name);
	sqlite3 *handle = sqlite3_context_db_handle(context);
	sqlite3_stmt *stmt = NULL;
	int result = sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL);

	if (!result)
		result = sqlite3_bind_int64(stmt, 1, number);
	if (!result)
		result = sqlite3_step(stmt);
	if (result == SQLITE_ROW)
		sqlite3_result_value(context, sqlite3_column_value(stmt, 0));
	else if (result != SQLITE_DONE)
		functions_fail(context, sqlite3_errmsg(handle));
	sqlite3_finalize(stmt);
}

static void stack(sqlite3_context *context, int count, sqlite3_value **values)
{
	gint64 id;

	(void)count;
	if (take_number(context, values[0], &id))
		look_up(context, "function_stack", id);
}

static void gfp(sqlite3_context *context, int count, sqlite3_value **values)
{
	gint64 flags;

	(void)count;
	if (take_number(context, values[0], &flags))
		look_up(context, "function_gfp", flags);
}

/* fold_gfp(names): combines flags into their common name. Only for our statements. */
static void fold_gfp(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *names = (const char *)sqlite3_value_text(values[0]);

	(void)count;
	if (names)
		sqlite3_result_text(context, gfptext_fold(names), -1, g_free);
}

/* Returns the page size in bytes, or 0 if unknown. */
static gint64 page_size(sqlite3 *handle)
{
	g_autoptr(GBytes) sql = db_sql("function_page_size");
	sqlite3_stmt *stmt = NULL;
	gint64 size = 0;

	if (!sqlite3_prepare_v2(handle, g_bytes_get_data(sql, NULL), -1, &stmt, NULL) &&
	    sqlite3_step(stmt) == SQLITE_ROW)
		size = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return size > 0 && size <= G_MAXINT32 ? size : 0;
}

static void order_name(sqlite3_context *context, int count, sqlite3_value **values)
{
	g_autofree char *text = NULL;
	gint64 order, page;

	(void)count;
	if (!take_number(context, values[0], &order))
		return;
	if (order < 0 || order > ORDER_MAX) {
		functions_fail(context, "expected an order from 0 to 30");
		return;
	}
	page = page_size(sqlite3_context_db_handle(context));
	text = units_format_size(page << order);
	sqlite3_result_text(context,
			    page ? g_strdup_printf("order %d (%s)", (int)order, text)
				 : g_strdup_printf("order %d", (int)order),
			    -1, g_free);
}

gboolean functions_take_addr(sqlite3_context *context, sqlite3_value *value, guint64 *addr)
{
	const char *text;
	gint64 number;
	char *end;

	if (sqlite3_value_type(value) != SQLITE_TEXT) {
		if (!take_number(context, value, &number))
			return FALSE;
		*addr = (guint64)number;
		return TRUE;
	}
	text = (const char *)sqlite3_value_text(value);
	errno = 0;
	*addr = text ? g_ascii_strtoull(text, &end, 16) : 0;
	if (text && g_str_has_prefix(text, "0x") && !*end && !errno && text[2])
		return TRUE;
	functions_fail(context, "expected an address, a number or 0x…");
	return FALSE;
}

static void sym(sqlite3_context *context, int count, sqlite3_value **values)
{
	guint64 addr;

	(void)count;
	if (functions_take_addr(context, values[0], &addr))
		look_up(context, "function_sym", (gint64)addr);
}

/*
 * Functions that run statements are not allowed in views: a view could call one that reads the
 * view.
 */
int functions_register(sqlite3 *handle)
{
	static const struct {
		const char *name;
		void (*call)(sqlite3_context *, int, sqlite3_value **);
		int count; /* of arguments */
		int flags;
	} functions[] = {
		{ "bytes", bytes, 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS },
		{ "duration", duration, 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS },
		{ "stack", stack, 1, SQLITE_DIRECTONLY },
		{ "sym", sym, 1, SQLITE_DIRECTONLY },
		{ "gfp", gfp, 1, SQLITE_DIRECTONLY },
		{ "fold_gfp", fold_gfp, 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS },
		{ "order_name", order_name, 1, SQLITE_DIRECTONLY },
	};
	int result = SQLITE_OK;

	for (guint i = 0; i < G_N_ELEMENTS(functions) && !result; i++)
		result = sqlite3_create_function_v2(handle, functions[i].name, functions[i].count,
						    SQLITE_UTF8 | functions[i].flags, NULL,
						    functions[i].call, NULL, NULL, NULL);
	return result;
}
