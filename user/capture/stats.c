// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/stats.h"

#include <string.h>

#include "trace/event.h"

/* Which counter a column of "stats" is; NULL: none of ours. */
static guint64 *counter_of(CaptureStats *stats, const char *column)
{
	if (strcmp(column, "written") == 0)
		return &stats->written;
	for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
		if (strcmp(column, trace_loss_name(reason)) == 0)
			return &stats->lost[reason];
	}
	return NULL;
}

static void add_line(CaptureStats *stats, char **columns, const char *line)
{
	g_auto(GStrv) values = g_strsplit(line, " ", -1);

	for (guint i = 0; columns[i] && values[i]; i++) {
		guint64 *counter = counter_of(stats, columns[i]);

		if (counter)
			*counter += g_ascii_strtoull(values[i], NULL, 10);
	}
}

gboolean stats_read(const Control *control, CaptureStats *stats, GError **error)
{
	g_autofree char *path = control_path(control, "stats");
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	g_auto(GStrv) columns = NULL;

	memset(stats, 0, sizeof(*stats));
	if (!g_file_get_contents(path, &text, NULL, error))
		return FALSE;
	lines = g_strsplit(text, "\n", -1);
	columns = g_strsplit(lines[0] ? lines[0] : "", " ", -1);
	for (guint i = 1; lines[0] && lines[i]; i++) {
		if (g_ascii_isdigit(lines[i][0]))
			add_line(stats, columns, lines[i]);
	}
	return TRUE;
}

guint64 stats_lost_records(const CaptureStats *stats)
{
	return stats->lost[KMEMTRACE_LOSS_BUFFER_FULL] + stats->lost[KMEMTRACE_LOSS_NMI] +
	       stats->lost[KMEMTRACE_LOSS_RECURSION];
}
