// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/status.h"

#include <string.h>

#include "capture/tracer/settings.h"

static char **lines_of(const char *text)
{
	GPtrArray *kept = g_ptr_array_new();
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		if (*lines[i])
			g_ptr_array_add(kept, g_strdup(g_strchomp(lines[i])));
	}
	g_ptr_array_add(kept, NULL);
	return (char **)g_ptr_array_free(kept, FALSE);
}

static void read_texts(const Control *control, Status *status)
{
	g_autofree char *filters = settings_filters_text(control);
	g_autofree char *paths = control_read(control, "paths", NULL);

	status->events = control_read(control, "events", NULL);
	if (status->events)
		g_strstrip(status->events);
	if (filters)
		status->filters = lines_of(filters);
	if (paths)
		status->paths = lines_of(paths);
}

gboolean status_read(const Control *control, Status *status, GError **error)
{
	memset(status, 0, sizeof(*status));
	status->source = control_source(control);
	if (!tracer_state(control, &status->state, error) ||
	    !control_get(control, "subbuf_size", &status->subbuf_size, error) ||
	    !control_get(control, "subbufs", &status->subbufs, error) ||
	    !control_get(control, "stack_depth", &status->stack_depth, error) ||
	    !control_get(control, "stack_bytes", &status->stack_bytes, error))
		return FALSE;
	status->holder = tracer_holder(control);
	if (status->holder > 0)
		status->holder_name = tracer_process_name(status->holder);
	status->overwrite = tracer_overwrites(control);
	status->frozen = stats_are_frozen(control);
	read_texts(control, status);
	status->cpus = stats_read_cpus(control, error);
	status->memories = status->cpus ? stats_read_memories(control, error) : NULL;
	return status->memories != NULL;
}

void status_clear(Status *status)
{
	g_clear_pointer(&status->holder_name, g_free);
	g_clear_pointer(&status->events, g_free);
	g_clear_pointer(&status->filters, g_strfreev);
	g_clear_pointer(&status->paths, g_strfreev);
	g_clear_pointer(&status->cpus, g_array_unref);
	g_clear_pointer(&status->memories, g_array_unref);
	g_clear_pointer(&status->others, g_array_unref);
}

gboolean status_filter_is_set(const char *filter)
{
	const char *value = strchr(filter, ' ');

	if (!value || !value[1] || strcmp(value, " 0") == 0)
		return FALSE;
	return strcmp(filter, "sample 1") != 0;
}
