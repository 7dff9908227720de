// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/subuids.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/seed.h"

static int compare_ranges(gconstpointer a, gconstpointer b)
{
	const SubuidRange *x = a, *y = b;

	return COMPARE(x->first, y->first) ?: COMPARE(x->last, y->last);
}

/* Returns a table of uid + 1 by name, of all users in the file passwd. */
static GHashTable *read_uids(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "passwd", NULL);
	GHashTable *uids = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	FILE *file = fopen(path, "re");
	const struct passwd *user;

	while (file && (user = fgetpwent(file)))
		g_hash_table_insert(uids, g_strdup(user->pw_name),
				    GSIZE_TO_POINTER((gsize)user->pw_uid + 1));
	if (file)
		fclose(file);
	return uids;
}

static guint32 find_owner(GHashTable *uids, const char *user, guint32 fallback)
{
	gpointer found = g_hash_table_lookup(uids, user);
	guint64 uid;

	if (found)
		return (guint32)(GPOINTER_TO_SIZE(found) - 1);
	return g_ascii_string_to_unsigned(user, 10, 0, G_MAXUINT32, &uid, NULL) ? (guint32)uid
										: fallback;
}

/* Parses "USER:FIRST:COUNT". */
static gboolean parse(char *line, GHashTable *uids, SubuidRange *range)
{
	g_auto(GStrv) fields = g_strsplit(g_strstrip(line), ":", 3);
	guint64 first, count;

	if (g_strv_length(fields) != 3 ||
	    !g_ascii_string_to_unsigned(fields[1], 10, 1, G_MAXUINT32, &first, NULL) ||
	    !g_ascii_string_to_unsigned(fields[2], 10, 1, G_MAXUINT32 - first + 1, &count, NULL))
		return FALSE;
	range->first = (guint32)first;
	range->last = (guint32)(first + count - 1);
	range->owner = find_owner(uids, fields[0], range->first);
	return range->owner != 0;
}

GArray *subuids_read(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, "subuid", NULL);
	GArray *ranges = g_array_new(FALSE, FALSE, sizeof(SubuidRange));
	g_autoptr(GHashTable) uids = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return ranges;
	uids = read_uids(folder);
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		SubuidRange range;

		if (parse(lines[i], uids, &range))
			g_array_append_val(ranges, range);
	}
	g_array_sort(ranges, compare_ranges);
	return ranges;
}

guint32 subuids_owner(const GArray *ranges, guint32 uid)
{
	for (guint i = 0; i < ranges->len; i++) {
		const SubuidRange *range = &g_array_index(ranges, SubuidRange, i);

		if (uid >= range->first && uid <= range->last)
			return range->owner;
	}
	return uid;
}

char *subuids_to_text(const GArray *ranges, guint most)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < MIN(ranges->len, most); i++) {
		const SubuidRange *range = &g_array_index(ranges, SubuidRange, i);
		guint32 last = range->last;

		for (guint j = i; i + 1 == most && j < ranges->len; j++)
			last = MAX(last, g_array_index(ranges, SubuidRange, j).last);
		g_string_append_printf(text, "%u %u %u\n", range->first, last, range->owner);
	}
	return g_string_free(text, FALSE);
}

GArray *subuids_from_text(const char *text)
{
	GArray *ranges = g_array_new(FALSE, FALSE, sizeof(SubuidRange));
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		SubuidRange range;
		char behind;

		if (!*lines[i])
			continue;
		if (sscanf(lines[i], "%u %u %u%c", &range.first, &range.last, &range.owner,
			   &behind) != 3 ||
		    range.first > range.last || !range.owner) {
			g_array_unref(ranges);
			return NULL;
		}
		g_array_append_val(ranges, range);
	}
	return ranges;
}
