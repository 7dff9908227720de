// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/loss_monitor.h"

#include <string.h>

#include "base/message.h"
#include "base/units.h"
#include "trace/event/event.h"

#define TELL_EVERY_US (5 * G_USEC_PER_SEC)
#define BUFFER_MAX    (G_GUINT64_CONSTANT(1) << 30) /* bytes for each CPU; the tracer's limit */
#define SAMPLE_MAX    1024

struct LossMonitor {
	GArray *before; /* of CaptureStats: the counters last reported, or those at the start */
	gint64 told_us; /* 0: nothing was reported yet */
};

LossMonitor *loss_monitor_new(const Control *control)
{
	GArray *stats = stats_read_cpus(control, NULL);
	LossMonitor *watch;

	if (!stats)
		return NULL;
	watch = g_new0(LossMonitor, 1);
	watch->before = stats;
	return watch;
}

void loss_monitor_free(LossMonitor *watch)
{
	if (!watch)
		return;
	g_array_unref(watch->before);
	g_free(watch);
}

static void find_before(const LossMonitor *watch, guint cpu, CaptureStats *before)
{
	memset(before, 0, sizeof(*before));
	for (guint i = 0; i < watch->before->len; i++) {
		const CaptureStats *stats = &g_array_index(watch->before, CaptureStats, i);

		if (stats->cpu == cpu)
			*before = *stats;
	}
}

/*
 * Finds the CPU that has lost the most records to a full buffer since. Returns FALSE if there is
 * none.
 */
static gboolean find_worst(const LossMonitor *watch, const GArray *now, CaptureStats *worst)
{
	guint64 most = 0;

	for (guint i = 0; i < now->len; i++) {
		const CaptureStats *stats = &g_array_index(now, CaptureStats, i);
		guint64 full = stats->lost[KMEMTRACE_LOSS_BUFFER_FULL];
		CaptureStats before;

		find_before(watch, stats->cpu, &before);
		if (full <= before.lost[KMEMTRACE_LOSS_BUFFER_FULL] + most)
			continue;
		most = full - before.lost[KMEMTRACE_LOSS_BUFFER_FULL];
		*worst = *stats;
		worst->written -= MIN(before.written, stats->written);
		worst->lost[KMEMTRACE_LOSS_BUFFER_FULL] = most;
	}
	return most != 0;
}

static guint64 round_up(guint64 value)
{
	guint64 power = 1;

	while (power < value)
		power *= 2;
	return power;
}

/* Appends the number of sub-buffers that would have held the lost events, plus half of it. */
static void append_buffers(GString *text, const Control *control, guint64 lost)
{
	guint64 size, count, needed;

	if (!control_get(control, "subbuf_size", &size, NULL) || !size ||
	    !control_get(control, "subbufs", &count, NULL))
		return;
	needed = round_up(count + lost * sizeof(struct kmemtrace_record) * 3 / 2 / size + 1);
	if (needed * size > BUFFER_MAX)
		needed = BUFFER_MAX / size;
	if (needed > count)
		g_string_append_printf(text,
				       "--subbufs %" G_GUINT64_FORMAT
				       " --subbuf-size %" G_GUINT64_FORMAT "K",
				       needed, size / 1024);
}

/* Returns an option that avoids the loss next time. */
static char *remedy_of(const Control *control, const CaptureStats *worst)
{
	guint64 lost = worst->lost[KMEMTRACE_LOSS_BUFFER_FULL];
	GString *text = g_string_new(NULL);

	append_buffers(text, control, lost);
	if (control_has(control, "sample")) {
		guint64 factor = round_up(2 * (worst->written + lost) / MAX(worst->written, 1));

		g_string_append_printf(text, "%s--sample %" G_GUINT64_FORMAT, text->len ? ", " : "",
				       MIN(factor, SAMPLE_MAX));
	}
	if (control_has(control, "events"))
		g_string_append_printf(text, "%s-e with fewer events", text->len ? " or " : "");
	return g_string_free(text, FALSE);
}

static void report(const Control *control, const CaptureStats *worst)
{
	g_autofree char *lost = units_format_count(worst->lost[KMEMTRACE_LOSS_BUFFER_FULL]);
	g_autofree char *remedy = NULL;

	if (worst->unbuffered) {
		message("losing events: %s on CPU %u, which came online after the start and has no buffer (%s); next time: start when it is online",
			lost, worst->cpu, trace_loss_name(KMEMTRACE_LOSS_BUFFER_FULL));
		return;
	}
	remedy = remedy_of(control, worst);
	message("losing events: %s on CPU %u, its buffer is full (%s); next time: %s", lost,
		worst->cpu, trace_loss_name(KMEMTRACE_LOSS_BUFFER_FULL),
		remedy[0] ? remedy : "less load");
}

void loss_monitor_look(LossMonitor *watch, const Control *control)
{
	gint64 now_us = g_get_monotonic_time();
	CaptureStats worst;
	GArray *now;

	if (!watch || (watch->told_us && now_us - watch->told_us < TELL_EVERY_US))
		return;
	now = stats_read_cpus(control, NULL);
	if (!now)
		return;
	if (find_worst(watch, now, &worst)) {
		report(control, &worst);
		watch->told_us = now_us;
		g_array_unref(watch->before);
		watch->before = g_steal_pointer(&now);
	}
	if (now)
		g_array_unref(now);
}
