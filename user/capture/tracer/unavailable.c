// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/unavailable.h"

#include <string.h>

#include "base/pathgroups.h"

#define UNSEEN "unseen"

typedef struct {
	char *name, *why; /* why: NULL if it is traced, or could be */
	gboolean own;     /* its main group is wanted */
} Source;

static void clear_source(gpointer data)
{
	Source *source = data;

	g_free(source->name);
	g_free(source->why);
}

/*
 * Returns whether the source @name belongs to a group of @wanted. *@own: whether its main group is
 * one of them. An unknown source, of a newer tracer, may belong to any group; names of threads
 * belong to none.
 */
static gboolean is_wanted(const char *name, const char *const *wanted, gboolean *own)
{
	gboolean known = g_str_has_prefix(name, "task_"), first = TRUE, is_wanted = FALSE;

	*own = FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(path_groups); i++) {
		if (!g_pattern_match_simple(path_groups[i].pattern, name))
			continue;
		known = TRUE;
		if (g_strv_contains(wanted, path_groups[i].group)) {
			is_wanted = TRUE;
			*own |= first;
		}
		first = FALSE;
	}
	*own |= !known;
	return is_wanted || !known;
}

/*
 * Parses @line, "name on", "name off" or "name unseen: why". Adds the source if it belongs to a
 * group of @wanted, or if it is unseen and needed for all user stacks.
 */
static void add_source(GArray *sources, const char *line, const char *const *wanted)
{
	g_auto(GStrv) words = g_strsplit(line, " ", 2);
	Source source = { NULL };
	gboolean is_unseen;

	if (!words[0] || !words[1])
		return;
	is_unseen = g_str_has_prefix(words[1], UNSEEN);
	if (strcmp(words[0], "user_maps") == 0 ? !is_unseen
					       : !is_wanted(words[0], wanted, &source.own))
		return;
	source.name = g_strdup(words[0]);
	if (is_unseen) {
		const char *why = words[1] + strlen(UNSEEN);

		source.why = g_strdup(why + strspn(why, ": "));
	}
	g_array_append_val(sources, source);
}

/* Returns an array of Source for the groups @events, in the tracer's order. The caller unrefs. */
static GArray *read_sources(const Control *control, const char *events)
{
	GArray *sources = g_array_new(FALSE, FALSE, sizeof(Source));
	g_auto(GStrv) wanted = g_strsplit(events, " ", -1);
	g_autofree char *text = control_read(control, "paths", NULL);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	g_array_set_clear_func(sources, clear_source);
	for (guint i = 0; lines[i]; i++)
		add_source(sources, lines[i], (const char *const *)wanted);
	return sources;
}

static char *take_text(GString *text)
{
	gboolean is_empty = !text->len;

	return g_string_free(text, is_empty);
}

char *unavailable_names(const Control *control, const char *events)
{
	g_autoptr(GArray) sources = read_sources(control, events);
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < sources->len; i++) {
		const Source *source = &g_array_index(sources, Source, i);

		if (source->why)
			g_string_append_printf(text, "%s%s", text->len ? ", " : "", source->name);
	}
	return take_text(text);
}

/* Adjacent sources that are unseen for the same reason share a line. */
static char *describe(const GArray *sources)
{
	GString *text = g_string_new(NULL);
	const char *why = NULL;

	for (guint i = 0; i < sources->len; i++) {
		const Source *source = &g_array_index(sources, Source, i);

		if (!source->why)
			continue;
		if (why && !strcmp(why, source->why))
			g_string_append(text, ", ");
		else if (why)
			g_string_append_printf(text, ": %s; ", why);
		g_string_append(text, source->name);
		why = source->why;
	}
	if (why)
		g_string_append_printf(text, ": %s", why);
	return take_text(text);
}

char *unavailable_text(const Control *control, const char *events)
{
	g_autoptr(GArray) sources = read_sources(control, events);

	return describe(sources);
}

gboolean unavailable_check(const Control *control, const char *events, GError **error)
{
	g_autoptr(GArray) sources = read_sources(control, events);
	g_autofree char *text = describe(sources);

	if (!text)
		return TRUE;
	for (guint i = 0; i < sources->len; i++) {
		const Source *source = &g_array_index(sources, Source, i);

		if (source->own && !source->why)
			return TRUE;
	}
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    "events of '%s' cannot be traced in this kernel: %s", events, text);
	return FALSE;
}
