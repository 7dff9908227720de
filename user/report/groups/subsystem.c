// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/groups/subsystem.h"

#include <string.h>

#include "base/seed.h"

/* The top-level folders of the source. */
static const char *const tops[] = { "arch",    "block", "certs",    "crypto",  "drivers",  "fs",
				    "include", "init",  "io_uring", "ipc",     "kernel",   "lib",
				    "mm",      "net",   "rust",     "samples", "security", "sound",
				    "tools",   "usr",   "virt",     NULL };

/* Those whose subfolders are the subsystems. */
static const char *const shelves[] = { "arch", "drivers", "fs", "net", "security", "sound", NULL };

static gboolean is_one_of(const char *const *names, const char *name, gsize len)
{
	for (; *names; names++) {
		if (strlen(*names) == len && !strncmp(*names, name, len))
			return TRUE;
	}
	return FALSE;
}

/* ---- root ---- */

/* Counts each folder that could be the root of @path. */
static void vote(GHashTable *votes, const char *path)
{
	const char *name = path + 1, *end;

	for (; (end = strchr(name, '/')); name = end + 1) {
		guint count;
		char *root;

		if (!is_one_of(tops, name, end - name))
			continue;
		root = g_strndup(path, name - path);
		count = GPOINTER_TO_UINT(g_hash_table_lookup(votes, root));
		g_hash_table_replace(votes, root, GUINT_TO_POINTER(count + 1));
	}
}

static gboolean is_better(const char *root, guint count, const char *best, guint most)
{
	gsize len = strlen(root), best_len = best ? strlen(best) : 0;

	if (count != most)
		return count > most;
	return len != best_len ? len > best_len : strcmp(root, best) < 0;
}

/* Of several with the same count, the longest: /build/kernel/linux/ isn't /build/. */
char *subsystem_root(const GPtrArray *paths)
{
	g_autoptr(GHashTable) votes = g_hash_table_new_full(seed_text, g_str_equal, g_free, NULL);
	const char *best = NULL;
	GHashTableIter iter;
	gpointer root, count;
	guint most = 0;

	for (guint i = 0; i < paths->len; i++) {
		const char *path = g_ptr_array_index(paths, i);

		if (*path == '/')
			vote(votes, path);
	}
	g_hash_table_iter_init(&iter, votes);
	while (g_hash_table_iter_next(&iter, &root, &count)) {
		if (!is_better(root, GPOINTER_TO_UINT(count), best, most))
			continue;
		best = root;
		most = GPOINTER_TO_UINT(count);
	}
	return g_strdup(best);
}

/* ---- subsystem ---- */

char *subsystem_of(const char *path, const char *root, gboolean module)
{
	const char *end, *second;

	while (g_str_has_prefix(path, "../") || g_str_has_prefix(path, "./"))
		path = strchr(path, '/') + 1;
	if (root && g_str_has_prefix(path, root))
		path += strlen(root);
	end = strchr(path, '/');
	if (!end || end == path || (module && !is_one_of(tops, path, end - path)))
		return NULL;
	second = is_one_of(shelves, path, end - path) ? strchr(end + 1, '/') : NULL;
	return g_strndup(path, second && second > end + 1 ? second - path : end - path);
}
