// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers are integers, or formatted by GLib: DOT has no decimal comma. The attributes total, self
 * and amount have the exact values, for programs that read "dot -Tjson".
 */
#include "report/calltree/dot.h"

#include <math.h>

#include "analysis/stacks/callgraph.h"
#include "base/escape.h"
#include "report/calltree/draw.h"
#include "report/calltree/notes.h"
#include "trace/event/kind.h"

typedef struct {
	const CallDot *dot;
	const CallDotNotes *notes;
	const CallCosts *data;
	const CallTree *tree;
	CallsOptions options;
	guint kind;
	gint64 all;                  /* of the kind: 100% of shares */
	gint64 here;                 /* of the graph: 100% of weights */
	CallTable table;             /* the functions that are shown */
	gboolean *shown;             /* by frame */
	gint64 *selves;              /* by frame: self cost */
	GArray *edges;               /* of CallEdge: shown ones */
	guint calls, direct, by_way; /* edges: all; shown, direct and indirect */
	FILE *out;
} Maker;

/* ---- contents ---- */

/* Finds the self costs. In a bottom-up tree only its first functions have any. */
static void find_selves(Maker *maker)
{
	CallMetric metric = maker->options.metric;

	maker->selves = g_new0(gint64, (gsize)call_costs_frames(maker->data) + 1);
	for (guint32 i = 1; i < calltree_count(maker->tree); i++) {
		const CallNode *node = calltree_node(maker->tree, i);

		if (!maker->options.view.callers)
			maker->selves[node->frame] += node->self.of[metric];
		else if (!node->parent)
			maker->selves[node->frame] += node->total.of[metric];
	}
}

static void choose_functions(Maker *maker)
{
	calltable_init(&maker->table, maker->data, maker->tree, &maker->options, maker->all);
	maker->shown = g_new0(gboolean, (gsize)call_costs_frames(maker->data) + 1);
	for (guint32 i = 0; i < maker->table.count; i++)
		maker->shown[maker->table.order[i]] = TRUE;
}

static void choose_edges(Maker *maker)
{
	CallMetric metric = maker->options.metric;
	gboolean callers = maker->options.view.callers;
	g_autoptr(GArray) all = callgraph_edges(maker->tree, metric, NULL, callers);
	guint kept = 0;

	maker->calls = all->len;
	maker->edges = callgraph_edges(maker->tree, metric, maker->shown, callers);
	for (guint i = 0; i < maker->edges->len; i++) {
		CallEdge edge = g_array_index(maker->edges, CallEdge, i);

		if (!calldraw_is_enough(&maker->options, edge.amount, maker->here))
			continue;
		(*(edge.by_way ? &maker->by_way : &maker->direct))++;
		g_array_index(maker->edges, CallEdge, kept++) = edge;
	}
	g_array_set_size(maker->edges, kept);
}

static void maker_clear(Maker *maker)
{
	calltable_clear(&maker->table);
	g_free(maker->shown);
	g_free(maker->selves);
	g_array_unref(maker->edges);
}

/* ---- texts ---- */

/*
 * Quotes a text. Only \" is an escape in DOT's strings, but labels have more escapes, and HTML
 * entities.
 */
static void append_text(GString *quoted, const char *text)
{
	g_autofree char *visible = escape_text(text);
	g_autofree char *valid = g_utf8_make_valid(visible, -1);

	for (const char *c = valid; *c; c++) {
		if (*c == '&')
			g_string_append(quoted, "&amp;");
		else if (*c == '"' || *c == '\\')
			g_string_append_printf(quoted, "\\%c", *c);
		else
			g_string_append_c(quoted, *c);
	}
}

static void append_function(GString *quoted, const Maker *maker, guint32 frame,
			    const char *interval)
{
	const char *module = call_costs_module(maker->data, frame);
	g_autofree char *place = call_costs_describe_place(maker->data, frame);

	append_text(quoted, call_costs_function(maker->data, frame));
	if (module) {
		g_string_append_printf(quoted, "%s[", interval);
		append_text(quoted, module);
		g_string_append_c(quoted, ']');
	}
	if (place) {
		g_string_append(quoted, interval);
		append_text(quoted, place);
	}
}

static double share_of(gint64 value, gint64 all)
{
	return all > 0 ? CLAMP((double)value / all, 0.0, 1.0) : 0.0;
}

/* "64.0K, 41.9%" */
static char *with_share(const Maker *maker, gint64 value)
{
	g_autofree char *text = calldraw_format(maker->options.metric, value);
	char percent[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(percent, sizeof(percent), "%.1f",
			maker->all ? value * 100.0 / maker->all : 0.0);
	return g_strdup_printf("%s, %s%%", text, percent);
}

/* Prints a mix of two colours in graphviz's format. */
static void print_colour(const guint8 *light, const guint8 *dark, double share, FILE *out)
{
	fputs("\"#", out);
	for (guint i = 0; i < 3; i++)
		fprintf(out, "%02x", (guint)lround(light[i] + (dark[i] - light[i]) * share));
	fputc('"', out);
}

static void print_value(const Maker *maker, const char *name, gint64 value)
{
	fprintf(maker->out, ", %s=\"", name);
	calls_print_value(maker->options.metric, value, maker->out);
	fputc('"', maker->out);
}

/* ---- the graph ---- */

/* Describes what was left out, and by which limits. For g_free(). */
static char *describe_cut(const Maker *maker)
{
	guint functions = maker->table.count + maker->table.left_out;
	char percent[G_ASCII_DTOSTR_BUF_SIZE];
	GString *text = g_string_new(NULL);

	g_ascii_formatd(percent, sizeof(percent), "%g", maker->options.percent_limit);
	g_string_printf(text, "left out: %u of %u functions and %u of %u calls (--percent-limit %s",
			maker->table.left_out, functions, maker->calls - maker->direct,
			maker->calls, percent);
	if (maker->options.lines)
		g_string_append_printf(text, " -n %d", maker->options.lines);
	g_string_append_c(text, ')');
	if (maker->by_way)
		g_string_append(text, "; dotted: through functions that are left out");
	return g_string_free(text, FALSE);
}

/* Returns the lines above the picture, for g_strfreev(). */
static char **describe(const Maker *maker)
{
	g_autofree char *title = calls_title(maker->data, &maker->options, maker->kind);
	g_autofree char *everything = with_share(maker, maker->here);
	g_autofree char *cut = describe_cut(maker);
	g_autofree char *all = g_strdup_printf(
		"%s%s%s%s; everything: %s%s%s\n%s", maker->dot->head, maker->notes->costs ?: "",
		maker->notes->costs ? "\n" : "", title, everything,
		*maker->dot->chosen ? "\nof: " : "", maker->dot->chosen, cut);

	return g_strsplit(all, "\n", -1);
}

static void print_head(const Maker *maker)
{
	g_auto(GStrv) lines = describe(maker);
	g_autoptr(GString) label = g_string_new(NULL);

	fputs("digraph kmemtrace {\n", maker->out);
	for (guint i = 0; lines[i]; i++) {
		g_autofree char *visible = escape_text(lines[i]);

		fprintf(maker->out, "\t// %s\n", visible);
		append_text(label, lines[i]);
		g_string_append(label, "\\l");
	}
	fprintf(maker->out,
		"\tgraph [label=\"%s\", labelloc=t, labeljust=l, fontname=\"Helvetica\"",
		label->str);
	fprintf(maker->out, ", kind=\"%s\", metric=\"%s\"", trace_kind_names[maker->kind],
		callmetric_of(maker->options.metric)->name);
	print_value(maker, "total", maker->here);
	fprintf(maker->out, ", functions_left_out=\"%u\", calls_left_out=\"%u\"];\n",
		maker->table.left_out, maker->calls - maker->direct);
	fputs("\tnode [shape=box, style=filled, color=\"#7a4a2a\", fontname=\"Helvetica\"];\n",
	      maker->out);
	fputs("\tedge [fontname=\"Helvetica\", fontsize=10];\n", maker->out);
}

/* The area of a node is its self cost, its colour the total. */
static void print_node(const Maker *maker, guint32 frame)
{
	static const guint8 light[] = { 0xff, 0xf8, 0xf0 }, dark[] = { 0xd9, 0x64, 0x28 };
	gint64 total = maker->table.functions[frame].total.of[maker->options.metric];
	gint64 self = maker->selves[frame];
	g_autofree char *totals = with_share(maker, total), *selves = with_share(maker, self);
	g_autoptr(GString) name = g_string_new(NULL), line = g_string_new(NULL);

	append_function(name, maker, frame, "\\n");
	append_function(line, maker, frame, " ");
	fprintf(maker->out, "\tN%u [label=\"%s\\n%s\\nself %s\", tooltip=\"%s\", fontsize=%ld",
		frame, name->str, totals, self ? selves : "0", line->str,
		lround(9 + 15 * sqrt(share_of(self, maker->here))));
	fputs(", fillcolor=", maker->out);
	print_colour(light, dark, share_of(total, maker->here), maker->out);
	print_value(maker, "total", total);
	print_value(maker, "self", self);
	fputs("];\n", maker->out);
}

static void print_edge(const Maker *maker, const CallEdge *edge)
{
	static const guint8 light[] = { 0xaa, 0xaa, 0xaa }, dark[] = { 0x22, 0x22, 0x22 };
	double share = share_of(edge->amount, maker->here);
	g_autofree char *amount = calldraw_format(maker->options.metric, edge->amount);
	g_autoptr(GString) line = g_string_new(NULL);

	append_function(line, maker, edge->from, " ");
	g_string_append(line, " -> ");
	append_function(line, maker, edge->to, " ");
	fprintf(maker->out,
		"\tN%u -> N%u [label=\"%s\", tooltip=\"%s\", labeltooltip=\"%s\", penwidth=%ld, weight=%ld",
		edge->from, edge->to, amount, line->str, line->str, lround(1 + 5 * share),
		lround(1 + 99 * share));
	fputs(", color=", maker->out);
	print_colour(light, dark, share, maker->out);
	if (edge->by_way)
		fputs(", style=dotted", maker->out);
	print_value(maker, "amount", edge->amount);
	fputs("];\n", maker->out);
}

static void print_graph(Maker *maker)
{
	find_selves(maker);
	choose_functions(maker);
	choose_edges(maker);
	print_head(maker);
	for (guint32 i = 0; i < maker->table.count; i++)
		print_node(maker, maker->table.order[i]);
	for (guint i = 0; i < maker->edges->len; i++)
		print_edge(maker, &g_array_index(maker->edges, CallEdge, i));
	fputs("}\n", maker->out);
	maker_clear(maker);
}

/* ---- kind ---- */

/* Returns the kind to draw; TRACE_KINDS with an error if there is none. */
static guint choose_kind(const CallCosts *data, const CallsOptions *options, char **others,
			 GError **error)
{
	int wanted = options->kind;
	guint first = TRACE_KINDS;
	GString *more = g_string_new(NULL);

	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		CallCost all = call_costs_all(data, kind);

		if ((wanted >= 0 && (guint)wanted != kind) || !callcost_has(&all, options->metric))
			continue;
		if (first == TRACE_KINDS)
			first = kind;
		else
			g_string_append_printf(more, "%s%s", more->len ? ", " : "",
					       trace_kind_names[kind]);
	}
	*others = g_string_free(more, first == TRACE_KINDS);
	if (first == TRACE_KINDS)
		store_fail(error, "nothing was allocated%s%s", wanted < 0 ? "" : " of the kind ",
			   wanted < 0 ? "" : trace_kind_names[wanted]);
	return first;
}

void calldot_clear_notes(CallDotNotes *notes)
{
	g_clear_pointer(&notes->others, g_free);
	g_clear_pointer(&notes->costs, g_free);
}

gboolean calldot_print(StoreDb *db, const CallDot *dot, FILE *out, CallDotNotes *notes,
		       GError **error)
{
	const CallsOptions *options = dot->options;
	g_autoptr(CallCosts) data = calls_read(db, options, 0, error);
	g_autoptr(CallTree) tree = NULL;
	Maker maker = {
		.dot = dot,
		.notes = notes,
		.data = data,
		.options = *options,
		.out = out,
	};

	if (!data || !calls_check_metric(data, options->metric, error))
		return FALSE;
	maker.kind = choose_kind(data, options, &notes->others, error);
	if (maker.kind == TRACE_KINDS)
		return FALSE;
	call_costs_add_lines(data, db, maker.kind);
	if (!call_costs_check_view(data, &options->view, NULL, error))
		return FALSE;
	notes->costs = call_notes(data, maker.kind, options->metric, FALSE);
	/* The direction matters only if the graph begins with some functions. */
	maker.options.view.callers = options->view.callers && options->view.from;
	maker.tree = tree = call_costs_tree(data, maker.kind, &maker.options.view);
	maker.all = call_costs_all(data, maker.kind).of[options->metric];
	maker.here = calltree_node(tree, 0)->total.of[options->metric];
	print_graph(&maker);
	return TRUE;
}
