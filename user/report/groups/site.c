// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/site.h"

#include <string.h>

#define NAME_MAX_LEN 255 /* letters of a name that are compared */

typedef struct {
	const char *asked;
	gboolean found;
	char *best;       /* NULL: none is like it */
	guint best_score; /* the lower the better */
} Search;

/* One row of the usual table: @row[j] is the distance of what was read of @a to j letters of @b. */
guint site_distance(const char *a, const char *b)
{
	guint len_a = strlen(a), len_b = strlen(b);
	guint row[NAME_MAX_LEN + 1];

	if (len_a > NAME_MAX_LEN || len_b > NAME_MAX_LEN)
		return G_MAXUINT;
	for (guint j = 0; j <= len_b; j++)
		row[j] = j;
	for (guint i = 1; i <= len_a; i++) {
		guint diagonal = row[0];

		row[0] = i;
		for (guint j = 1; j <= len_b; j++) {
			guint changed = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			row[j] = MIN(changed, MIN(row[j], row[j - 1]) + 1);
		}
	}
	return row[len_b];
}

/* G_MAXUINT: not similar. A name that contains all of it is the most similar. */
static guint score(const char *asked, const char *name)
{
	guint distance = site_distance(asked, name);

	if (strstr(name, asked))
		return 0;
	return distance <= MAX(strlen(asked) / 3, 1) ? distance : G_MAXUINT;
}

static void look_at(Search *search, const char *name)
{
	guint this_score;

	search->found |= strcmp(name, search->asked) == 0;
	this_score = score(search->asked, name);
	if (this_score >= search->best_score)
		return;
	g_free(search->best);
	search->best = g_strdup(name);
	search->best_score = this_score;
}

char *site_closest(const char *asked, const char *const *names)
{
	Search search = { .asked = asked, .best_score = G_MAXUINT };

	for (; *names; names++)
		look_at(&search, *names);
	return search.best;
}

/* @rows are the names; @refusal is what is said of one that isn't among them. */
static gboolean check(StoreRows *rows, const char *asked, const char *refusal, GError **error)
{
	Search search = { .asked = asked, .best_score = G_MAXUINT };
	g_autofree char *best = NULL;

	while (!search.found && store_rows_next(rows))
		look_at(&search, store_rows_raw(rows, 0));
	best = search.best;
	if (!store_rows_done(rows, error))
		return FALSE;
	if (!search.found && strpbrk(asked, "*?"))
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED,
			    "%s '%s' (expected a whole name, without * and ?)", refusal, asked);
	else if (!search.found)
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "%s '%s'%s%s", refusal, asked,
			    best ? ": the closest is " : "", best ? best : "");
	return search.found;
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
