// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An only child with the total of its parent is drawn without another indent, as in perf's call
 * graphs: stacks are deep, and seldom branch.
 */
#include "report/calltree/draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/escape.h"
#include "base/terminal.h"
#include "base/text_width.h"
#include "base/units.h"

#define FIGURES_WIDTH 37 /* columns before the tree */
#define NAME_MIN      16 /* minimum columns of a name */

/* A row that remains to be drawn. */
typedef struct {
	guint32 node;
	guint32 others; /* not 0: number of hidden siblings, with the sum @total */
	gint64 total;
	char *lead;  /* prefix of its function */
	char *below; /* prefix of its children */
} Row;

/* The glyphs of a tree. */
typedef struct {
	const char *child, *last, *through, *blank, *more;
} Glyphs;

static const Glyphs unicode = { "├─ ", "└─ ", "│  ", "   ", "…" };
static const Glyphs ascii = { "|-- ", "`-- ", "|   ", "    ", "..." };

static gint64 total_of(const CallDraw *draw, guint32 node)
{
	return calltree_node(draw->tree, node)->total.of[draw->options->metric];
}

static int compare_places(const CallPlace *a, const CallPlace *b)
{
	return g_strcmp0(a->file, b->file) ?: COMPARE(a->line, b->line) ?: a->inlined - b->inlined;
}

static int compare_names(const CallCosts *data, guint32 a, guint32 b)
{
	int names = strcmp(call_costs_function(data, a), call_costs_function(data, b));

	if (!names)
		names = g_strcmp0(call_costs_module(data, a), call_costs_module(data, b));
	return names ? names : compare_places(call_costs_place(data, a), call_costs_place(data, b));
}

/* ---- shown nodes ---- */

static gint compare_siblings(gconstpointer a, gconstpointer b, gpointer data)
{
	const CallDraw *draw = data;
	guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
	const CallNode *nodes[] = { calltree_node(draw->tree, x), calltree_node(draw->tree, y) };

	return COMPARE(nodes[0]->parent, nodes[1]->parent)
		       ?: COMPARE(total_of(draw, y), total_of(draw, x))
		       ?: compare_names(draw->data, nodes[0]->frame, nodes[1]->frame);
}

/* Sorts parents first, even if their totals are equal. */
static gint compare_totals(gconstpointer a, gconstpointer b, gpointer data)
{
	const CallDraw *draw = data;
	guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;

	return COMPARE(total_of(draw, y), total_of(draw, x)) ?: COMPARE(x, y);
}

gboolean calldraw_is_enough(const CallsOptions *options, gint64 total, gint64 selected)
{
	if (options->percent_limit <= 0)
		return TRUE;
	return total > 0 && total * 100.0 >= options->percent_limit * selected;
}

static void choose(CallDraw *draw)
{
	guint32 count = calltree_count(draw->tree), most = count - 1;
	g_autofree guint32 *order = g_new(guint32, count);

	for (guint32 i = 1; i < count; i++)
		order[i - 1] = i;
	if (draw->options->lines > 0) {
		g_qsort_with_data(order, count - 1, sizeof(*order), compare_totals, draw);
		most = MIN(most, (guint32)draw->options->lines);
	}
	draw->shown[0] = TRUE;
	for (guint32 i = 0; i < most; i++)
		draw->shown[order[i]] = calldraw_is_enough(draw->options, total_of(draw, order[i]),
							   total_of(draw, 0));
}

void calldraw_init(CallDraw *draw, const CallCosts *data, const CallTree *tree,
		   const CallsOptions *options, gint64 all)
{
	guint32 count = calltree_count(tree);

	draw->data = data;
	draw->tree = tree;
	draw->options = options;
	draw->all = all;
	draw->shown = g_new0(gboolean, count);
	draw->children = g_new(guint32, count);
	draw->first = g_new0(guint32, (gsize)count + 1);
	choose(draw);
	for (guint32 i = 1; i < count; i++) {
		draw->children[i - 1] = i;
		draw->first[calltree_node(tree, i)->parent + 1]++;
	}
	for (guint32 i = 0; i < count; i++)
		draw->first[i + 1] += draw->first[i];
	g_qsort_with_data(draw->children, count - 1, sizeof(*draw->children), compare_siblings,
			  draw);
}

void calldraw_clear(CallDraw *draw)
{
	g_clear_pointer(&draw->shown, g_free);
	g_clear_pointer(&draw->children, g_free);
	g_clear_pointer(&draw->first, g_free);
}

/* ---- text ---- */

char *calldraw_format(CallMetric metric, gint64 value)
{
	if (metric == CALL_BYTE_MS)
		return units_format_size(value / 1000);
	if (metric == CALL_LIVED_US)
		return units_format_time(value * 1000);
	return callmetric_of(metric)->bytes ? units_format_size(value) : units_format_count(value);
}

static void print_figures(CallMetric metric, gint64 total, gint64 all, const char *self, FILE *out)
{
	g_autofree char *text = calldraw_format(metric, total);

	fprintf(out, "%12s  %6.1f%%  %12s  ", text, all ? total * 100.0 / all : 0.0, self);
}

static void print_head(FILE *out)
{
	fprintf(out, "%12s  %7s  %12s  function\n", "total", "total %", "self");
}

/* Prints a name. @used: columns before it. */
static void print_name(const CallCosts *data, guint32 frame, gsize used, FILE *out)
{
	g_autofree char *function = escape_text(call_costs_function(data, frame));
	const char *of = call_costs_module(data, frame);
	g_autofree char *module = of ? escape_text(of) : NULL;
	g_autofree char *place = call_costs_describe_place(data, frame);
	g_autofree char *shown = place ? escape_text(place) : NULL;
	g_autofree char *name = g_strconcat(function, module ? " [" : "", module ?: "",
					    module ? "]" : "", shown ? " " : "", shown, NULL);
	gsize width = terminal_width();
	g_autofree char *fitting =
		width ? text_shorten(name, width > used ? width - used : 1) : g_strdup(name);

	fprintf(out, "%s\n", fitting);
}

/* Returns the prefix before a name, or only its end if the tree is deep. */
static const char *fit_lead(const char *lead)
{
	gsize most = terminal_width(), width = text_width(lead), unit, left_out;

	if (!most)
		return lead;
	most = most > FIGURES_WIDTH + NAME_MIN ? most - FIGURES_WIDTH - NAME_MIN : 0;
	if (width <= most)
		return lead;
	/* Cuts whole levels, so that the lines of the remaining ones meet. */
	unit = text_width((g_get_charset(NULL) ? &unicode : &ascii)->blank);
	left_out = (width - most + unit - 1) / unit * unit;
	return g_utf8_offset_to_pointer(lead, MIN(left_out, width));
}

/* Counts the children of @node that are shown, and sums up the others. */
static guint32 count_shown(const CallDraw *draw, guint32 node, guint32 *others, gint64 *sum)
{
	guint32 shown = 0;

	*others = 0;
	*sum = 0;
	for (guint32 i = draw->first[node]; i < draw->first[node + 1]; i++) {
		guint32 child = draw->children[i];

		if (draw->shown[child]) {
			shown++;
		} else {
			(*others)++;
			*sum += total_of(draw, child);
		}
	}
	return shown;
}

/* Makes a row. @below: the prefix of its parent's children. @beside: it has siblings. */
static Row make_row(guint32 node, const char *below, gboolean beside, gboolean last,
		    const Glyphs *glyphs)
{
	Row row = { .node = node };

	row.lead = g_strconcat(below, !beside ? "" : last ? glyphs->last : glyphs->child, NULL);
	row.below = g_strconcat(below, !beside ? "" : last ? glyphs->blank : glyphs->through, NULL);
	return row;
}

/* Pushes the children of @row, the last one first. */
static void push_children(const CallDraw *draw, const Row *row, const Glyphs *glyphs, GArray *stack)
{
	guint32 others, shown;
	gint64 sum;
	gboolean beside;

	if (row->others)
		return;
	shown = count_shown(draw, row->node, &others, &sum);
	if (!sum)
		others = 0;
	if (others) {
		Row rest = make_row(row->node, row->below, TRUE, TRUE, glyphs);

		rest.others = others;
		rest.total = sum;
		g_array_append_val(stack, rest);
	}
	/* Children of the root are drawn as siblings, even if there is only one. */
	beside = !row->node || shown + (others != 0) > 1 ||
		 calltree_node(draw->tree, row->node)->self.of[draw->options->metric];
	for (guint32 i = draw->first[row->node + 1]; i-- > draw->first[row->node];) {
		Row child;

		if (!draw->shown[draw->children[i]])
			continue;
		child = make_row(draw->children[i], row->below, beside, !others, glyphs);
		others = 1; /* siblings before it are not the last */
		g_array_append_val(stack, child);
	}
}

static void print_row(const CallDraw *draw, const Row *row, const Glyphs *glyphs, FILE *out)
{
	CallMetric metric = draw->options->metric;
	const CallNode *node = calltree_node(draw->tree, row->node);
	g_autofree char *self =
		row->others ? g_strdup("") : calldraw_format(metric, node->self.of[metric]);
	gint64 total = row->others ? row->total : node->total.of[metric];
	const char *lead = fit_lead(row->lead);

	print_figures(metric, total, draw->all, self, out);
	fputs(lead, out);
	if (row->others)
		fprintf(out, "%s %u more\n", glyphs->more, row->others);
	else
		print_name(draw->data, node->frame, FIGURES_WIDTH + text_width(lead), out);
}

void calldraw_print(const CallDraw *draw, FILE *out)
{
	const Glyphs *glyphs = g_get_charset(NULL) ? &unicode : &ascii;
	g_autoptr(GArray) stack = g_array_new(FALSE, FALSE, sizeof(Row));
	Row root = { .lead = g_strdup(""), .below = g_strdup("") };

	print_head(out);
	g_array_append_val(stack, root);
	while (stack->len) {
		Row row = g_array_index(stack, Row, stack->len - 1);

		g_array_set_size(stack, stack->len - 1);
		print_row(draw, &row, glyphs, out);
		push_children(draw, &row, glyphs, stack);
		g_free(row.lead);
		g_free(row.below);
	}
}

/* ---- functions ---- */

static gint compare_functions(gconstpointer a, gconstpointer b, gpointer data)
{
	const CallTable *table = data;
	CallMetric metric = table->options->metric;
	guint32 x = *(const guint32 *)a, y = *(const guint32 *)b;
	const CallFunction *functions[] = { &table->functions[x], &table->functions[y] };

	return COMPARE(functions[1]->total.of[metric], functions[0]->total.of[metric])
		       ?: COMPARE(functions[1]->self.of[metric], functions[0]->self.of[metric])
		       ?: compare_names(table->data, x, y);
}

void calltable_init(CallTable *table, const CallCosts *data, const CallTree *tree,
		    const CallsOptions *options, gint64 all)
{
	gint64 selected = calltree_node(tree, 0)->total.of[options->metric];
	guint32 frames, found = 0, most;

	table->data = data;
	table->options = options;
	table->all = all;
	table->functions = calltree_functions(tree, &frames);
	table->order = g_new(guint32, frames);
	for (guint32 i = 1; i < frames; i++) {
		if (callcost_has(&table->functions[i].total, options->metric))
			table->order[found++] = i;
	}
	g_qsort_with_data(table->order, found, sizeof(*table->order), compare_functions, table);
	most = options->lines > 0 ? MIN(found, (guint32)options->lines) : found;
	while (table->count < most) {
		const CallFunction *next = &table->functions[table->order[table->count]];

		if (!calldraw_is_enough(options, next->total.of[options->metric], selected))
			break;
		table->count++;
	}
	table->left_out = found - table->count;
}

void calltable_clear(CallTable *table)
{
	g_clear_pointer(&table->functions, g_free);
	g_clear_pointer(&table->order, g_free);
}

void calltable_print(const CallTable *table, FILE *out)
{
	CallMetric metric = table->options->metric;

	print_head(out);
	for (guint32 i = 0; i < table->count; i++) {
		const CallFunction *function = &table->functions[table->order[i]];
		g_autofree char *self = calldraw_format(metric, function->self.of[metric]);

		print_figures(metric, function->total.of[metric], table->all, self, out);
		print_name(table->data, table->order[i], FIGURES_WIDTH, out);
	}
	if (table->left_out)
		fprintf(out, "(%u more)\n", table->left_out);
}
