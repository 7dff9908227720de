// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/site.h"

#include <string.h>

#include "base/closest.h"
#include "symbols/symbols.h"

static gboolean is_same(const char *name, const char *asked, gboolean plain)
{
	g_autofree char *plain_name = plain ? symbols_plain_name(name) : NULL;
	g_autofree char *plain_asked = plain ? symbols_plain_name(asked) : NULL;

	return strcmp(plain_name ?: name, plain_asked ?: asked) == 0;
}

/* @rows are the names; @refusal is the error for another name. */
static gboolean check(StoreRows *rows, const char *asked, gboolean plain, const char *refusal,
		      GError **error)
{
	g_auto(Closest) closest = CLOSEST(asked);
	gboolean found = FALSE;

	while (!found && store_rows_next(rows)) {
		found = is_same(store_rows_raw(rows, 0), asked, plain);
		closest_look(&closest, store_rows_raw(rows, 0));
	}
	if (!store_rows_done(rows, error))
		return FALSE;
	if (!found && strpbrk(asked, "*?"))
		store_fail(error, "%s '%s' (expected a whole name, without * and ?)", refusal,
			   asked);
	else if (!found)
		store_fail(error, "%s '%s'%s%s", refusal, asked,
			   closest.name ? ": the closest is " : "", closest.name ?: "");
	return found;
}

static gboolean check_named(StoreDb *db, const char *sql, const char *asked, const char *refusal,
			    GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, sql, NULL, error);

	return check(rows, asked, FALSE, refusal, error);
}

gboolean site_check(StoreDb *db, const char *site, gboolean plain, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "sites", NULL, error);

	return check(rows, site, plain, "no call site matches", error);
}

char *site_plain_frames(StoreDb *db, const char *site, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "names_frames", NULL, error);
	g_autoptr(GString) ids = g_string_new("[");

	while (store_rows_next(rows)) {
		if (is_same(store_rows_raw(rows, 1), site, TRUE))
			g_string_append_printf(ids, "%s%" G_GINT64_FORMAT, ids->len > 1 ? "," : "",
					       store_rows_int(rows, 0));
	}
	g_string_append_c(ids, ']');
	return store_rows_done(rows, error) ? g_strdup(ids->str) : NULL;
}

gboolean site_check_cache(StoreDb *db, const char *cache, GError **error)
{
	return check_named(db, "caches", cache, "no cache is named", error);
}

gboolean site_check_module(StoreDb *db, const char *module, GError **error)
{
	return check_named(db, "modules", module, "no call site is in a module named", error);
}

gboolean site_check_process(StoreDb *db, const char *process, GError **error)
{
	return check_named(db, "processes", process, "no process is", error);
}

gboolean site_check_thread(StoreDb *db, const char *thread, GError **error)
{
	return check_named(db, "threads", thread, "no thread is", error);
}
