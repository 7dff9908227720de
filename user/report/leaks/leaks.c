// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/leaks/leaks.h"

#include "base/units.h"
#include "report/groups/group_table.h"
#include "report/groups/tracer_memory.h"
#include "report/leaks/suspects.h"
#include "report/leaks/verdicts.h"
#include "report/print/interval.h"
#include "report/print/merged_caches.h"
#include "trace/event/kind.h"

#define SUSPICION_SHIFT 58 /* the verdict is above, the bytes are below */

static gint64 old_bytes(const LiveGroup *group)
{
	return group->old_bytes;
}

/*
 * Returns the sort key: suspects first, those from LEAK_LIKELY on whatever the age of their memory.
 */
static gint64 suspicion(const LiveGroup *group)
{
	gint64 verdict = group->verdict < LEAK_POSSIBLE ? 0 : group->verdict;

	return group->old_bytes > 0 || verdict >= LEAK_LIKELY
		       ? (verdict << SUSPICION_SHIFT) + group->old_bytes
		       : 0;
}

/* Memory of an unloaded module is orphaned, whatever its curve. */
static GrowthPattern leaks_shape(const LiveGroup *group)
{
	return group->orphans ? GROWTH_ORPHANED : growth_pattern_of(group->curve);
}

static void add_leak(const LiveGroup *group, gint64 factor, TempTable *figures)
{
	TEMP_TABLE_ADD(figures, group->old_bytes * factor, group->old_count * factor,
		       group->live_bytes * factor, group->oldest_ns);
	for (guint i = 0; i < LIVE_GROUPS_AGES; i++)
		TEMP_TABLE_ADD(figures, group->ages[i] * factor);
	TEMP_TABLE_ADD(figures, group->doubtful * factor);
	temp_table_add_text(figures, leak_verdict_name(group->verdict));
	temp_table_add_text(figures, growth_pattern_name(leaks_shape(group)));
}

typedef GPtrArray *Tops[TRACE_KINDS];

/* Finds the first groups of each kind. */
static void find_tops(const LiveGroups *live, guint limit, gint64 (*value)(const LiveGroup *),
		      Tops tops)
{
	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++)
		tops[kind] = live_groups_top(live, kind, limit, value);
}

/* The same, and marks the groups as wanted. */
static void take_tops(LiveGroups *live, guint limit, gint64 (*value)(const LiveGroup *), Tops tops)
{
	find_tops(live, limit, value, tops);
	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		for (guint i = 0; i < tops[kind]->len; i++)
			((LiveGroup *)g_ptr_array_index(tops[kind], i))->wanted = TRUE;
	}
}

static void free_tops(Tops tops)
{
	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++)
		g_ptr_array_unref(tops[kind]);
}

/* Keeps the first @limit groups with the given growth pattern. */
static void keep_shape(Tops tops, const char *name, guint limit)
{
	GrowthPattern shape = growth_pattern_find(name);

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		for (guint i = tops[kind]->len; i-- > 0;) {
			if (leaks_shape(g_ptr_array_index(tops[kind], i)) != shape)
				g_ptr_array_remove_index(tops[kind], i);
		}
		if (tops[kind]->len > limit)
			g_ptr_array_set_size(tops[kind], (gint)limit);
	}
}

/* Prints a line for each verdict in the tables of @tops. */
static void print_verdict_legend(const Tops tops, FILE *out)
{
	gboolean shown[LEAK_VERDICTS] = { FALSE };

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		for (guint i = 0; i < tops[kind]->len; i++)
			shown[((LiveGroup *)g_ptr_array_index(tops[kind], i))->verdict] = TRUE;
	}
	fprintf(out, "\nverdict: on what is live at the end\n");
	for (LeakVerdict verdict = LEAK_VERDICTS; verdict-- > 0;) {
		if (shown[verdict])
			fprintf(out, "  %-13s  %s\n", leak_verdict_name(verdict),
				leak_verdict_legend(verdict));
	}
}

/* Prints a line for each growth pattern in the tables of @tops. @when: its time span. */
static void print_legend(const Tops tops, GrowthPattern (*shape_of)(const LiveGroup *),
			 const char *when, FILE *out)
{
	gboolean shown[SHAPES] = { FALSE };

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		for (guint i = 0; i < tops[kind]->len; i++)
			shown[shape_of(g_ptr_array_index(tops[kind], i))] = TRUE;
	}
	if (shape_of == leaks_shape)
		print_verdict_legend(tops, out);
	fprintf(out, "\nshape: what live bytes did %s\n", when);
	for (GrowthPattern shape = 0; shape < SHAPES; shape++) {
		if (shown[shape])
			fprintf(out, "  %-13s  %s\n", growth_pattern_name(shape),
				growth_pattern_legend(shape));
	}
}

/* Prints the tables and the legend. @none: printed if all tables are empty. */
static gboolean print_tops(const Printer *printer, const GroupTable *table, Tops tops,
			   GrowthPattern (*shape_of)(const LiveGroup *), const char *when,
			   const char *none, GError **error)
{
	gboolean any = FALSE;

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		any |= tops[kind]->len > 0;
		if (!group_table_print(printer, table, kind, tops[kind], error))
			return FALSE;
	}
	if (!any && !printer->json)
		fprintf(printer->out, "\n%s\n", none);
	else if (!printer->json)
		print_legend(tops, shape_of, when, printer->out);
	return TRUE;
}

/* Judges all groups; @tops get those with the growth pattern @shape (NULL: any). */
static gboolean read_leaks(Suspects *suspects, const LeaksOptions *options, Tops tops,
			   GError **error)
{
	LiveGroups *live = suspects->live;
	guint limit = options->shape ? G_MAXINT : (guint)options->limit;

	take_tops(live, limit, old_bytes, tops);
	free_tops(tops);
	if (!suspects_judge_whole(suspects, error)) {
		find_tops(live, 0, old_bytes, tops);
		return FALSE;
	}
	find_tops(live, limit, suspicion, tops);
	if (options->shape)
		keep_shape(tops, options->shape, options->limit);
	return TRUE;
}

static gboolean print_leak_tables(const Printer *printer, const LiveGroups *live,
				  const LeaksOptions *options, gint64 older_ns, Tops tops,
				  GError **error)
{
	g_autofree char *age = units_format_age((guint64)older_ns);
	const char *shape = options->shape, *noun = verdicts_noun(options->by);
	g_autofree char *title =
		g_strdup_printf("Live and older than %s, or likely leaked%s%s: %%s", age,
				shape ? ", with growth pattern " : "", shape ?: "");
	g_autofree char *none =
		shape ? g_strdup_printf("no %s has growth pattern %s", noun, shape)
		      : g_strdup_printf("no %s has live memory older than %s", noun, age);
	const GroupTable table = {
		.live = live,
		.by = options->by,
		.title = title,
		.columns = "old_bytes, old_count, live_bytes, oldest_ns, under_1s OPTIONAL, "
			   "under_10s OPTIONAL, under_1m OPTIONAL, under_10m OPTIONAL, "
			   "over_10m OPTIONAL, doubtful OPTIONAL, verdict, shape",
		.add_figures = add_leak,
	};

	if (printer->json)
		fprintf(printer->out, ",\n\"older_ns\": %" G_GINT64_FORMAT, older_ns);
	if (printer->json && shape)
		fprintf(printer->out, ",\n\"shape\": \"%s\"", shape);
	return print_tops(printer, &table, tops, leaks_shape,
			  "from the start of the trace to its end", none, error) &&
	       (options->site ||
		tracer_memory_print(printer, "\n" TRACER_MEMORY_LEFT_OUT, options->by, error)) &&
	       merged_caches_print(printer, options->by, error);
}

static gboolean print_leaks(const Printer *printer, LiveGroups *live, const LeaksOptions *options,
			    GError **error)
{
	gint64 older_ns =
		options->older_ns < 0 ? interval_old_age(live->groups.span_ns) : options->older_ns;
	g_auto(Suspects) suspects = { 0 };
	gboolean fine;
	Tops tops;

	if (!suspects_read(&suspects, printer, live, older_ns, error))
		return FALSE;
	fine = read_leaks(&suspects, options, tops, error) &&
	       print_leak_tables(printer, live, options, older_ns, tops, error) &&
	       verdicts_print(&suspects, options->by, (guint)options->limit, error);
	free_tops(tops);
	return fine;
}

gboolean leaks_print(const Printer *printer, gconstpointer data, GError **error)
{
	const LeaksOptions *options = data;
	g_auto(LiveGroups) live = { 0 };

	printer_say_live(printer);
	return live_groups_init(&live, printer->db, options->by, options->site ? options->site : "",
				error) &&
	       print_leaks(printer, &live, options, error);
}

/* ---- growth ---- */

static gint64 grown_bytes(const LiveGroup *group)
{
	return group->curve[GROWTH_STEPS] - group->curve[0];
}

static GrowthPattern shape_of_growth(const LiveGroup *group)
{
	return growth_pattern_of(group->curve);
}

static void add_growth(const LiveGroup *group, gint64 factor, TempTable *figures)
{
	gint64 from = group->curve[0], to = group->curve[GROWTH_STEPS];

	TEMP_TABLE_ADD(figures, (to - from) * factor,
		       (group->to_count - group->from_count) * factor, from * factor,
		       group->from_count * factor, to * factor, group->to_count * factor,
		       group->live_bytes * factor);
	temp_table_add_text(figures, growth_pattern_name(shape_of_growth(group)));
}

/* Growth alone allows no verdict, which needs the whole trace. */
static void conclude_growth(const Printer *printer, const LiveGroups *live, const char *by,
			    const char *times)
{
	guint grown = 0, linear = 0;
	g_autofree char *text = NULL;

	for (gsize i = 0; i < live->count; i++) {
		if (grown_bytes(&live->all[i]) <= 0)
			continue;
		grown++;
		linear += shape_of_growth(&live->all[i]) == GROWTH_LINEAR;
	}
	text = g_strdup_printf("%u %s grew %s, %u of them to the end", grown,
			       grown == 1 ? verdicts_noun(by) : verdicts_nouns(by), times, linear);
	if (printer->json)
		fprintf(printer->out, ",\n\"conclusion\": \"%s\"", text);
	else if (grown)
		fprintf(printer->out, "\n%s; leaks without --from and --to judges them\n", text);
}

static gboolean check_times(const LiveGroups *live, gint64 from_ns, gint64 to_ns, GError **error)
{
	g_autofree char *from = units_format_age(from_ns), *to = units_format_age(to_ns);
	g_autofree char *span = units_format_time(live->groups.span_ns);

	if (to_ns > MAX(live->groups.span_ns, 1))
		store_fail(error, "%s is after the end of the trace, which has %s", to, span);
	else if (from_ns >= to_ns)
		store_fail(error, "--to %s must be later than --from %s; the trace has %s", to,
			   from, span);
	else
		return TRUE;
	return FALSE;
}

static gboolean print_grow(const Printer *printer, LiveGroups *live, const LeaksOptions *options,
			   gint64 from_ns, gint64 to_ns, GError **error)
{
	g_autofree char *from = units_format_age(from_ns), *to = units_format_age(to_ns);
	g_autofree char *times = g_strdup_printf("from %s to %s", from_ns ? from : "0s", to);
	g_autofree char *when =
		g_strdup_printf("%s; end bytes: live at the end of the trace", times);
	g_autofree char *title = g_strdup_printf("Grew %s: %%s", times);
	g_autofree char *none = g_strdup_printf("no %s grew %s", verdicts_noun(options->by), times);
	const GroupTable table = {
		.live = live,
		.by = options->by,
		.title = title,
		.columns = "grown_bytes, grown_count, from_bytes, from_count, to_bytes, to_count, "
			   "end_bytes, shape",
		.add_figures = add_growth,
	};
	gboolean fine;
	Tops tops;

	for (gsize i = 0; i < live->count; i++)
		live->all[i].wanted = TRUE;
	if (!live_groups_read_live(live, 0, NULL, error) ||
	    !live_groups_read_curves(live, from_ns, to_ns, NULL, error))
		return FALSE;
	if (printer->json)
		fprintf(printer->out,
			",\n\"from_ns\": %" G_GINT64_FORMAT ",\n\"to_ns\": %" G_GINT64_FORMAT,
			from_ns, to_ns);
	take_tops(live, options->limit, grown_bytes, tops);
	fine = print_tops(printer, &table, tops, shape_of_growth, when, none, error) &&
	       tracer_memory_print(printer, "\n" TRACER_MEMORY_LEFT_OUT, options->by, error) &&
	       merged_caches_print(printer, options->by, error);
	if (fine)
		conclude_growth(printer, live, options->by, times);
	free_tops(tops);
	return fine;
}

gboolean grow_print(const Printer *printer, gconstpointer data, GError **error)
{
	const LeaksOptions *options = data;
	const char *from = options->from, *to = options->to;
	gint64 from_ns = MAX(options->from_ns, 0), to_ns = options->to_ns;
	g_auto(LiveGroups) live = { 0 };

	if (!live_groups_init(&live, printer->db, options->by, options->site ?: "", error))
		return FALSE;
	if (to_ns < 0)
		to_ns = MAX(live.groups.span_ns, 1);
	if ((from && !interval_time(printer->db, from, &from_ns, error)) ||
	    (to && !interval_time(printer->db, to, &to_ns, error)) ||
	    !check_times(&live, from_ns, to_ns, error))
		return FALSE;
	printer_say_live(printer);
	return print_grow(printer, &live, options, from_ns, to_ns, error);
}
