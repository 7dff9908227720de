// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/calltree/metric.h"

#include <string.h>

static const CallMetricNames metrics[CALL_METRICS] = {
	[CALL_BYTES] = { "bytes", "bytes", "bytes allocated", TRUE },
	[CALL_COUNT] = { "count", "count", "allocations", FALSE },
	[CALL_LIVE_BYTES] = { "live", "live_bytes", "bytes live at the end", TRUE },
	[CALL_LIVE_COUNT] = { "live-count", "live_count", "allocations live at the end", FALSE },
	[CALL_PEAK_BYTES] = { "peak", "peak_bytes", "bytes live at the peak", TRUE },
	[CALL_PEAK_COUNT] = { "peak-count", "peak_count", "allocations live at the peak", FALSE },
	[CALL_WASTE_BYTES] = { "waste", "waste_bytes", "bytes wasted by rounding", TRUE },
	[CALL_TEMPORARY] = { "temporary", "temporary",
			     "allocations freed before the next one of the same thread", FALSE },
	[CALL_BYTE_MS] = { "byte-seconds", "byte_seconds", "bytes times seconds live", TRUE },
	[CALL_LIVED_US] = { "lived", "lived_us", "time live, of all allocations together", FALSE },
};

const CallMetricNames *callmetric_of(CallMetric metric)
{
	return &metrics[metric];
}

gboolean callmetric_find(const char *name, CallMetric *metric)
{
	for (guint i = 0; i < CALL_METRICS; i++) {
		if (strcmp(metrics[i].name, name))
			continue;
		*metric = i;
		return TRUE;
	}
	return FALSE;
}

char *callmetric_names(void)
{
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < CALL_METRICS; i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "", metrics[i].name);
	return g_string_free(names, FALSE);
}
