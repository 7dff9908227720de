// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/suppress.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/regular.h"

#define CACHE_PREFIX "cache:"
#define PATTERNS_MAX 4096 /* each is compared with all names */

struct Suppress {
	GPtrArray *functions, *caches; /* of GPatternSpec */
};

static void free_pattern(gpointer pattern)
{
	g_pattern_spec_free(pattern);
}

static gboolean suppress_fail(const char *path, guint line, const char *why, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT,
		    "%s:%u: %s (expected one pattern a line, as copy_* or cache:dentry)", path,
		    line, why);
	return FALSE;
}

/* @text has no leading or trailing blanks. */
static gboolean add(Suppress *suppress, const char *text, const char *path, guint line,
		    GError **error)
{
	gboolean is_cache = g_str_has_prefix(text, CACHE_PREFIX);
	const char *pattern = is_cache ? text + strlen(CACHE_PREFIX) : text;

	if (!*pattern)
		return suppress_fail(path, line, "a cache without a name", error);
	if (strpbrk(pattern, " \t"))
		return suppress_fail(path, line, "a blank in a pattern", error);
	if (suppress->functions->len + suppress->caches->len >= PATTERNS_MAX)
		return suppress_fail(path, line, "more than 4096 patterns", error);
	g_ptr_array_add(is_cache ? suppress->caches : suppress->functions, glob_new(pattern));
	return TRUE;
}

/* Returns the text of the regular file @path, for g_free(). Opening a FIFO would block. */
static char *read_text(const char *path, gsize *len, GError **error)
{
	int fd = regular_open(path, NULL), failure = errno;
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);
	char *text = NULL;

	if (fd < 0) {
		store_fail(error, "can't open %s: %s", path,
			   failure == EINVAL ? "it is not a regular file" : g_strerror(failure));
		return NULL;
	}
	g_file_get_contents(link, &text, len, error);
	close(fd);
	return text;
}

Suppress *suppress_read(const char *path, GError **error)
{
	g_autoptr(Suppress) suppress = g_new0(Suppress, 1);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	gsize len;

	suppress->functions = g_ptr_array_new_with_free_func(free_pattern);
	suppress->caches = g_ptr_array_new_with_free_func(free_pattern);
	text = read_text(path, &len, error);
	if (!text)
		return NULL;
	if (!g_utf8_validate(text, len, NULL)) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FORMAT, "%s is not a text file", path);
		return NULL;
	}
	lines = g_strsplit(text, "\n", -1);
	for (guint i = 0; lines[i]; i++) {
		lines[i][strcspn(lines[i], "#")] = 0;
		g_strstrip(lines[i]);
		if (*lines[i] && !add(suppress, lines[i], path, i + 1, error))
			return NULL;
	}
	return g_steal_pointer(&suppress);
}

void suppress_free(Suppress *suppress)
{
	if (!suppress)
		return;
	g_ptr_array_unref(suppress->functions);
	g_ptr_array_unref(suppress->caches);
	g_free(suppress);
}

const GPtrArray *suppress_functions(const Suppress *suppress)
{
	return suppress->functions;
}

const GPtrArray *suppress_caches(const Suppress *suppress)
{
	return suppress->caches;
}
