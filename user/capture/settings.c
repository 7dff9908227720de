// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/settings.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#define SUBBUFS_MIN	4	/* fewer, and the drain can't keep away from the writer */
#define SUBBUF_SIZE_MIN	4096
#define CGROUP2_MAGIC	0x63677270	/* linux/magic.h */

/* The control files that an older tracer doesn't have, in the order of the text of filters. */
static const struct {
	const char *file;
	const char *what;	/* "this tracer has no …" */
	const char *filter;	/* its name as a filter; NULL: it is none */
	const char *fallback;	/* what is set when nothing is asked for */
} files[] = {
	{ "events", "choice of events", NULL, SETTINGS_EVENTS_DEFAULT },
	{ "overwrite", "buffers that keep the newest events", NULL, "0" },
	{ "filter_pids", "filters by process", "pids", "" },
	{ "filter_cgroup", "filters by cgroup", "cgroup", "0" },
	{ "filter_cache", "filters by cache", "cache", "" },
	{ "filter_size", "filters by size", "size", "0" },
	{ "sample", "sampling", "sample", "1" },
};

void settings_clear(Settings *settings)
{
	g_clear_pointer(&settings->events, g_free);
	g_clear_pointer(&settings->pids, g_free);
	g_clear_pointer(&settings->cgroup, g_free);
	g_clear_pointer(&settings->cache, g_free);
}

static gboolean fail(GError **error, const char *text)
{
	g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, text);
	return FALSE;
}

static gboolean check_pids(const char *pids, GError **error)
{
	g_auto(GStrv) words = g_strsplit(pids, " ", -1);

	for (guint i = 0; words[i]; i++) {
		if (kill(g_ascii_strtoll(words[i], NULL, 10), 0) == 0 || errno != ESRCH)
			continue;
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "there is no process %s",
			    words[i]);
		return FALSE;
	}
	return TRUE;
}

/* Where version 1 has the usual place, version 2 is below it. */
static gboolean find_cgroup(const char *path, guint64 *inode, GError **error)
{
	static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };
	const char *below = path;

	for (guint i = G_N_ELEMENTS(mounts); i-- > 0;) {
		if (below == path && g_str_has_prefix(path, mounts[i]))
			below = path + strlen(mounts[i]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(mounts); i++) {
		g_autofree char *dir = g_build_filename(mounts[i], below, NULL);
		struct statfs fs;
		struct stat st;

		if (statfs(dir, &fs) || fs.f_type != CGROUP2_MAGIC || stat(dir, &st) ||
		    !S_ISDIR(st.st_mode))
			continue;
		*inode = st.st_ino;
		return TRUE;
	}
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    "there is no cgroup '%s' of version 2 below %s", path, mounts[0]);
	return FALSE;
}

/* *@text, for g_free(), is what @file is to be set to; NULL: nothing is asked for. */
static gboolean wanted(const Settings *settings, const char *file, char **text, GError **error)
{
	guint64 inode;

	*text = NULL;
	if (strcmp(file, "events") == 0) {
		*text = g_strdup(settings->events);
	} else if (strcmp(file, "overwrite") == 0 && settings->overwrite) {
		*text = g_strdup("1");
	} else if (strcmp(file, "filter_pids") == 0) {
		*text = g_strdup(settings->pids);
	} else if (strcmp(file, "filter_cgroup") == 0 && settings->cgroup) {
		if (!find_cgroup(settings->cgroup, &inode, error))
			return FALSE;
		*text = g_strdup_printf("%" G_GUINT64_FORMAT, inode);
	} else if (strcmp(file, "filter_cache") == 0) {
		*text = g_strdup(settings->cache);
	} else if (strcmp(file, "filter_size") == 0 && settings->min_size) {
		*text = g_strdup_printf("%" G_GUINT64_FORMAT, settings->min_size);
	} else if (strcmp(file, "sample") == 0 && settings->sample) {
		*text = g_strdup_printf("%" G_GUINT64_FORMAT, settings->sample);
	}
	return TRUE;
}

gboolean settings_check(const Control *control, const Settings *settings, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = NULL;

		if (!wanted(settings, files[i].file, &text, error))
			return FALSE;
		if (!text || control_has(control, files[i].file))
			continue;
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "this tracer has no %s (control file %s is missing)", files[i].what,
			    files[i].file);
		return FALSE;
	}
	return !settings->pids || check_pids(settings->pids, error);
}

/* Smaller sub-buffers rather than fewer than SUBBUFS_MIN. */
static gboolean set_buffer_bytes(const Control *control, guint64 bytes, GError **error)
{
	guint64 subbuf_size;

	if (!control_get(control, "subbuf_size", &subbuf_size, error))
		return FALSE;
	while (subbuf_size > SUBBUF_SIZE_MIN && bytes / subbuf_size < SUBBUFS_MIN)
		subbuf_size /= 2;
	if (bytes / subbuf_size < 2) {
		g_autofree char *text = g_strdup_printf(
			"a buffer of %" G_GUINT64_FORMAT " bytes is too small: give at least 8K", bytes);

		return fail(error, text);
	}
	return control_set(control, "subbuf_size", subbuf_size, error) &&
	       control_set(control, "subbufs", bytes / subbuf_size, error);
}

static gboolean set_size(const Control *control, const char *name, guint64 value, GError **error)
{
	return !value || control_set(control, name, value, error);
}

/*
 * The tracer looks at each size together with the others: of two that grow and shrink the one that
 * shrinks comes first.
 */
static gboolean set_sizes(const Control *control, const Settings *settings, GError **error)
{
	guint64 subbufs = 0;

	if (settings->buffer_bytes && !set_buffer_bytes(control, settings->buffer_bytes, error))
		return FALSE;
	if (!control_get(control, "subbufs", &subbufs, error))
		return FALSE;
	if (settings->subbufs && settings->subbufs < subbufs &&
	    !control_set(control, "subbufs", settings->subbufs, error))
		return FALSE;
	return set_size(control, "subbuf_size", settings->subbuf_size, error) &&
	       set_size(control, "subbufs", settings->subbufs, error) &&
	       set_size(control, "stack_bytes", settings->stack_bytes, error) &&
	       (settings->stack_depth < 0 ||
		control_set(control, "stack_depth", settings->stack_depth, error));
}

gboolean settings_apply(const Control *control, const Settings *settings, GError **error)
{
	if (!settings_check(control, settings, error) ||
	    !control_set(control, "reset", 1, error) || !set_sizes(control, settings, error))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = NULL;

		if (!control_has(control, files[i].file))
			continue;
		if (!wanted(settings, files[i].file, &text, error) ||
		    !control_write(control, files[i].file, text ? text : files[i].fallback, error))
			return FALSE;
	}
	return TRUE;
}

char *settings_filters_text(const Control *control)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *value = files[i].filter
						 ? control_read(control, files[i].file, NULL)
						 : NULL;

		if (value)
			g_string_append_printf(text, "%s %s\n", files[i].filter,
					       g_strdelimit(g_strstrip(value), "\n", ' '));
	}
	return g_string_free(text, text->len == 0);
}
