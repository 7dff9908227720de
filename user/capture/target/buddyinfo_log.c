// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/target/buddyinfo_log.h"

#include <string.h>
#include <time.h>

#include "base/monotonic.h"
#include "capture/target/snapshot.h"
#include "capture/tracer/trace_clock.h"

#define BUDDYINFO   "/proc/buddyinfo"
#define SAMPLES_MAX 512 /* an even number */
#define NS_PER_S    G_GUINT64_CONSTANT(1000000000)
#define EVERY_NS    NS_PER_S /* initial interval */

struct BuddyinfoLog {
	GPtrArray *samples; /* lines of one time, each "time_ns " and a line of buddyinfo */
	guint64 every_ns, next_ns;
	guint written; /* samples in the file */
};

BuddyinfoLog *buddyinfo_log_new(void)
{
	BuddyinfoLog *times = g_new0(BuddyinfoLog, 1);

	times->samples = g_ptr_array_new_with_free_func(g_free);
	times->every_ns = EVERY_NS;
	return times;
}

void buddyinfo_log_free(BuddyinfoLog *times)
{
	if (!times)
		return;
	g_ptr_array_unref(times->samples);
	g_free(times);
}

/* Drops every other sample. */
static void thin(BuddyinfoLog *times)
{
	for (guint i = 1; i < times->samples->len; i++)
		g_ptr_array_remove_index(times->samples, i);
	times->every_ns *= 2;
	times->written = MIN(times->written, times->samples->len);
}

static void sample(BuddyinfoLog *times, const Control *control)
{
	guint64 now = trace_clock_now(control);
	g_autoptr(GString) lines = g_string_new(NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) zones = NULL;

	if (!g_file_get_contents(BUDDYINFO, &text, NULL, NULL))
		return;
	if (times->samples->len == SAMPLES_MAX)
		thin(times);
	zones = g_strsplit(text, "\n", -1);
	for (guint i = 0; zones[i]; i++) {
		if (*zones[i])
			g_string_append_printf(lines, "%" G_GUINT64_FORMAT " %s\n", now, zones[i]);
	}
	g_ptr_array_add(times->samples, g_strdup(lines->str));
	times->next_ns = monotonic_ns() + times->every_ns;
}

static gboolean write_text(BuddyinfoLog *times, struct trace_writer *writer, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < times->samples->len; i++)
		g_string_append(text, g_ptr_array_index(times->samples, i));
	times->written = times->samples->len;
	return !text->len || snapshot_write_text(writer, "buddyinfo_times", KMEMTRACE_PHASE_END,
						 text->str, text->len, error);
}

gboolean buddyinfo_log_look(BuddyinfoLog *times, const Control *control,
			    struct trace_writer *writer, GError **error)
{
	if (monotonic_ns() < times->next_ns)
		return TRUE;
	sample(times, control);
	return times->samples->len < times->written + times->written / 2 ||
	       write_text(times, writer, error);
}

gboolean buddyinfo_log_end(BuddyinfoLog *times, const Control *control, struct trace_writer *writer,
			   GError **error)
{
	gboolean fine;

	sample(times, control);
	fine = write_text(times, writer, error);
	times->written = 0;
	return fine;
}
