// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/losstimes.h"

#include "base/compare.h"
#include "base/sorted.h"

typedef struct {
	guint64 from_ns, to_ns;
} Window;

struct LossTimes {
	GArray *windows; /* of Window; once sorted, ascending and disjoint */
};

static Window *window_at(const LossTimes *times, guint index)
{
	return &g_array_index(times->windows, Window, index);
}

LossTimes *losstimes_new(void)
{
	LossTimes *times = g_new0(LossTimes, 1);

	times->windows = g_array_new(FALSE, FALSE, sizeof(Window));
	return times;
}

void losstimes_free(LossTimes *times)
{
	g_array_unref(times->windows);
	g_free(times);
}

/* ---- adding ---- */

void losstimes_add(LossTimes *times, guint64 from_ns, guint64 to_ns)
{
	Window window = { from_ns, MAX(to_ns, from_ns + 1) };

	g_array_append_val(times->windows, window);
}

/* Adds the losses of a stream, but only of whole records. */
static void add_stream(LossTimes *times, const struct trace_stream *stream)
{
	const struct trace_loss_window *windows;
	size_t count = trace_stream_losses(stream, &windows);

	for (size_t i = 0; i < count; i++) {
		/* What is missing before the first event has no beginning. */
		bool is_first = !i && windows[i].from_ns == windows[i].to_ns;

		if (windows[i].reason == KMEMTRACE_LOSS_BUFFER_FULL ||
		    windows[i].reason >= TRACE_LOSS_MISSING)
			losstimes_add(times, is_first ? 0 : windows[i].from_ns, windows[i].to_ns);
	}
}

void losstimes_add_merge(LossTimes *times, const struct trace_merge *merge)
{
	struct trace_beginning beginning = trace_merge_beginning(merge);

	for (size_t i = 0; i < trace_merge_streams(merge); i++) {
		uint32_t cpu;

		add_stream(times, trace_merge_stream(merge, i, &cpu));
	}
	/* Events before the beginning were overwritten, or are in another file. */
	if (beginning.late)
		losstimes_add(times, 0, beginning.time_ns);
}

static gint compare_windows(gconstpointer a, gconstpointer b)
{
	guint64 x = ((const Window *)a)->from_ns, y = ((const Window *)b)->from_ns;

	return COMPARE(x, y);
}

void losstimes_sort(LossTimes *times)
{
	guint kept = 0;

	g_array_sort(times->windows, compare_windows);
	for (guint i = 0; i < times->windows->len; i++) {
		Window window = *window_at(times, i);
		Window *last = kept ? window_at(times, kept - 1) : NULL;

		if (last && window.from_ns <= last->to_ns)
			last->to_ns = MAX(last->to_ns, window.to_ns);
		else
			*window_at(times, kept++) = window;
	}
	g_array_set_size(times->windows, kept);
}

/* ---- queries ---- */

/* Counts the windows that begin before @time_ns. */
static guint count_before(const LossTimes *times, guint64 time_ns)
{
	return time_ns ? SORTED_COUNT(times->windows, Window, from_ns, time_ns - 1) : 0;
}

gboolean losstimes_any(const LossTimes *times, guint64 from_ns, guint64 to_ns)
{
	guint before = count_before(times, to_ns);

	return before && window_at(times, before - 1)->to_ns > from_ns;
}

guint losstimes_edges(const LossTimes *times, guint64 time_ns)
{
	guint before = count_before(times, time_ns);

	return 2 * before - (before && window_at(times, before - 1)->to_ns > time_ns);
}
