// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/stats.h"

#include <string.h>

#include "base/columns.h"
#include "trace/event.h"

static void add_value(guint64 cpu, const char *column, guint64 value, gpointer data)
{
	CaptureStats *stats = data;

	(void)cpu;
	if (strcmp(column, "written") == 0)
		stats->written += value;
	for (unsigned int reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
		if (strcmp(column, trace_loss_name(reason)) == 0)
			stats->lost[reason] += value;
	}
}

gboolean stats_read(const Control *control, CaptureStats *stats, GError **error)
{
	g_autofree char *path = control_path(control, "stats");
	g_autofree char *text = NULL;

	memset(stats, 0, sizeof(*stats));
	if (!g_file_get_contents(path, &text, NULL, error))
		return FALSE;
	columns_parse(text, add_value, stats);
	return TRUE;
}

guint64 stats_lost_records(const CaptureStats *stats)
{
	return stats->lost[KMEMTRACE_LOSS_BUFFER_FULL] + stats->lost[KMEMTRACE_LOSS_NMI] +
	       stats->lost[KMEMTRACE_LOSS_RECURSION];
}
