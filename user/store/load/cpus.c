// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/cpus.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/pairing/stream_end.h"
#include "analysis/snapshot.h"
#include "base/compare.h"
#include "base/seed.h"
#include "trace/event/kind.h"

#define REASONS TRACE_LOSS_NR
/* Upper limit of a plausible counter; sums of such numbers do not overflow in SQL. */
#define COUNT_MAX (G_GUINT64_CONSTANT(1) << 44)

typedef struct {
	Db *db;
	Insert *cpu, *event_count, *loss, *loss_window, *meta;
	guint64 start_ns, end_ns;
	GTree *stats;         /* CPU to StatsLine, the tracer's counters at the end */
	GHashTable *before;   /* CPU to StatsLine, at the start; only CPUs with buffers */
	gboolean is_joined;   /* the counters at the start belong to this session */
	gboolean lacks_parts; /* a CPU without sub-buffers may have some in an earlier file */
	gboolean ends_early;  /* the CPU may have continued after its final counters were read */
	GHashTable *nodes;    /* CPU to its node + 1 */
	GHashTable *left_out; /* number of events by cpus_count_key() */
	guint64 lost;         /* records */
	const struct trace_reader *reader;
	guint64 surplus;   /* records */
	guint64 elsewhere; /* records before the first in the file that were not overwritten */
} CpusWrite;

static int compare_cpus(gconstpointer a, gconstpointer b, gpointer data)
{
	guint x = GPOINTER_TO_UINT(a), y = GPOINTER_TO_UINT(b);

	(void)data;
	return COMPARE(x, y);
}

typedef struct {
	CpusWrite *write;
	gboolean is_end;
} StatsRead;

/* At the start, only counters of the tracer's own memory count. */
static void take_stats(const StatsLine *stats, gpointer data)
{
	const StatsRead *read = data;
	CpusWrite *write = read->write;
	g_autofree char *key = NULL;

	if (!stats->group) {
		gpointer cpu = GUINT_TO_POINTER(stats->cpu),
			 copy = g_memdup2(stats, sizeof(*stats));

		if (read->is_end)
			g_tree_replace(write->stats, cpu, copy);
		else if (write->is_joined)
			g_hash_table_replace(write->before, cpu, copy);
		else
			g_free(copy);
		return;
	}
	key = g_strdup_printf("tracer_%s%s.%s",
			      !strcmp(stats->group, "memory") ? "bytes" : stats->group,
			      read->is_end ? "" : "_before", stats->name);
	insert_row(write->meta, "si", key, stats->value);
}

static void read_stats(CpusWrite *write, Snapshots *snapshots, enum kmemtrace_phase phase)
{
	StatsRead read = { write, phase == KMEMTRACE_PHASE_END };
	char *text = snapshots_read_outer(snapshots, "stats", phase);

	snapshots_add_skipped(snapshots, snapshot_each_stats(text, take_stats, &read));
	free(text);
}

/* "cpu node" */
static LineResult take_node(char *line, gpointer data)
{
	CpusWrite *write = data;
	guint64 cpu;
	NumberLine node;
	LineResult result = snapshot_parse_number(line, &node);

	if (result != LINE_FINE)
		return result;
	if (!g_ascii_string_to_unsigned(node.key, 10, 0, G_MAXUINT32, &cpu, NULL) ||
	    node.value < 0 || node.value >= G_MAXINT32)
		return LINE_BAD;
	g_hash_table_insert(write->nodes, GUINT_TO_POINTER(cpu), GUINT_TO_POINTER(node.value + 1));
	return LINE_FINE;
}

static gboolean is_known(guint reason)
{
	return reason < KMEMTRACE_LOSS_NR || reason >= TRACE_LOSS_MISSING;
}

/* Returns whether a loss loses records. Unknown reasons may, too. */
static gboolean loses_records(guint reason)
{
	return reason != KMEMTRACE_LOSS_STACK_FULL && reason != KMEMTRACE_LOSS_CACHE_FULL &&
	       reason != KMEMTRACE_LOSS_NAME;
}

static guint64 sane(guint64 count)
{
	return MIN(count, COUNT_MAX);
}

static void write_window(CpusWrite *write, const struct trace_loss_window *window)
{
	insert_row(write->loss_window, "isiii", (gint64)window->cpu,
		   trace_loss_name(window->reason), (gint64)(window->from_ns - write->start_ns),
		   (gint64)(window->to_ns - write->start_ns), (gint64)sane(window->count));
}

/* Writes the loss windows. Adds their counts, by reason, to @counts. */
static void write_windows(CpusWrite *write, const struct trace_stream *stream, guint64 *counts)
{
	const struct trace_loss_window *windows = NULL;
	size_t count = stream ? trace_stream_losses(stream, &windows) : 0;

	for (size_t i = 0; i < count; i++) {
		guint64 *count_of = &counts[windows[i].reason];

		*count_of = sane(*count_of + sane(windows[i].count));
		write_window(write, &windows[i]);
	}
}

/*
 * Writes the losses after the last sub-buffer, which only the tracer's final counters have: they
 * happened at some time between then and the end. A full buffer loses everything after its last
 * record.
 */
static void write_rest(CpusWrite *write, guint32 cpu, const StatsLine *stats,
		       const struct trace_stream_stats *seen, guint64 *counts)
{
	for (guint reason = 0; reason < KMEMTRACE_LOSS_NR; reason++) {
		guint64 last_ns =
			reason == KMEMTRACE_LOSS_BUFFER_FULL ? seen->last_ns : seen->opened_ns;
		guint64 from_ns = last_ns ? last_ns : write->start_ns;
		struct trace_loss_window window = {
			.cpu = cpu,
			.reason = reason,
			.from_ns = from_ns,
			.to_ns = MAX(write->end_ns, from_ns),
		};

		if (sane(stats->lost[reason]) <= sane(seen->lost[reason]))
			continue;
		window.count = sane(stats->lost[reason]) - sane(seen->lost[reason]);
		counts[reason] = sane(counts[reason] + window.count);
		write_window(write, &window);
	}
}

static void write_end(CpusWrite *write, guint32 cpu, guint reason, guint64 count,
		      const struct trace_stream_stats *seen, guint64 *counts)
{
	struct trace_loss_window window = {
		.cpu = cpu,
		.reason = reason,
		.from_ns = seen->last_ns ? seen->last_ns : write->end_ns,
		.to_ns = write->end_ns,
		.count = sane(count),
	};

	counts[reason] = sane(counts[reason] + window.count);
	write_window(write, &window);
}

/*
 * Checks whether the tracer wrote sub-buffers after the last one in the file, or, for a CPU without
 * any, since the start.
 */
static void check_end(CpusWrite *write, guint32 cpu, const StatsLine *stats,
		      const struct trace_stream_stats *seen, guint64 *counts)
{
	const StatsLine *before = g_hash_table_lookup(write->before, GUINT_TO_POINTER(cpu));
	StreamEnd end = stream_end(seen, stats, before);

	if (end.count)
		write_end(write, cpu, end.reason, end.count, seen, counts);
	write->surplus = sane(write->surplus + end.surplus);
}

/*
 * Counts the records before the first one in the file that the tracer did not overwrite: an earlier
 * reader, such as a recorder that was killed, has taken them.
 */
static void count_elsewhere(CpusWrite *write, const StatsLine *stats,
			    const struct trace_stream_stats *seen)
{
	guint64 earlier = seen->earlier_records, overwritten = sane(stats->overwritten);

	if (stats->overwritten < 0)
		return;
	if (!seen->subbufs)
		trace_reader_has_earlier(write->reader, stats->cpu, &earlier);
	if (sane(earlier) > overwritten)
		write->elsewhere = sane(write->elsewhere + sane(earlier) - overwritten);
}

static void write_losses(CpusWrite *write, guint32 cpu, const guint64 *counts)
{
	for (guint reason = 0; reason < REASONS; reason++) {
		if (!is_known(reason) && !counts[reason])
			continue;
		insert_row(write->loss, "isi", (gint64)cpu, trace_loss_name(reason),
			   (gint64)sane(counts[reason]));
		/* The number of records in a missing sub-buffer is unknown. */
		if (reason != TRACE_LOSS_MISSING && loses_records(reason))
			write->lost += counts[reason];
	}
}

static gint64 relative(const CpusWrite *write, guint64 time_ns)
{
	return time_ns ? (gint64)(time_ns - write->start_ns) : DB_NULL;
}

gpointer cpus_count_key(guint32 cpu, guint event)
{
	return GSIZE_TO_POINTER((gsize)cpu * (KMEMTRACE_TYPE_EVENT_MASK + 1) + event);
}

static void write_counts(CpusWrite *write, guint32 cpu, const struct trace_stream_stats *stream,
			 const StatsLine *stats)
{
	gpointer node = g_hash_table_lookup(write->nodes, GUINT_TO_POINTER(cpu));
	guint64 events = 0;

	for (guint i = 1; i < KMEMTRACE_EVENT_NR; i++) {
		gpointer left_out = g_hash_table_lookup(write->left_out, cpus_count_key(cpu, i));
		gint64 values[] = { cpu, i, stream->events[i] - GPOINTER_TO_SIZE(left_out) };

		events += stream->events[i];
		insert_ints(write->event_count, values, G_N_ELEMENTS(values));
	}
	insert_row(write->cpu, "iiiiiiiiiiiii", (gint64)cpu, (gint64)events,
		   stats ? (gint64)sane(stats->written) : DB_NULL,
		   (gint64)sane(stats ? stats->ignored : stream->ignored), (gint64)stream->unknown,
		   (gint64)stream->unfinished, (gint64)stream->backward, (gint64)stream->subbufs,
		   (gint64)stream->bytes, relative(write, stream->first_ns),
		   relative(write, stream->last_ns), (gint64)stream->reordered,
		   node ? (gint64)GPOINTER_TO_UINT(node) - 1 : DB_NULL);
}

/* @stream is NULL for a CPU without sub-buffers. */
static void write_cpu(CpusWrite *write, guint32 cpu, const struct trace_stream *stream)
{
	static const struct trace_stream_stats nothing;
	const struct trace_stream_stats *seen = stream ? trace_stream_stats(stream) : &nothing;
	const StatsLine *stats = g_tree_lookup(write->stats, GUINT_TO_POINTER(cpu));
	guint64 counts[REASONS] = { 0 };

	write->surplus = sane(write->surplus + sane(seen->surplus));
	write_counts(write, cpu, seen, stats);
	write_windows(write, stream, counts);
	if (stats) {
		write_rest(write, cpu, stats, seen, counts);
		count_elsewhere(write, stats, seen);
	}
	if (stats && !write->ends_early && (seen->subbufs || !write->lacks_parts))
		check_end(write, cpu, stats, seen, counts);
	write_losses(write, cpu, counts);
}

static gboolean write_silent_cpu(gpointer key, gpointer value, gpointer data)
{
	(void)value;
	write_cpu(data, GPOINTER_TO_UINT(key), NULL);
	return FALSE;
}

static void write_event_names(Db *db)
{
	Insert *insert = db_insert(db, "event");

	for (guint i = 1; i < KMEMTRACE_EVENT_NR; i++) {
		insert_row(insert, "iss", (gint64)i, trace_event_name(i),
			   trace_kind_names[trace_event_kind(i)]);
	}
}

/*
 * Counts the CPUs without final counters, whose last sub-buffers may be missing: the tracer has
 * counters of all CPUs that have events or were online at the start (write->nodes). Returns 1 if
 * there are no counters at all.
 */
static guint64 count_uncounted(const CpusWrite *write, const struct trace_merge *merge)
{
	guint64 count = 0;
	GHashTableIter iter;
	gpointer online;

	if (write->ends_early)
		return 0;
	g_hash_table_iter_init(&iter, write->nodes);
	while (g_hash_table_iter_next(&iter, &online, NULL))
		count += !g_tree_lookup(write->stats, online);
	for (size_t i = 0; i < trace_merge_streams(merge); i++) {
		uint32_t cpu;

		trace_merge_stream(merge, i, &cpu);
		count += !g_tree_lookup(write->stats, GUINT_TO_POINTER(cpu)) &&
			 !g_hash_table_contains(write->nodes, GUINT_TO_POINTER(cpu));
	}
	return count || g_tree_nnodes(write->stats) ? count : 1;
}

guint64 cpus_write(const struct trace_merge *merge, Snapshots *snapshots,
		   const struct trace_reader *reader, GHashTable *left_out, guint64 start_ns,
		   guint64 end_ns, Db *db)
{
	CpusWrite write = {
		.db = db,
		.cpu = db_insert(db, "cpu"),
		.event_count = db_insert(db, "event_count"),
		.loss = db_insert(db, "loss"),
		.loss_window = db_insert(db, "loss_window"),
		.meta = db_insert(db, "meta"),
		.start_ns = start_ns,
		.end_ns = end_ns,
		.stats = g_tree_new_full(compare_cpus, NULL, NULL, g_free),
		.nodes = g_hash_table_new(seed_number, NULL),
		.before = g_hash_table_new_full(seed_number, NULL, NULL, g_free),
		.left_out = left_out,
		.reader = reader,
		.is_joined = trace_reader_is_joined(reader),
		.lacks_parts = trace_reader_lacks_parts(reader),
		.ends_early = trace_reader_ends_early(reader),
	};

	write_event_names(db);
	read_stats(&write, snapshots, KMEMTRACE_PHASE_START);
	read_stats(&write, snapshots, KMEMTRACE_PHASE_END);
	snapshots_each_line(snapshots, "cpu_nodes", KMEMTRACE_PHASE_START, take_node, &write);
	insert_row(write.meta, "si", "uncounted", (gint64)count_uncounted(&write, merge));
	snapshots_each_line(snapshots, "cpu_nodes", KMEMTRACE_PHASE_END, take_node, &write);
	for (size_t i = 0; i < trace_merge_streams(merge); i++) {
		uint32_t cpu;
		const struct trace_stream *stream = trace_merge_stream(merge, i, &cpu);

		write_cpu(&write, cpu, stream);
		g_tree_remove(write.stats, GUINT_TO_POINTER(cpu));
	}
	g_tree_foreach(write.stats, write_silent_cpu, &write);
	insert_row(write.meta, "si", "surplus_records", (gint64)write.surplus);
	if (write.elsewhere)
		insert_row(write.meta, "si", "late_elsewhere", (gint64)write.elsewhere);
	g_tree_destroy(write.stats);
	g_hash_table_unref(write.nodes);
	g_hash_table_unref(write.before);
	return write.lost;
}

guint64 cpus_without_stacks(const struct trace_merge *merge)
{
	guint64 count = 0;

	for (size_t i = 0; i < trace_merge_streams(merge); i++) {
		uint32_t cpu;

		count += trace_stream_stats(trace_merge_stream(merge, i, &cpu))->without_stacks;
	}
	return sane(count);
}
