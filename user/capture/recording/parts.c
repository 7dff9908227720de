// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/parts.h"

#include <string.h>

#include "base/outfile.h"

#define SUFFIX ".kmt"

/* Returns the suffix after the number. */
static const char *suffix_of(const char *path)
{
	return g_str_has_suffix(path, SUFFIX) ? SUFFIX : "";
}

char *parts_path(const char *path, guint number)
{
	const char *suffix = suffix_of(path);
	int len = strlen(path) - strlen(suffix);

	return g_strdup_printf("%.*s.%u%s", len, path, number, suffix);
}

/*
 * Returns the number of the file @name among the parts of @path, in the same folder; 0 if it is not
 * one.
 */
static guint number_of(const char *path, const char *name)
{
	g_autofree char *base = g_path_get_basename(path);
	gsize len = strlen(base) - strlen(suffix_of(path));
	g_autofree char *again = NULL;
	guint64 number;

	if (strncmp(name, base, len) != 0 || name[len] != '.')
		return 0;
	number = g_ascii_strtoull(name + len + 1, NULL, 10);
	if (number > G_MAXUINT)
		return 0;
	again = parts_path(base, number);
	return strcmp(again, name) == 0 ? number : 0;
}

guint parts_after(const char *path, guint number, guint *first)
{
	g_autoptr(GPtrArray) names = outfile_list(path);
	guint count = 0;

	*first = 0;
	for (guint i = 0; i < names->len; i++) {
		guint other = number_of(path, names->pdata[i]);

		if (other <= number)
			continue;
		count++;
		if (!*first || other < *first)
			*first = other;
	}
	return count;
}
