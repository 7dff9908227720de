// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/select/select.h"

#include "report/calltree/match_origins.h"
#include "report/groups/merged_caches.h"
#include "report/groups/site.h"

/* ---- names and numbers in the trace ---- */

static gboolean check_name(StoreDb *db, const Selection *selection, SelectFilter filter,
			   GError **error)
{
	const char *name = selection->filter[filter];

	switch (filter) {
	case SELECT_CACHE:
		return site_check_cache(db, name, error);
	case SELECT_SITE:
		return site_check(db, name, selection->comparison != NULL, error);
	case SELECT_MODULE:
		return site_check_module(db, name, error);
	case SELECT_PROCESS:
		return site_check_process(db, name, error);
	case SELECT_THREAD:
		return site_check_thread(db, name, error);
	default:
		return TRUE;
	}
}

typedef struct {
	const Range *wanted;
	Range known;
	gboolean any, found;
} Numbers;

static void take_number(StoreRows *rows, gpointer data)
{
	Numbers *numbers = data;
	gint64 number = store_rows_int(rows, 0);

	numbers->known.least = numbers->any ? MIN(numbers->known.least, number) : number;
	numbers->known.most = numbers->any ? MAX(numbers->known.most, number) : number;
	numbers->any = TRUE;
	numbers->found |= number >= numbers->wanted->least && number <= numbers->wanted->most;
}

/* Checks a CPU, node or stack. */
static gboolean check_number(StoreDb *db, const Selection *selection, SelectFilter filter,
			     GError **error)
{
	const char *params[] = { ":what", selection_names[filter], NULL };
	Numbers numbers = { .wanted = &selection->range[filter] };

	if (!store_each(db, "select_numbers", params, take_number, &numbers, error))
		return FALSE;
	if (numbers.found)
		return TRUE;
	if (!numbers.any)
		return store_fail(error, "--%s: the trace has none", selection_names[filter]);
	return store_fail(error,
			  "--%s %s is not in the trace, which has %" G_GINT64_FORMAT
			  " to %" G_GINT64_FORMAT,
			  selection_names[filter], selection->filter[filter], numbers.known.least,
			  numbers.known.most);
}

gboolean select_check(StoreDb *db, const Selection *selection, GError **error)
{
	for (guint i = 0; i < SELECT_FILTERS; i++) {
		gboolean is_number = i == SELECT_CPU || i == SELECT_NODE || i == SELECT_STACK;

		if (selection->filter[i] && !(is_number ? check_number(db, selection, i, error)
							: check_name(db, selection, i, error)))
			return FALSE;
	}
	return TRUE;
}

/* ---- parameters ---- */

static void add_text(GPtrArray *params, const char *name, const char *value)
{
	g_ptr_array_add(params, g_strdup(name));
	g_ptr_array_add(params, g_strdup(value));
}

static void add_number(GPtrArray *params, const char *name, gint64 value)
{
	g_ptr_array_add(params, g_strdup(name));
	g_ptr_array_add(params, g_strdup_printf("%" G_GINT64_FORMAT, value));
}

static void add_filter(GPtrArray *params, const Selection *selection, SelectFilter filter)
{
	g_autofree char *name = g_strconcat(":", selection_names[filter], NULL);
	g_autofree char *least = g_strconcat(name, "_least", NULL);
	g_autofree char *most = g_strconcat(name, "_most", NULL);

	if (selection_is_range(filter)) {
		add_number(params, least, selection->range[filter].least);
		add_number(params, most, selection->range[filter].most);
	} else {
		add_text(params, name, selection->filter[filter]);
	}
}

static gboolean is_wanted(const Selection *selection, SelectFilter filter)
{
	return selection->filter[filter] && !(selection->own & SELECT_BIT(filter));
}

static gboolean add_origins(StoreDb *db, GPtrArray *params, const Selection *selection,
			    GError **error)
{
	const char *focus = selection->filter[SELECT_FOCUS];
	const char *ignore = selection->filter[SELECT_IGNORE];
	g_autofree char *origins = NULL;

	if (!is_wanted(selection, SELECT_FOCUS) && !is_wanted(selection, SELECT_IGNORE))
		return TRUE;
	origins = match_origins(db, focus, ignore, selection->comparison, error);
	if (origins)
		add_text(params, ":origins", origins);
	return origins != NULL;
}

/* Of traces that are compared, caches that one of them merged count as one in all. */
static gboolean add_caches(StoreDb *db, GPtrArray *params, const Selection *selection,
			   GError **error)
{
	g_autoptr(MergedCaches) own = selection->comparison ? NULL : merged_caches_new();
	const MergedCaches *caches = own ? own : selection->comparison->caches;
	g_autofree char *ids = NULL;

	if (!own || merged_caches_add(own, db, error))
		ids = merged_caches_ids(caches, db, selection->filter[SELECT_CACHE], error);
	if (ids)
		add_text(params, ":caches", ids);
	return ids != NULL;
}

/* Of traces that are compared, call sites of other builds have other suffixes. */
static gboolean add_site(StoreDb *db, GPtrArray *params, const Selection *selection, GError **error)
{
	g_autofree char *ids = NULL;

	if (!selection->comparison) {
		add_filter(params, selection, SELECT_SITE);
		return TRUE;
	}
	ids = site_plain_frames(db, selection->filter[SELECT_SITE], error);
	if (ids)
		add_text(params, ":callers", ids);
	return ids != NULL;
}

static gboolean add_wanted(StoreDb *db, GPtrArray *params, const Selection *selection,
			   SelectFilter filter, GError **error)
{
	if (filter == SELECT_CACHE)
		return add_caches(db, params, selection, error);
	if (filter == SELECT_SITE)
		return add_site(db, params, selection, error);
	add_filter(params, selection, filter);
	return TRUE;
}

gboolean select_restrict(StoreDb *db, Selection *selection, GError **error)
{
	g_autoptr(GPtrArray) params = g_ptr_array_new_with_free_func(g_free);

	if (!selection)
		return TRUE;
	if (!selection_find(db, selection, error) ||
	    (!selection->comparison && !select_check(db, selection, error)) ||
	    !add_origins(db, params, selection, error))
		return FALSE;
	if (selection_has_interval(selection)) {
		add_number(params, ":from", selection->from_ns);
		add_number(params, ":to", selection->to_ns);
	}
	for (guint i = 0; i < SELECT_FOCUS; i++) {
		if (is_wanted(selection, i) && !add_wanted(db, params, selection, i, error))
			return FALSE;
	}
	if (!params->len)
		return TRUE;
	g_ptr_array_add(params, NULL);
	return store_restrict(db, (const char *const *)params->pdata, error);
}
