// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/site.h"

#include <string.h>

#include "base/closest.h"

/* @rows are the names; @refusal is the error for another name. */
static gboolean check(StoreRows *rows, const char *asked, const char *refusal, GError **error)
{
	g_auto(Closest) closest = CLOSEST(asked);
	gboolean found = FALSE;

	while (!found && store_rows_next(rows)) {
		found = strcmp(store_rows_raw(rows, 0), asked) == 0;
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

	return check(rows, asked, refusal, error);
}

gboolean site_check(StoreDb *db, const char *site, GError **error)
{
	return check_named(db, "sites", site, "no call site matches", error);
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
