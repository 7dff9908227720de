// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/parts.h"

#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "base/outfile.h"
#include "capture/recording/output.h"

#define SUFFIX ".kmt"

/* Numbers that parts_reserve() tries: some in order, the others from a large range. */
#define NUMBERS_MAX   1000
#define IN_ORDER      16
#define NUMBERS_RANGE 1000000

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

/* Creates an empty file. Returns FALSE if that is not possible. */
static gboolean reserve(const char *path, gboolean is_whole)
{
	g_autofree char *unfinished = g_strconcat(path, ".part", NULL);
	int fd;

	if (is_whole && !outfile_check(path, &output_kind, NULL))
		return FALSE;
	fd = outfile_create(is_whole ? unfinished : path, &output_kind, NULL);
	return fd >= 0 && close(fd) == 0;
}

/*
 * In a folder that others can write to, they must not end the recording by files with the names of
 * the next ones. After some numbers in order, they can't know which.
 */
guint parts_reserve(const char *path, guint last, gboolean is_whole)
{
	guint number = last + 1;
	g_autofree char *next = parts_path(path, number);

	for (guint i = 0; i < NUMBERS_MAX; i++) {
		g_autofree char *name = parts_path(path, number);

		if (reserve(name, is_whole))
			break;
		number =
			i < IN_ORDER ? number + 1 : last + 1 + g_random_int_range(0, NUMBERS_RANGE);
	}
	if (number != last + 1)
		message("%s can't be written: the next file has the number %u", next, number);
	return number;
}
