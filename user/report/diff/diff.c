// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/diff/diff.h"

#include <math.h>
#include <string.h>

#include "base/escape.h"
#include "base/terminal.h"
#include "base/units.h"
#include "report/diff/figures.h"
#include "report/groups/groups.h"
#include "report/print/coverage.h"
#include "report/print/jsontext.h"
#include "report/print/object_rows.h"
#include "report/print/table.h"
#include "trace/event/kind.h"

#define TRUST_INDENT  3 /* spaces, below the name of a side */
#define LIMITS_INDENT 5 /* below its completeness */

static const char *const figure_names[DIFF_FIGURES] = {
	"allocs", "bytes", "live_count", "live_bytes", "waste_bytes",
};

static const char *const by_names[] = { "site",  "stack", "cache", "module", "kind", "node",
					"order", "size",  "task",  "thread", "cpu",  NULL };
static const char *const per_texts[] = { "", ", per second of each", ", per event of each" };
static const char *const per_names[] = { "total", "second", "event", NULL };

typedef struct {
	const DiffOptions *options;
	FILE *out;
	DiffData data;
	GPtrArray *verdicts; /* of the conditions */
} Diff;

static gboolean parse_word(const char *word, const char *const *words, guint *which)
{
	for (*which = 0; words[*which]; (*which)++) {
		if (!strcmp(word, words[*which]))
			return TRUE;
	}
	return FALSE;
}

gboolean diff_parse_by(const char *word, DiffBy *by)
{
	guint which;
	gboolean known = parse_word(word, by_names, &which);

	*by = which;
	return known;
}

gboolean diff_parse_per(const char *word, DiffPer *per)
{
	guint which;
	gboolean known = parse_word(word, per_names, &which);

	*per = which;
	return known;
}

/* ---- text ---- */

#define FIGURE_WIDTH 10

/* Columns: the figures, each with its change, and these. */
enum { NAME = 10, ONLY, COLUMNS };

static char *format_figure(const Diff *diff, DiffFigure figure, double value, gboolean is_change)
{
	gboolean bytes = figure != DIFF_ALLOCS && figure != DIFF_LIVE_COUNT;
	const char *sign = is_change && value > 0 ? "+" : "";
	g_autofree char *text = NULL;

	if (diff->options->per != DIFF_PER_TOTAL && fabs(value) < 100)
		return value == 0 ? g_strdup("0") : g_strdup_printf("%s%.3g", sign, value);
	text = bytes ? units_format_size(llround(value)) : units_format_count(llround(value));
	return g_strconcat(sign, text, NULL);
}

static void add_cells(const Diff *diff, const DiffRow *row, const char *name, Table *table)
{
	static const DiffFigure order[] = {
		DIFF_LIVE_BYTES, DIFF_LIVE_COUNT, DIFF_ALLOCS, DIFF_BYTES, DIFF_WASTE_BYTES,
	};
	const char *only = row->in[DIFF_A] == row->in[DIFF_B] ? ""
			   : row->in[DIFF_A]                  ? "(only in A)"
							      : "(only in B)";

	for (guint i = 0; i < G_N_ELEMENTS(order); i++) {
		double now = row->figures[DIFF_B][order[i]];

		table_add(table, 2 * i, format_figure(diff, order[i], now, FALSE));
		table_add(table, 2 * i + 1,
			  format_figure(diff, order[i], diffdata_change(row, order[i]), TRUE));
	}
	table_add(table, NAME, escape_text(name));
	table_add(table, ONLY, g_strdup(only));
}

/* Prints a stack below the figures and its innermost function, one frame per line. */
static void print_stack(const Diff *diff, const DiffRow *row)
{
	g_autofree char *text = diffdata_name(&diff->data, row);
	g_auto(GStrv) frames = g_strsplit(text, " < ", -1);

	for (guint i = 0; frames[i]; i++)
		escape_print_line("    ", frames[i], diff->out);
}

static void add_titles(const Diff *diff, Table *table)
{
	static const char *const titles[] = { "live bytes", "live", "allocs", "bytes", "waste" };

	for (guint i = 0; i < G_N_ELEMENTS(titles); i++) {
		table_add(table, 2 * i, g_strdup(titles[i]));
		table_add(table, 2 * i + 1, g_strdup("change"));
	}
	table_add(table, NAME, g_strdup(by_names[diff->options->by]));
	table_add(table, ONLY, g_strdup(""));
	for (guint i = 0; i < NAME; i++) {
		table->column[i].right = TRUE;
		table->column[i].width = MAX(table->column[i].width, FIGURE_WIDTH);
	}
}

static void print_rows(const Diff *diff, const DiffKind *kind, const GPtrArray *rows, guint count)
{
	gboolean by_stack = diff->options->by == DIFF_BY_STACK;
	g_auto(Table) table = { 0 };

	table_init(&table, COLUMNS);
	add_titles(diff, &table);
	add_cells(diff, &kind->all, "all", &table);
	for (guint i = 0; i < count; i++) {
		const DiffRow *row = g_ptr_array_index(rows, i);
		g_autofree char *name = by_stack ? NULL : diffdata_name(&diff->data, row);

		add_cells(diff, row, by_stack ? "" : name, &table);
	}
	table_fit(&table, terminal_width());
	for (guint i = 0; i < count + 2; i++) {
		table_print_row(&table, i, diff->out);
		if (by_stack && i > 1)
			print_stack(diff, g_ptr_array_index(rows, i - 2));
	}
}

static void print_kind(const Diff *diff, DiffKind *kind, const char *name)
{
	guint limit = (guint)diff->options->limit, all = g_hash_table_size(kind->rows);
	g_autoptr(GPtrArray) rows = diffdata_rows(&diff->data, kind, limit);
	guint changed = all - kind->same;
	guint shown = MIN(kind->grew, limit) + MIN(changed - kind->grew, limit);

	if (diffdata_is_one_sided(kind)) {
		fprintf(diff->out, "\n%s: not traced in %s, so not compared\n", name,
			kind->untraced[DIFF_A] ? "A" : "B");
		return;
	}
	if (!rows->len)
		return;
	fprintf(diff->out, "\n%s%s, by %s%s%s: %u in both, %u only in A, %u only in B",
		terminal_style(STYLE_HEADING), name, groups_title(by_names[diff->options->by]),
		per_texts[diff->options->per], terminal_style_end(),
		all - kind->only[DIFF_A] - kind->only[DIFF_B], kind->only[DIFF_A],
		kind->only[DIFF_B]);
	if (kind->same)
		fprintf(diff->out, "; %u without a difference, not shown", kind->same);
	fputc('\n', diff->out);
	print_rows(diff, kind, rows, shown);
	if (changed > shown)
		fprintf(diff->out, "(%u more: -n shows them)\n", changed - shown);
}

static void print_conclusion(const Diff *diff)
{
	g_autoptr(GString) growth = g_string_new(NULL);
	g_autoptr(GString) same = g_string_new(NULL);
	gboolean differ = FALSE;

	for (guint i = 0; i < TRACE_KINDS; i++) {
		const DiffKind *kind = &diff->data.kinds[i];
		g_autofree char *change = NULL;

		if (diffdata_is_one_sided(kind) || !g_hash_table_size(kind->rows))
			continue;
		differ |= kind->same < g_hash_table_size(kind->rows);
		change = format_figure(diff, DIFF_LIVE_BYTES,
				       diffdata_change(&kind->all, DIFF_LIVE_BYTES), TRUE);
		g_string_append_printf(growth, "%s%s %s", growth->len ? ", " : "",
				       trace_kind_names[i], change);
		g_string_append_printf(same, "%s%s", same->len ? ", " : "", trace_kind_names[i]);
	}
	if (!same->len)
		fputs("\nConclusion: nothing to compare: no kind of memory is in both traces\n",
		      diff->out);
	else if (differ)
		fprintf(diff->out, "\nConclusion: live at the end, B minus A: %s%s\n", growth->str,
			per_texts[diff->options->per]);
	else
		fprintf(diff->out, "\nConclusion: no difference in %s\n", same->str);
}

static gboolean print_side(Diff *diff, guint side, GError **error)
{
	g_autofree char *events = units_format_count(diff->data.events[side]);
	g_autofree char *span = units_format_time(diff->data.span_ns[side]);

	fprintf(diff->out, "%c: ", "AB"[side]);
	escape_print(diff->options->names[side], diff->out);
	fprintf(diff->out, ": %s events in %s\n", events, span);
	completeness_print(&diff->data.completeness[side], TRUST_INDENT, diff->out);
	selection_print(&diff->options->selections[side], FALSE, diff->out);
	return coverage_print_limits(diff->data.dbs[side], LIMITS_INDENT, diff->out, error);
}

static gboolean print_text(Diff *diff, GError **error)
{
	for (guint side = 0; side < DIFF_SIDES; side++) {
		if (!print_side(diff, side, error))
			return FALSE;
	}
	fputs("Figures are those of B; change is B minus A. Kinds are separate accounts, never added up\n",
	      diff->out);
	for (guint i = 0; i < TRACE_KINDS; i++)
		print_kind(diff, &diff->data.kinds[i], trace_kind_names[i]);
	print_conclusion(diff);
	conditions_print(diff->options->conditions, diff->verdicts,
			 "only one of the traces has this kind", diff->out);
	return TRUE;
}

/* ---- JSON ---- */

/* Rounds to seven places: the library would print "1e-08", which is invalid JSON. */
static void add_figure(JsonBuilder *json, const Diff *diff, const char *name, double value)
{
	if (diff->options->per == DIFF_PER_TOTAL) {
		object_add_int(json, name, llround(value));
		return;
	}
	json_builder_set_member_name(json, name);
	jsontext_add_double(json, round(value * 1e7) / 1e7);
}

/* Adds the figures of a side, null if it has none; DIFF_SIDES: the change. */
static void add_figures(JsonBuilder *json, const Diff *diff, const DiffRow *row, guint side)
{
	static const char *const names[] = { "a", "b", "change" };

	json_builder_set_member_name(json, names[side]);
	if (side < DIFF_SIDES && !row->in[side]) {
		json_builder_add_null_value(json);
		return;
	}
	json_builder_begin_object(json);
	for (guint i = 0; i < DIFF_FIGURES; i++)
		add_figure(json, diff, figure_names[i],
			   side == DIFF_SIDES ? diffdata_change(row, i) : row->figures[side][i]);
	json_builder_end_object(json);
}

static void add_row(JsonBuilder *json, const Diff *diff, const DiffRow *row)
{
	for (guint side = 0; side <= DIFF_SIDES; side++)
		add_figures(json, diff, row, side);
}

static void add_rows(JsonBuilder *json, const Diff *diff, const GPtrArray *rows)
{
	json_builder_set_member_name(json, "rows");
	json_builder_begin_array(json);
	for (guint i = 0; i < rows->len; i++) {
		const DiffRow *row = g_ptr_array_index(rows, i);
		g_autofree char *name = diffdata_name(&diff->data, row);

		json_builder_begin_object(json);
		object_add_text(json, by_names[diff->options->by], name);
		add_row(json, diff, row);
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
}

static void add_kind(JsonBuilder *json, const Diff *diff, DiffKind *kind, const char *name)
{
	g_autoptr(GPtrArray) rows = diffdata_rows(&diff->data, kind, (guint)diff->options->limit);
	guint all = g_hash_table_size(kind->rows);

	if (!diffdata_is_one_sided(kind) && !rows->len)
		return;
	json_builder_set_member_name(json, name);
	json_builder_begin_object(json);
	if (diffdata_is_one_sided(kind)) {
		object_add_text(json, "not_traced", kind->untraced[DIFF_A] ? "a" : "b");
		json_builder_end_object(json);
		return;
	}
	object_add_int(json, "both", all - kind->only[DIFF_A] - kind->only[DIFF_B]);
	object_add_int(json, "only_a", kind->only[DIFF_A]);
	object_add_int(json, "only_b", kind->only[DIFF_B]);
	object_add_int(json, "same", kind->same);
	object_add_int(json, "grew", kind->grew);
	json_builder_set_member_name(json, "all");
	json_builder_begin_object(json);
	add_row(json, diff, &kind->all);
	json_builder_end_object(json);
	add_rows(json, diff, rows);
	json_builder_end_object(json);
}

/* As selection_print(). */
static void add_selection(JsonBuilder *json, const Selection *selection)
{
	if (selection_has_interval(selection)) {
		json_builder_set_member_name(json, "between");
		json_builder_begin_object(json);
		object_add_int(json, "from_ns", selection->from_ns);
		object_add_int(json, "to_ns", selection->to_ns);
		json_builder_end_object(json);
	}
	if (!selection_is_part(selection, 0))
		return;
	json_builder_set_member_name(json, "only");
	json_builder_begin_object(json);
	for (guint i = 0; i < SELECT_FILTERS; i++) {
		if (selection->filter[i])
			object_add_text(json, selection_names[i], selection->filter[i]);
	}
	json_builder_end_object(json);
}

static gboolean add_side(JsonBuilder *json, const Diff *diff, guint side, GError **error)
{
	static const char *const sides[] = { "a", "b" };
	g_autoptr(StoreRows) completeness =
		store_query_named(diff->data.dbs[side], "completeness", NULL, error);

	if (!completeness)
		return FALSE;
	json_builder_set_member_name(json, sides[side]);
	json_builder_begin_object(json);
	object_add_text(json, "name", diff->options->names[side]);
	if (!object_add_rows(json, "trust", completeness, error))
		return FALSE;
	object_add_int(json, "span_ns", diff->data.span_ns[side]);
	object_add_int(json, "events", diff->data.events[side]);
	object_add_int(json, "sample", diff->data.sample[side]);
	add_selection(json, &diff->options->selections[side]);
	json_builder_end_object(json);
	return TRUE;
}

static gboolean print_json(Diff *diff, GError **error)
{
	g_autoptr(JsonBuilder) json = json_builder_new();

	json_builder_begin_object(json);
	for (guint side = 0; side < DIFF_SIDES; side++) {
		if (!add_side(json, diff, side, error))
			return FALSE;
	}
	object_add_text(json, "by", by_names[diff->options->by]);
	object_add_text(json, "per", per_names[diff->options->per]);
	json_builder_set_member_name(json, "kinds");
	json_builder_begin_object(json);
	for (guint i = 0; i < TRACE_KINDS; i++)
		add_kind(json, diff, &diff->data.kinds[i], trace_kind_names[i]);
	json_builder_end_object(json);
	if (diff->verdicts->len) {
		json_builder_set_member_name(json, "conditions");
		conditions_add_json(diff->options->conditions, diff->verdicts, json);
	}
	json_builder_end_object(json);
	object_print(json, diff->out);
	fputc('\n', diff->out);
	return TRUE;
}

static gboolean judge(Diff *diff, GError **error)
{
	diff->verdicts =
		conditions_judge(diff->options->conditions, diffdata_figure, &diff->data, error);
	return diff->verdicts != NULL;
}

gboolean diff_print(StoreDb *const dbs[2], const DiffOptions *options, FILE *out,
		    ConditionResult *result, GError **error)
{
	Diff diff = { .options = options, .out = out };
	gboolean fine = diffdata_read(&diff.data, dbs, options, error) && judge(&diff, error) &&
			(options->json ? print_json(&diff, error) : print_text(&diff, error));

	*result = (ConditionResult){ 0 };
	if (fine) {
		result->incomplete = completeness_is_incomplete(&diff.data.completeness[DIFF_A]) ||
				     completeness_is_incomplete(&diff.data.completeness[DIFF_B]);
		result->failed = conditions_failed(diff.verdicts);
	}
	g_clear_pointer(&diff.verdicts, g_ptr_array_unref);
	diffdata_clear(&diff.data);
	return fine;
}
