// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/losstimes.h"

#include <stdlib.h>

#include "analysis/pairing/stream_end.h"
#include "base/compare.h"
#include "base/seed.h"
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
	Window window = { from_ns, to_ns > from_ns ? to_ns : from_ns + 1 };

	g_array_append_val(times->windows, window);
}

/* Adds the losses of a stream, but only of whole records. Unreadable ones may be of any time. */
static void add_stream(LossTimes *times, const struct trace_stream *stream)
{
	const struct trace_stream_stats *seen = trace_stream_stats(stream);
	const struct trace_loss_window *windows;
	size_t count = trace_stream_losses(stream, &windows);

	for (size_t i = 0; i < count; i++) {
		/* What is missing before the first event has no beginning. */
		bool is_first = !i && windows[i].from_ns == windows[i].to_ns;

		if (windows[i].reason == KMEMTRACE_LOSS_BUFFER_FULL ||
		    windows[i].reason >= TRACE_LOSS_MISSING)
			losstimes_add(times, is_first ? 0 : windows[i].from_ns, windows[i].to_ns);
	}
	if (seen->unfinished || seen->unknown)
		losstimes_add(times, 0, G_MAXUINT64);
}

static void take_stats(const StatsLine *stats, gpointer data)
{
	if (!stats->group)
		g_hash_table_replace(data, GSIZE_TO_POINTER((gsize)stats->cpu + 1),
				     g_memdup2(stats, sizeof(*stats)));
}

/* Returns the lines of CPUs in the text "stats", by CPU + 1. */
static GHashTable *read_stats(struct trace_reader *reader, enum kmemtrace_phase phase)
{
	GHashTable *stats = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	struct trace_error unsaid;
	char *text;

	if (trace_reader_outer_snapshot(reader, "stats", phase, &text, &unsaid))
		return stats;
	snapshot_each_stats(text, take_stats, stats);
	free(text);
	return stats;
}

/*
 * Returns whether the final counters of a CPU prove that nothing is missing behind its last
 * sub-buffer. A part of a recording lacks what was in the buffer when it ended.
 */
static gboolean has_end(const struct trace_stream_stats *seen, const StatsLine *stats,
			const StatsLine *before)
{
	return stats && !stream_end(seen, stats, before).count &&
	       stats->lost[KMEMTRACE_LOSS_BUFFER_FULL] <= seen->lost[KMEMTRACE_LOSS_BUFFER_FULL] &&
	       (seen->subbufs || stats->written <= (before ? before->written : 0));
}

/* Adds what is missing behind the last sub-buffers, at all later times: its end is unknown. */
static void add_endings(LossTimes *times, const struct trace_merge *merge,
			struct trace_reader *reader)
{
	static const struct trace_stream_stats nothing;
	GHashTable *start = read_stats(reader, KMEMTRACE_PHASE_START);
	GHashTable *end = read_stats(reader, KMEMTRACE_PHASE_END);
	gboolean continues = trace_reader_is_joined(reader) || trace_reader_lacks_parts(reader);
	GHashTableIter iter;
	gpointer key, line;

	for (size_t i = 0; i < trace_merge_streams(merge); i++) {
		uint32_t cpu;
		const struct trace_stream_stats *seen =
			trace_stream_stats(trace_merge_stream(merge, i, &cpu));

		key = GSIZE_TO_POINTER((gsize)cpu + 1);
		if (!has_end(seen, g_hash_table_lookup(end, key), NULL))
			losstimes_add(times, seen->last_ns, G_MAXUINT64);
		g_hash_table_remove(end, key);
		g_hash_table_remove(start, key);
	}
	/* CPUs without sub-buffers */
	g_hash_table_iter_init(&iter, end);
	while (g_hash_table_iter_next(&iter, &key, &line)) {
		if (!has_end(&nothing, line, continues ? g_hash_table_lookup(start, key) : NULL))
			losstimes_add(times, 0, G_MAXUINT64);
		g_hash_table_remove(start, key);
	}
	if (g_hash_table_size(start))
		losstimes_add(times, 0, G_MAXUINT64);
	g_hash_table_unref(start);
	g_hash_table_unref(end);
}

void losstimes_add_merge(LossTimes *times, const struct trace_merge *merge,
			 struct trace_reader *reader)
{
	struct trace_beginning beginning = trace_merge_beginning(merge);

	for (size_t i = 0; i < trace_merge_streams(merge); i++) {
		uint32_t cpu;

		add_stream(times, trace_merge_stream(merge, i, &cpu));
	}
	add_endings(times, merge, reader);
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
