// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/live/live.h"

#include <string.h>

#include "base/compare.h"
#include "base/units.h"
#include "report/groups/group_rows.h"
#include "report/groups/live_interval.h"
#include "report/groups/tracer_memory.h"
#include "report/live/peak.h"
#include "report/print/merged_caches.h"
#include "trace/event/kind.h"

#define LEVELS_MAX (1U << 25) /* of all lines of a timeline: 256 MiB for each thread */
#define NOTE                                                                                       \
	"live is not leaked; memory that was freed unseen counts until this was noticed, as "      \
	"unseen bytes"

/* ---- at a time, which may differ by kind ---- */

typedef struct {
	gint64 bytes, count, unseen;
} Holder;

typedef struct {
	const Groups *groups;
	const gint64 *at_ns; /* by kind; below 0: not requested */
	Holder *live;        /* by group */
} HoldersWorker;

static void add_lifetime(gpointer data, const gint64 *values)
{
	HoldersWorker *worker = data;
	gint64 bytes;
	LiveInterval span;

	if (!live_interval_read(worker->groups, values, &span))
		return;
	bytes = live_interval_bytes_at(worker->groups, &span, worker->at_ns[span.kind]);
	if (!bytes)
		return;
	worker->live[span.group].bytes += bytes;
	worker->live[span.group].count++;
	worker->live[span.group].unseen += span.unseen ? bytes : 0;
}

/* Returns the sums by group, for g_free(); NULL with an error. */
static Holder *find_holders(StoreDb *db, const Groups *groups, const gint64 *at_ns, GError **error)
{
	gsize count = groups_count(groups);
	HoldersWorker workers[SCAN_WORKERS];
	gboolean fine;

	for (guint i = 0; i < SCAN_WORKERS; i++)
		workers[i] = (HoldersWorker){ groups, at_ns, g_new0(Holder, count + 1) };
	fine = store_scan(db, groups->by_cpu ? "scan_times_by_cpu" : "scan_times", NULL,
			  add_lifetime, workers, sizeof(*workers), error);
	for (guint i = 1; i < SCAN_WORKERS; i++) {
		for (gsize g = 0; g < count; g++) {
			workers[0].live[g].bytes += workers[i].live[g].bytes;
			workers[0].live[g].count += workers[i].live[g].count;
			workers[0].live[g].unseen += workers[i].live[g].unseen;
		}
		g_free(workers[i].live);
	}
	if (fine)
		return workers[0].live;
	g_free(workers[0].live);
	return NULL;
}

/* Prints the live memory of each kind. */
static gboolean print_kinds(const Printer *printer, const Groups *groups, const Holder *live,
			    const gint64 *at_ns, const char *key, const char *title, GError **error)
{
	g_autoptr(TempTable) rows =
		temp_table_new("figures", "kind, at_ns, live_bytes, live_count, unseen_bytes");
	Holder kinds[TRACE_KINDS] = { 0 };

	for (gsize i = 0; i < groups_count(groups); i++) {
		Holder *kind = &kinds[groups_kind(groups, i)];

		kind->bytes += live[i].bytes;
		kind->count += live[i].count;
		kind->unseen += live[i].unseen;
	}
	for (guint i = 0; i < TRACE_KINDS; i++) {
		if (!kinds[i].count)
			continue;
		temp_table_add_text(rows, trace_kind_names[i]);
		TEMP_TABLE_ADD(rows, at_ns[i], kinds[i].bytes * groups->factor,
			       kinds[i].count * groups->factor, kinds[i].unseen * groups->factor);
	}
	return printer_figures(printer, key, title, rows, error);
}

typedef struct {
	const Groups *groups;
	const Holder *live;
} Order;

static gint compare_holders(gconstpointer a, gconstpointer b, gpointer data)
{
	const Order *order = data;
	gsize x = *(const gsize *)a, y = *(const gsize *)b;
	guint kind_x = groups_kind(order->groups, x), kind_y = groups_kind(order->groups, y);

	return COMPARE(kind_x, kind_y)
		       ?: COMPARE(order->live[y].bytes, order->live[x].bytes)
		       ?: COMPARE(x, y);
}

/* Prints the largest @limit of each kind. */
static gboolean print_groups(const Printer *printer, const LiveOptions *options,
			     const Groups *groups, const Holder *live, GError **error)
{
	g_autofree char *title = g_strdup_printf("Live then, by %s", groups_title(options->by));
	g_autoptr(GArray) order = g_array_new(FALSE, FALSE, sizeof(gsize));
	g_auto(GroupRows) rows = { NULL };
	int shown[TRACE_KINDS] = { 0 };

	group_rows_init(&rows, options->by, "live_bytes, live_count, unseen_bytes");
	for (gsize i = 0; i < groups_count(groups); i++) {
		if (live[i].count)
			g_array_append_val(order, i);
	}
	g_array_sort_with_data(order, compare_holders, &(Order){ groups, live });
	for (guint i = 0; i < order->len; i++) {
		gsize group = g_array_index(order, gsize, i);

		if (shown[groups_kind(groups, group)]++ >= options->limit)
			continue;
		group_rows_add(&rows, groups, group);
		TEMP_TABLE_ADD(rows.figures, live[group].bytes * groups->factor,
			       live[group].count * groups->factor,
			       live[group].unseen * groups->factor);
	}
	return group_rows_print(&rows, printer, "holders", title, error);
}

static gboolean print_holders(const Printer *printer, const LiveOptions *options,
			      const Groups *groups, const gint64 *at_ns, const char *key,
			      const char *title, GError **error)
{
	g_autofree Holder *live = find_holders(printer->db, groups, at_ns, error);

	if (!live || !print_kinds(printer, groups, live, at_ns, key, title, error) ||
	    !print_groups(printer, options, groups, live, error))
		return FALSE;
	printer_note(printer, NOTE);
	return merged_caches_print(printer, options->by, error);
}

gboolean live_print_live(const Printer *printer, gconstpointer data, GError **error)
{
	const LiveOptions *options = data;
	g_auto(Groups) groups = { 0 };
	gint64 at_ns[TRACE_KINDS];
	g_autofree char *time = NULL, *title = NULL;

	if (!groups_read(printer->db, options->by, options->site, &groups, error))
		return FALSE;
	for (guint i = 0; i < TRACE_KINDS; i++)
		at_ns[i] = options->at_ns < 0 ? groups.span_ns : options->at_ns;
	if (at_ns[0] > groups.span_ns) {
		time = units_format_time(groups.span_ns);
		return store_fail(error, "the trace ends after %s", time);
	}
	time = units_format_time(at_ns[0]);
	title = options->at_ns < 0 ? g_strdup("Live at the end, by kind")
				   : g_strdup_printf("Live after %s, by kind", time);
	return print_holders(printer, options, &groups, at_ns, "live", title, error) &&
	       (options->at_ns >= 0 || *options->site || printer->json ||
		tracer_memory_print(printer, TRACER_MEMORY_INCLUDED, options->by, error));
}

gboolean live_print_peak(const Printer *printer, gconstpointer data, GError **error)
{
	const LiveOptions *options = data;
	g_auto(Groups) groups = { 0 };
	Peak peaks[TRACE_KINDS];
	gint64 at_ns[TRACE_KINDS];

	if (!groups_read(printer->db, options->by, options->site, &groups, error) ||
	    !peak_find(printer->db, &groups, peaks, error))
		return FALSE;
	for (guint i = 0; i < TRACE_KINDS; i++)
		at_ns[i] = peaks[i].time_ns;
	return print_holders(printer, options, &groups, at_ns, "peak",
			     "Peak of live memory, by kind: each at its own time", error);
}

/* ---- over time ---- */

typedef struct {
	const Groups *groups;
	guint64 steps;
	gint64 *changes; /* by group and step */
} Timeline;

/* Returns the first step whose end is not before @time_ns. */
static guint64 step_of(const Timeline *timeline, gint64 time_ns)
{
	guint64 span = MAX(timeline->groups->span_ns, 1);
	guint64 step = ((unsigned __int128)MAX(time_ns, 0) * timeline->steps + span - 1) / span;

	return MIN(step ? step - 1 : 0, timeline->steps - 1);
}

static void take_step(gpointer data, const gint64 *values)
{
	Timeline *timeline = data;
	gint64 *changes;
	LiveInterval span;

	if (!live_interval_read(timeline->groups, values, &span))
		return;
	changes = timeline->changes + span.group * timeline->steps;
	changes[step_of(timeline, span.time_ns)] += span.bytes;
	if (span.end_ns != LIVE_INTERVAL_NEVER)
		changes[step_of(timeline, span.end_ns)] -= span.bytes;
	else
		changes[timeline->steps - 1] += span.bytes_end - span.bytes;
}

/* A line of the diagram. */
typedef struct {
	gsize group;
	const gint64 *levels; /* at the end of each step */
	guint64 top;          /* the step with the maximum */
} Line;

static gint compare_lines(gconstpointer a, gconstpointer b)
{
	const Line *x = a, *y = b;

	return COMPARE(y->levels[y->top], x->levels[x->top]) ?: COMPARE(x->group, y->group);
}

static GArray *make_lines(Timeline *timelines, gsize groups, guint limit)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(Line));
	guint64 steps = timelines[0].steps;

	for (gsize g = 0; g < groups; g++) {
		gint64 *levels = timelines[0].changes + g * steps, level = 0;
		Line line = { g, levels, 0 };

		for (guint64 i = 0; i < steps; i++) {
			for (guint w = 1; w < SCAN_WORKERS; w++)
				level += timelines[w].changes[g * steps + i];
			level += levels[i];
			levels[i] = level;
			if (level > levels[line.top])
				line.top = i;
		}
		if (levels[line.top] > 0)
			g_array_append_val(lines, line);
	}
	g_array_sort(lines, compare_lines);
	g_array_set_size(lines, MIN(lines->len, limit));
	return lines;
}

/* Returns "|▁▂▃|", for g_free(). */
static char *draw_spark(const Line *line, guint64 steps)
{
	static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const guint most = G_N_ELEMENTS(bars) - 1;
	GString *spark = g_string_new("|");

	for (guint64 i = 0; i < steps; i++) {
		double part = line->levels[i] * (double)most / line->levels[line->top] + 0.5;
		guint height = (guint)CLAMP(part, 0, most);

		if (line->levels[i] > 0 && !height)
			height = 1;
		g_string_append(spark, bars[height]);
	}
	g_string_append_c(spark, '|');
	return g_string_free(spark, FALSE);
}

/* Returns the time at the end of a step. */
static gint64 step_end(const Timeline *timeline, guint64 step)
{
	return (unsigned __int128)timeline->groups->span_ns * (step + 1) / timeline->steps;
}

static void add_line(GroupRows *rows, const Timeline *timeline, const Line *line)
{
	g_autofree char *spark = draw_spark(line, timeline->steps);
	gint64 factor = timeline->groups->factor;

	group_rows_add(rows, timeline->groups, line->group);
	TEMP_TABLE_ADD(rows->figures, line->levels[line->top] * factor,
		       step_end(timeline, line->top), line->levels[timeline->steps - 1] * factor);
	temp_table_add_text(rows->figures, spark);
}

/* For JSON, adds a row for each of its steps. */
static void add_steps(GroupRows *rows, const Timeline *timeline, const Line *line)
{
	for (guint64 i = 0; i < timeline->steps; i++) {
		group_rows_add(rows, timeline->groups, line->group);
		TEMP_TABLE_ADD(rows->figures, step_end(timeline, i),
			       line->levels[i] * timeline->groups->factor);
	}
}

static gboolean print_lines(const Printer *printer, const LiveOptions *options,
			    const Timeline *timeline, const GArray *lines, GError **error)
{
	g_autofree char *step = units_format_time(timeline->groups->span_ns / options->steps);
	g_autofree char *title = g_strdup_printf(
		"Live bytes over time, by %s: at the end of each of %d steps of %s (live --at peak has the peaks between)",
		groups_title(options->by), options->steps, step);
	g_auto(GroupRows) rows = { NULL };

	group_rows_init(&rows, options->by,
			printer->json ? "time_ns, live_bytes"
				      : "most_bytes, at_ns, end_bytes, over_time");
	for (guint i = 0; i < lines->len; i++)
		(printer->json ? add_steps : add_line)(&rows, timeline,
						       &g_array_index(lines, Line, i));
	return group_rows_print(&rows, printer, "timeline", title, error);
}

/* Prints the marks below the diagram, in text if there are any. */
static gboolean print_marks(const Printer *printer, const LiveOptions *options, GError **error)
{
	g_autofree char *steps = g_strdup_printf("%d", options->steps);
	const char *params[] = { ":steps", steps, NULL };
	g_autoptr(StoreRows) rows = store_query_named(printer->db, "mark_list", NULL, error);

	if (!rows)
		return FALSE;
	if (printer->json || store_rows_next(rows))
		return printer_table(printer, "marks", "Marks",
				     printer->json ? "mark_list" : "timeline_marks", params, error);
	return store_rows_done(rows, error);
}

gboolean live_print_timeline(const Printer *printer, gconstpointer data, GError **error)
{
	const LiveOptions *options = data;
	g_auto(Groups) groups = { 0 };
	Timeline timelines[SCAN_WORKERS];
	gboolean fine;

	if (!groups_read(printer->db, options->by, options->site, &groups, error))
		return FALSE;
	if (groups_count(&groups) * options->steps > LEVELS_MAX)
		return store_fail(error,
				  "%" G_GSIZE_FORMAT " lines of %d steps are too many: use fewer "
				  "steps, or another --by",
				  groups_count(&groups), options->steps);
	for (guint i = 0; i < SCAN_WORKERS; i++)
		timelines[i] =
			(Timeline){ &groups, options->steps,
				    g_new0(gint64, groups_count(&groups) * options->steps + 1) };
	fine = store_scan(printer->db, groups.by_cpu ? "scan_times_by_cpu" : "scan_times", NULL,
			  take_step, timelines, sizeof(*timelines), error);
	if (fine) {
		g_autoptr(GArray) lines =
			make_lines(timelines, groups_count(&groups), options->limit);

		fine = print_lines(printer, options, &timelines[0], lines, error) &&
		       print_marks(printer, options, error) &&
		       merged_caches_print(printer, options->by, error);
	}
	for (guint i = 0; i < SCAN_WORKERS; i++)
		g_free(timelines[i].changes);
	return fine;
}
