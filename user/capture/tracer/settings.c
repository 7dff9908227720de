// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/settings.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/procstatus.h"
#include "base/subuids.h"
#include "base/units.h"
#include "capture/tracer/cgroups.h"
#include "capture/tracer/namespaces.h"
#include "capture/tracer/slabnames.h"
#include "capture/tracer/unavailable.h"
#include "kmemtrace_abi.h"

#define SUBBUFS_MIN     4 /* with fewer, the drain can't keep away from the writer */
#define SUBBUF_SIZE_MIN 4096
#define PERCPU_MAX      32768 /* PCPU_MIN_UNIT_SIZE; the kernel refuses more */

/* Settings that an older tracer lacks, in the order of the text of filters. */
static const struct {
	const char *file;
	const char *what;     /* "this tracer has no …" */
	const char *filter;   /* name of the filter; NULL: not a filter */
	const char *fallback; /* the default */
} files[] = {
	{ "events", "choice of events", NULL, SETTINGS_EVENTS_DEFAULT },
	{ "overwrite", "buffers that keep the newest events", NULL, "0" },
	{ "filter_pids", "filters by process", "pids", "" },
	{ "filter_cgroup", "filters by cgroup", "cgroup", "0" },
	{ "filter_cache", "filters by cache", "cache", "" },
	{ "filter_size", "filters by size", "size", "0" },
	{ "sample", "sampling", "sample", "1" },
	{ "user_stacks", "user stacks", NULL, "0" },
};

void settings_clear(Settings *settings)
{
	g_clear_pointer(&settings->source, g_free);
	g_clear_pointer(&settings->events, g_free);
	g_clear_pointer(&settings->pids, g_free);
	g_clear_pointer(&settings->cgroup, g_free);
	g_clear_pointer(&settings->cache, g_free);
}

static gboolean settings_fail(GError **error, const char *text)
{
	g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, text);
	return FALSE;
}

/* The tracer compares the process id: the id of another thread would never match. */
static gboolean check_pid(const char *word, GError **error)
{
	g_autofree char *pid =
		g_strdup_printf("%" G_GINT64_FORMAT, g_ascii_strtoll(word, NULL, 10));
	g_autofree char *path = g_strdup_printf("/proc/%s/status", pid);
	g_autofree char *status = NULL, *process = NULL, *state = NULL;

	if (!g_file_get_contents(path, &status, NULL, NULL)) {
		if (kill((pid_t)g_ascii_strtoll(pid, NULL, 10), 0) == 0 || errno != ESRCH)
			return TRUE;
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "no such process: %s", pid);
		return FALSE;
	}
	process = procstatus_value(status, "Tgid");
	state = procstatus_value(status, "State");
	if (process && strcmp(process, pid) != 0)
		g_set_error(
			error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			"%s is a thread of process %s (use -p %s, which traces all its threads)",
			pid, process, process);
	else if (state && strcmp(state, "Z") == 0)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "process %s has ended",
			    pid);
	else
		return TRUE;
	return FALSE;
}

static gboolean check_pids(const char *pids, GError **error)
{
	g_auto(GStrv) words = g_strsplit(pids, " ", -1);

	for (guint i = 0; words[i]; i++) {
		if (!check_pid(words[i], error))
			return FALSE;
	}
	return TRUE;
}

/* Returns whether one of @groups is among the events of @settings. */
static gboolean has_events(const Settings *settings, const char *const *groups)
{
	const char *events = settings->events ? settings->events : SETTINGS_EVENTS_DEFAULT;
	g_auto(GStrv) words = g_strsplit(events, " ", -1);

	for (guint i = 0; groups[i]; i++) {
		if (g_strv_contains((const char *const *)words, groups[i]))
			return TRUE;
	}
	return FALSE;
}

/* Returns the bytes of the largest block of pages, from the number of orders in buddyinfo. */
static guint64 largest_block(void)
{
	g_autofree char *text = NULL;
	g_auto(GStrv) words = NULL;
	guint orders = 0;

	if (!g_file_get_contents("/proc/buddyinfo", &text, NULL, NULL))
		return G_MAXUINT32;
	text[strcspn(text, "\n")] = 0;
	/* "Node 0, zone DMA 1 2 3…" */
	words = g_strsplit_set(text, " ", -1);
	for (guint i = 0, word = 0; words[i]; i++)
		orders += *words[i] && word++ >= 4;
	return orders ? (guint64)sysconf(_SC_PAGESIZE) << (orders - 1) : G_MAXUINT32;
}

/* Returns the bytes of the largest allocation that the events of @settings can have. */
static guint64 largest_of(const Settings *settings)
{
	static const char *const in_pages[] = { "slab", "page", NULL };
	static const char *const of_any_size[] = { "vmalloc", NULL };
	static const char *const percpu[] = { "percpu", NULL };

	if (has_events(settings, of_any_size))
		return G_MAXUINT32;
	if (has_events(settings, in_pages))
		return largest_block();
	return has_events(settings, percpu) ? PERCPU_MAX : G_MAXUINT32;
}

/* kmalloc() of an impossible size fails, and its event has the requested size. */
static gboolean matches_failures(const Settings *settings)
{
	static const char *const slab[] = { "slab", NULL };

	return has_events(settings, slab);
}

static gboolean check_min_size(const Settings *settings, GError **error)
{
	guint64 largest = largest_of(settings);
	g_autofree char *text = NULL;

	if (settings->min_size > G_MAXUINT32) {
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "--min-size must be below 4G");
		return FALSE;
	}
	if (settings->min_size <= largest || matches_failures(settings))
		return TRUE;
	text = units_format_size((gint64)largest);
	g_set_error(
		error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		"no allocation of these events can be larger than %s: nothing matches --min-size",
		text);
	return FALSE;
}

static gboolean check_cache(const Settings *settings, GError **error)
{
	static const char *const with_caches[] = { "slab", NULL };
	g_autoptr(SlabNames) names = slabnames_read();
	guint64 size = slabnames_object_size(names, settings->cache);

	if (!has_events(settings, with_caches))
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "only slab objects have caches: --cache needs -e slab");
	else if (size && settings->min_size > size)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "objects of '%s' have %" G_GUINT64_FORMAT
			    " bytes: none matches --min-size",
			    settings->cache, size);
	else
		return TRUE;
	return FALSE;
}

/* Returns whether @settings set @file to another value than its default. */
static gboolean is_wanted(const Settings *settings, const char *file)
{
	return (strcmp(file, "events") == 0 && settings->events) ||
	       (strcmp(file, "overwrite") == 0 && settings->overwrite) ||
	       (strcmp(file, "filter_pids") == 0 && settings->pids) ||
	       (strcmp(file, "filter_cgroup") == 0 && settings->cgroup) ||
	       (strcmp(file, "filter_cache") == 0 && settings->cache) ||
	       (strcmp(file, "filter_size") == 0 && settings->min_size) ||
	       (strcmp(file, "user_stacks") == 0 && settings->user_stacks) ||
	       (strcmp(file, "sample") == 0 && settings->sample > 1);
}

static char *number_text(guint64 number)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT, number);
}

/*
 * Returns the text to write to @file, for which is_wanted() is TRUE, for g_free(). NULL: an error.
 */
static char *wanted_text(const Settings *settings, const char *file, GError **error)
{
	guint64 inode;

	if (strcmp(file, "events") == 0)
		return g_strdup(settings->events);
	if (strcmp(file, "filter_pids") == 0)
		return g_strdup(settings->pids);
	if (strcmp(file, "filter_cgroup") == 0)
		return cgroups_find(settings->cgroup, &inode, error) ? number_text(inode) : NULL;
	if (strcmp(file, "filter_cache") == 0)
		return g_strdup(settings->cache);
	if (strcmp(file, "filter_size") == 0)
		return number_text(settings->min_size);
	if (strcmp(file, "sample") == 0)
		return number_text(settings->sample);
	return g_strdup("1"); /* overwrite, user_stacks */
}

static gboolean check_pid_namespace(const Settings *settings, GError **error)
{
	return (!settings->pids && !settings->user_stacks) ||
	       namespaces_check_pids(settings->pids ? "a filter by process" : "--user-stacks",
				     error);
}

gboolean settings_check(const Control *control, const Settings *settings, GError **error)
{
	guint64 inode;

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		if (!is_wanted(settings, files[i].file) || control_has(control, files[i].file))
			continue;
		if (strcmp(control_source(control), "module") != 0)
			g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
				    "BPF programs have no %s: use the module", files[i].what);
		else
			g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
				    "this tracer has no %s (setting %s is missing)", files[i].what,
				    files[i].file);
		return FALSE;
	}
	return check_pid_namespace(settings, error) &&
	       (!settings->events || unavailable_check(control, settings->events, error)) &&
	       (!settings->cgroup || cgroups_find(settings->cgroup, &inode, error)) &&
	       (!settings->pids || check_pids(settings->pids, error)) &&
	       (!settings->cache || check_cache(settings, error)) &&
	       check_min_size(settings, error);
}

/* Makes sub-buffers smaller rather than fewer than SUBBUFS_MIN. */
static gboolean set_buffer_bytes(const Control *control, guint64 bytes, GError **error)
{
	guint64 subbuf_size;

	if (!control_get(control, "subbuf_size", &subbuf_size, error))
		return FALSE;
	while (subbuf_size > SUBBUF_SIZE_MIN && bytes / subbuf_size < SUBBUFS_MIN)
		subbuf_size /= 2;
	if (bytes / subbuf_size < 2) {
		g_autofree char *text = g_strdup_printf("a buffer of %" G_GUINT64_FORMAT
							" bytes is too small (use at least 8K)",
							bytes);

		return settings_fail(error, text);
	}
	return control_set(control, "subbuf_size", subbuf_size, error) &&
	       control_set(control, "subbufs", bytes / subbuf_size, error);
}

static gboolean set_size(const Control *control, const char *name, guint64 value, GError **error)
{
	gboolean is_table = strcmp(name, "stack_bytes") == 0;
	g_autoptr(GError) local = NULL;

	if (!value || control_set(control, name, value, &local))
		return TRUE;
	if (!g_error_matches(local, CAPTURE_ERROR, CAPTURE_ERROR_INVALID)) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	g_set_error(error, local->domain, local->code, "%s (expected %s)", local->message,
		    is_table ? "at least 64K"
			     : "2 or more sub-buffers of whole pages, at most 1G in all");
	return FALSE;
}

/*
 * The tracer checks each size together with the others, so the one that shrinks must be set first.
 */
gboolean settings_set_sizes(const Control *control, const Settings *settings, GError **error)
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

gboolean settings_read_sizes(const Control *control, Settings *settings, GError **error)
{
	guint64 depth;

	if (!control_get(control, "subbuf_size", &settings->subbuf_size, error) ||
	    !control_get(control, "subbufs", &settings->subbufs, error) ||
	    !control_get(control, "stack_bytes", &settings->stack_bytes, error) ||
	    !control_get(control, "stack_depth", &depth, error))
		return FALSE;
	settings->stack_depth = depth;
	return TRUE;
}

static gboolean set_file(const Control *control, const Settings *settings, guint index,
			 GError **error)
{
	const char *file = files[index].file;
	g_autofree char *text = NULL;

	if (!control_has(control, file))
		return TRUE;
	if (!is_wanted(settings, file))
		return control_write(control, file, files[index].fallback, error);
	text = wanted_text(settings, file, error);
	return text && control_write(control, file, text, error);
}

/*
 * Reports filters that match little. They are allowed: a process may be moved into an empty cgroup
 * at any time, and allocations that fail may have any size.
 */
static void say_unlikely(const Settings *settings)
{
	guint64 inode, largest = largest_of(settings);
	g_autofree char *dir = settings->cgroup ? cgroups_dir(settings->cgroup, &inode) : NULL;
	g_autofree char *file = g_build_filename(dir ? dir : "", "cgroup.events", NULL);
	g_autofree char *events = NULL, *text = NULL;

	if (dir && g_file_get_contents(file, &events, NULL, NULL) && strstr(events, "populated 0"))
		message("no process is in the cgroup '%s' or below it", settings->cgroup);
	if (settings->min_size > largest) {
		text = units_format_size((gint64)largest);
		message("no allocation can be larger than %s: only those that fail match --min-size",
			text);
	}
}

/* So that a user's subordinate uids have no shares of the tracer's tables. */
static gboolean set_subuids(const Control *control, GError **error)
{
	g_autoptr(GArray) ranges = subuids_read("/etc");
	g_autofree char *text = subuids_to_text(ranges, KMEMTRACE_SUBUIDS_MAX);

	return !control_has(control, "subuids") || control_write(control, "subuids", text, error);
}

gboolean settings_apply(const Control *control, const Settings *settings, GError **error)
{
	if (!settings_check(control, settings, error) || !control_set(control, "reset", 1, error) ||
	    !settings_set_sizes(control, settings, error))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		if (!set_file(control, settings, i, error))
			return FALSE;
	}
	say_unlikely(settings);
	return set_subuids(control, error);
}

GPtrArray *settings_save(const Control *control, GError **error)
{
	g_autoptr(GPtrArray) saved = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		char *text = NULL;

		if (control_has(control, files[i].file)) {
			text = control_read(control, files[i].file, error);
			if (!text)
				return NULL;
		}
		g_ptr_array_add(saved, text ? g_strchomp(text) : NULL);
	}
	return g_steal_pointer(&saved);
}

gboolean settings_restore(const Control *control, const GPtrArray *saved, GError **error)
{
	for (guint i = 0; i < saved->len; i++) {
		if (saved->pdata[i] &&
		    !control_write(control, files[i].file, saved->pdata[i], error))
			return FALSE;
	}
	return TRUE;
}

/* Returns what is to be said of a filter's value; "": nothing. */
static const char *filter_note(const char *file, const char *value)
{
	guint64 inode;

	if (strcmp(file, "filter_cgroup") != 0 ||
	    !g_ascii_string_to_unsigned(value, 10, 1, G_MAXUINT64, &inode, NULL) ||
	    !cgroups_is_gone(inode))
		return "";
	return ", which is gone: a later cgroup of its name is not traced";
}

char *settings_filters_text(const Control *control)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *value =
			files[i].filter ? control_read(control, files[i].file, NULL) : NULL;

		if (!value)
			continue;
		g_strdelimit(g_strstrip(value), "\n", ' ');
		g_string_append_printf(text, "%s %s%s\n", files[i].filter, value,
				       filter_note(files[i].file, value));
	}
	return g_string_free(text, text->len == 0);
}

char *settings_unavailable(const Control *control, const Settings *settings)
{
	gboolean is_module = !strcmp(control_source(control), "module");

	/* The module lacks some default events only if the kernel does, which reports say. */
	if (!settings->events && is_module)
		return NULL;
	return unavailable_text(control, settings->events ?: SETTINGS_EVENTS_DEFAULT);
}
