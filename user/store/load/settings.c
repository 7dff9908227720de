// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/settings.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE_MAX (G_GUINT64_CONSTANT(1) << 40) /* larger numbers are invalid */

static const char *const groups[] = { "slab", "page", "percpu", "vmalloc", "frag", "buddy" };

typedef struct {
	Insert *insert;
	Settings settings;
	gboolean traced[G_N_ELEMENTS(groups)];
} SettingsLoad;

/* Reads the text of the end, which is more complete, or that of the start if there is no end. */
static gboolean each_line(Snapshots *snapshots, const char *name, LineTaker take, gpointer data)
{
	return snapshots_each_line(snapshots, name, KMEMTRACE_PHASE_END, take, data) ||
	       snapshots_each_line(snapshots, name, KMEMTRACE_PHASE_START, take, data);
}

static LineResult take_groups(char *line, gpointer data)
{
	g_auto(GStrv) words = g_strsplit_set(line, " \t", -1);
	SettingsLoad *load = data;

	for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
		load->traced[i] |= g_strv_contains((const char *const *)words, groups[i]);
	return LINE_FINE;
}

static void load_groups(Snapshots *snapshots, Db *db)
{
	SettingsLoad load = { .insert = db_insert(db, "event_group") };

	if (!each_line(snapshots, "events", take_groups, &load))
		return;
	for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
		insert_row(load.insert, "si", groups[i], (gint64)load.traced[i]);
}

static LineResult take_filter(char *line, gpointer data)
{
	SettingsLoad *load = data;
	TextLine filter;
	LineResult result = snapshot_parse_setting(line, &filter);

	if (result != LINE_FINE)
		return result;
	insert_row(load->insert, "ss", filter.key, filter.value);
	if (strcmp(filter.key, "sample") != 0)
		return LINE_FINE;
	return g_ascii_string_to_unsigned(filter.value, 10, 1, SAMPLE_MAX, &load->settings.sample,
					  NULL)
		       ? LINE_FINE
		       : LINE_BAD;
}

/* "name on", "name off", "name unseen: why" */
static LineResult take_path(char *line, gpointer data)
{
	SettingsLoad *load = data;
	const char *why = NULL;
	char *colon;
	TextLine path;
	LineResult result = snapshot_parse_setting(line, &path);

	if (result != LINE_FINE)
		return result;
	if (!*path.value)
		return LINE_BAD;
	colon = strchr(path.value, ':');
	if (colon) {
		*colon = 0;
		why = g_strstrip(colon + 1);
	}
	insert_row(load->insert, "sss", path.key, path.value, why);
	return LINE_FINE;
}

static LineResult take_overwrite(char *line, gpointer data)
{
	SettingsLoad *load = data;

	load->settings.overwrites |= line[0] == '1';
	return LINE_FINE;
}

Settings settings_load(Snapshots *snapshots, Db *db)
{
	SettingsLoad load = { .settings = { .sample = 1 } };

	load_groups(snapshots, db);
	snapshots_each_line(snapshots, "overwrite", KMEMTRACE_PHASE_START, take_overwrite, &load);
	load.insert = db_insert(db, "filter");
	each_line(snapshots, "filters", take_filter, &load);
	load.insert = db_insert(db, "path");
	each_line(snapshots, "paths", take_path, &load);
	return load.settings;
}

ModuleTimes *settings_load_modules(Snapshots *snapshots)
{
	char *text = snapshots_read(snapshots, "module_times", KMEMTRACE_PHASE_END);
	char *functions = snapshots_read(snapshots, "module_functions", KMEMTRACE_PHASE_END);
	ModuleTimes *times = moduletimes_new(text, functions);

	free(text);
	free(functions);
	snapshots_add_skipped(snapshots, moduletimes_skipped_lines(times));
	return times;
}

static gint64 relative(guint64 time_ns, guint64 start_ns)
{
	return time_ns ? (gint64)(time_ns - start_ns) : DB_NULL;
}

void settings_write_modules(const ModuleTimes *times, guint64 start_ns, Db *db)
{
	Insert *insert = db_insert(db, "module");

	for (guint i = 1; i <= moduletimes_count(times); i++) {
		ModuleTime module = moduletimes_get(times, i);

		if (module.is_init)
			continue;
		insert_row(insert, "suuii", module.name, module.base, module.size,
			   relative(module.load_ns, start_ns),
			   relative(module.unload_ns, start_ns));
	}
}
