// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/site.h"

#include <string.h>

#include "base/closest.h"

/* @rows are the names; @refusal is what is said of one that isn't among them. */
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

gboolean site_check(StoreDb *db, const char *site, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "sites", NULL, error);

	return check(rows, site, "no call site matches", error);
}

gboolean site_check_cache(StoreDb *db, const char *cache, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_named(db, "caches", NULL, error);

	return check(rows, cache, "no cache is named", error);
}
