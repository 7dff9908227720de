// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/calltree/text.h"

#include <string.h>

#include "base/escape.h"
#include "base/terminal.h"
#include "base/units.h"
#include "report/calltree/draw.h"
#include "report/calltree/truncated.h"
#include "report/print/interval.h"
#include "report/print/jsontext.h"
#include "trace/event/kind.h"

/* ---- JSON ---- */

void calls_print_value(CallMetric metric, gint64 value, FILE *out)
{
	if (metric == CALL_BYTE_MS)
		fprintf(out, "%" G_GINT64_FORMAT ".%03d", value / 1000, ABS((int)(value % 1000)));
	else
		fprintf(out, "%" G_GINT64_FORMAT, value);
}

static void print_cost(const CallCosts *data, const char *prefix, const CallCost *cost, FILE *out)
{
	for (guint i = 0; i < CALL_METRICS; i++) {
		if (!(call_costs_metrics(data) & CALL_METRICS_BIT(i)))
			continue;
		fprintf(out, ", \"%s%s\": ", prefix, callmetric_of(i)->key);
		calls_print_value(i, cost->of[i], out);
	}
}

/* @only: below 0: all. */
static void print_kinds(const CallCosts *data, const Truncated *cut, int only, FILE *out)
{
	const char *before = "\n";

	fputs(",\n\"kinds\": [", out);
	for (guint i = 0; i < TRACE_KINDS; i++) {
		CallCost all = call_costs_all(data, i);

		if (callcost_is_zero(&all) || (only >= 0 && (guint)only != i))
			continue;
		fprintf(out, "%s  {\"kind\": \"%s\"", before, trace_kind_names[i]);
		print_cost(data, "", &all, out);
		fprintf(out, ", \"cut_depth\": %u", cut->depth);
		print_cost(data, "cut_", &cut->kinds[i], out);
		if (call_costs_peak_ns(data, i) >= 0)
			fprintf(out, ", \"peak_at_ns\": %" G_GINT64_FORMAT,
				call_costs_peak_ns(data, i));
		fputc('}', out);
		before = ",\n";
	}
	fputs("\n]", out);
}

static void print_place(const CallPlace *place, FILE *out)
{
	fprintf(out, ", \"inlined\": %s, \"file\": ", place->inlined ? "true" : "false");
	jsontext_print(place->file, out);
	fprintf(out, place->line ? ", \"line\": %u" : ", \"line\": null", place->line);
}

static void print_function(const CallCosts *data, guint32 frame, const CallCost *self,
			   const CallCost *total, FILE *out)
{
	fputs(", \"function\": ", out);
	jsontext_print(call_costs_function(data, frame), out);
	fputs(", \"module\": ", out);
	jsontext_print(call_costs_module(data, frame), out);
	if (call_costs_has_lines(data))
		print_place(call_costs_place(data, frame), out);
	print_cost(data, "total_", total, out);
	print_cost(data, "self_", self, out);
	fputc('}', out);
}

/*
 * Prints the nodes that @draw shows, parents before their children. Returns the prefix of the next
 * row.
 */
static const char *print_tree_rows(const CallCosts *data, guint kind, const CallDraw *draw,
				   const char *before, FILE *out)
{
	for (guint32 i = 0; i < calltree_count(draw->tree); i++) {
		const CallNode *node = calltree_node(draw->tree, i);

		if (!draw->shown[i])
			continue;
		fprintf(out, "%s  {\"kind\": \"%s\", \"id\": %u, \"parent\": ", before,
			trace_kind_names[kind], i);
		fprintf(out, i ? "%u" : "null", node->parent);
		fprintf(out, ", \"depth\": %u", calltree_depth(draw->tree, i));
		print_function(data, node->frame, &node->self, &node->total, out);
		before = ",\n";
	}
	return before;
}

static const char *print_function_rows(const CallCosts *data, guint kind, const CallTable *table,
				       const char *before, FILE *out)
{
	for (guint32 i = 0; i < table->count; i++) {
		const CallFunction *function = &table->functions[table->order[i]];

		fprintf(out, "%s  {\"kind\": \"%s\"", before, trace_kind_names[kind]);
		print_function(data, table->order[i], &function->self, &function->total, out);
		before = ",\n";
	}
	return before;
}

/* ---- output ---- */

char *calls_title(const CallCosts *data, const CallsOptions *options, guint kind)
{
	const char *kind_name = trace_kind_names[kind],
		   *title = callmetric_of(options->metric)->title;
	g_autofree char *peak = units_format_time(call_costs_peak_ns(data, kind));
	g_autofree char *end = units_format_time(call_costs_to_ns(data));

	switch (options->metric) {
	case CALL_PEAK_BYTES:
	case CALL_PEAK_COUNT:
		return g_strdup_printf("%s: %s, at %s", kind_name, title, peak);
	case CALL_LIVE_BYTES:
	case CALL_LIVE_COUNT:
		return options->to ? g_strdup_printf("%s: %s of the interval, at %s", kind_name,
						     title, end)
				   : g_strdup_printf("%s: %s", kind_name, title);
	default:
		return g_strdup_printf("%s: %s", kind_name, title);
	}
}

static void print_title(const CallCosts *data, const CallsOptions *options, guint kind, FILE *out)
{
	g_autofree char *title = calls_title(data, options, kind);

	terminal_print_heading(title, out);
}

static const char *print_tree(const Printer *printer, const CallCosts *data,
			      const CallsOptions *options, guint kind, const CallTree *tree,
			      const char *before)
{
	gint64 all = call_costs_all(data, kind).of[options->metric];
	g_auto(CallDraw) draw = { 0 };

	calldraw_init(&draw, data, tree, options, all);
	if (printer->json)
		return print_tree_rows(data, kind, &draw, before, printer->out);
	print_title(data, options, kind, printer->out);
	calldraw_print(&draw, printer->out);
	return before;
}

static const char *print_functions(const Printer *printer, const CallCosts *data,
				   const CallsOptions *options, guint kind, const CallTree *tree,
				   const char *before)
{
	gint64 all = call_costs_all(data, kind).of[options->metric];
	g_auto(CallTable) table = { 0 };

	calltable_init(&table, data, tree, options, all);
	if (printer->json)
		return print_function_rows(data, kind, &table, before, printer->out);
	print_title(data, options, kind, printer->out);
	calltable_print(&table, printer->out);
	return before;
}

/* Sets the times of the interval as of call_costs_read(). */
static gboolean find_interval(StoreDb *db, const CallsOptions *options, Selection *interval,
			      GError **error)
{
	*interval = (Selection){
		.from = options->from,
		.to = options->to,
		.from_ns = options->from || options->to ? 0 : -1,
		.to_ns = -1,
	};
	if ((options->from && !interval_time(db, options->from, &interval->from_ns, error)) ||
	    (options->to && !interval_time(db, options->to, &interval->to_ns, error)))
		return FALSE;
	return !options->to || interval->to_ns >= interval->from_ns ||
	       store_fail(error, "--to %s must be later than --from %s", options->to,
			  options->from ?: "0");
}

CallCosts *calls_read(StoreDb *db, const CallsOptions *options, guint more, GError **error)
{
	Selection interval;

	if (!find_interval(db, options, &interval, error))
		return NULL;
	return call_costs_read(db, CALL_METRICS_BIT(options->metric) | more, interval.from_ns,
			       interval.to_ns, error);
}

/* As calls_interval(). */
static char *describe_interval(const Selection *interval)
{
	g_autoptr(GString) text = g_string_new("only the time");

	if (!selection_has_interval(interval))
		return NULL;
	selection_append_interval(text, interval);
	return g_strdup(text->str);
}

char *calls_interval(StoreDb *db, const CallsOptions *options)
{
	Selection interval;

	return find_interval(db, options, &interval, NULL) ? describe_interval(&interval) : NULL;
}

gboolean calls_check_metric(const CallCosts *data, CallMetric metric, GError **error)
{
	g_autofree char *too_large = call_costs_too_large(data);

	if (call_costs_metrics(data) & CALL_METRICS_BIT(metric))
		return TRUE;
	if (too_large)
		return store_fail(error, "%s (limit the time with --from and --to)", too_large);
	return store_fail(error,
			  "the metric %s is only known for the whole trace, not for an interval",
			  callmetric_of(metric)->name);
}

/* Prints how many functions have no known subsystem. */
static void note_unknown(const Printer *printer, const CallCosts *data, const CallsOptions *options)
{
	guint32 count = call_costs_unknown_subsystems(data);
	g_autofree char *note = g_strdup_printf(
		"%u function%s of the kernel %s of an unknown subsystem: no debug information names a source file",
		count, count == 1 ? "" : "s", count == 1 ? "is" : "are");

	if (options->view.by_subsystem && count)
		printer_note(printer, note);
}

/* Prints the lines before the trees. */
static void begin(const Printer *printer, const CallCosts *calls, const CallsOptions *options)
{
	g_autofree char *only = NULL, *text = NULL;
	Selection interval;
	Truncated cut;

	if (find_interval(printer->db, options, &interval, NULL))
		only = describe_interval(&interval);
	truncated_find(calls, &cut);
	if (printer->json) {
		if (only)
			selection_print_interval(&interval, printer->out);
		print_kinds(calls, &cut, options->kind, printer->out);
		fprintf(printer->out, ",\n\"%s\": [", options->functions ? "functions" : "tree");
		return;
	}
	if (only)
		escape_print_line("O", only + 1, printer->out); /* "Only …" */
	text = truncated_describe(calls, &cut, options->kind, options->metric);
	if (text)
		fprintf(printer->out, "%s\n", text);
}

gboolean calls_print(const Printer *printer, gconstpointer data, GError **error)
{
	const CallsOptions *options = data;
	g_autoptr(CallCosts) calls = calls_read(printer->db, options, 0, error);
	const char *before = "\n";
	guint printed = 0;

	if (!calls || !calls_check_metric(calls, options->metric, error))
		return FALSE;
	call_costs_add_lines(calls, printer->db, options->kind);
	if (!call_costs_check_view(calls, &options->view, NULL, error))
		return FALSE;
	begin(printer, calls, options);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		CallCost all = call_costs_all(calls, kind);
		g_autoptr(CallTree) tree = NULL;

		if ((options->kind >= 0 && (guint)options->kind != kind) ||
		    !callcost_has(&all, options->metric))
			continue;
		tree = call_costs_tree(calls, kind, &options->view);
		before = (options->functions ? print_functions : print_tree)(
			printer, calls, options, kind, tree, before);
		printed++;
	}
	if (printer->json)
		fputs("\n]", printer->out);
	else if (!printed)
		fputs("\nnothing was allocated\n", printer->out);
	note_unknown(printer, calls, options);
	if (options->metric == CALL_TEMPORARY && call_costs_temporaries_note(calls))
		printer_note(printer, call_costs_temporaries_note(calls));
	return TRUE;
}
