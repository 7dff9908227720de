// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/check/conditions.h"

#include <math.h>

#include "base/escape.h"
#include "base/object.h"
#include "base/terminal.h"
#include "base/units.h"
#include "report/print/jsontext.h"

static const char *const unit_names[] = { "count", "bytes", "time_ns" };

typedef struct {
	double *values; /* of its figures */
	LogicResult result;
} Verdict;

/* ---- parsing ---- */

static void free_expr(gpointer expr)
{
	expr_free(expr);
}

gboolean conditions_parse(Conditions *conditions, const char *const *texts, const ExprName *names,
			  guint count, GError **error)
{
	conditions->exprs = g_ptr_array_new_with_free_func(free_expr);
	conditions->texts = texts;
	for (guint i = 0; texts && texts[i]; i++) {
		Expr *expr = expr_parse(texts[i], names, count, error);

		if (!expr) {
			g_prefix_error(error, "--fail-if '%s': ", texts[i]);
			return FALSE;
		}
		g_ptr_array_add(conditions->exprs, expr);
	}
	return TRUE;
}

void conditions_clear(Conditions *conditions)
{
	g_clear_pointer(&conditions->exprs, g_ptr_array_unref);
}

/* ---- evaluation ---- */

static void verdict_free(gpointer data)
{
	Verdict *verdict = data;

	g_free(verdict->values);
	g_free(verdict);
}

GPtrArray *conditions_judge(const Conditions *conditions, ConditionFigureFunc get, gpointer data,
			    GError **error)
{
	g_autoptr(GPtrArray) verdicts = g_ptr_array_new_with_free_func(verdict_free);

	for (guint i = 0; conditions->exprs && i < conditions->exprs->len; i++) {
		const Expr *expr = g_ptr_array_index(conditions->exprs, i);
		Verdict *verdict = g_new0(Verdict, 1);

		g_ptr_array_add(verdicts, verdict);
		verdict->values = g_new0(double, expr_figures(expr) + 1);
		for (guint j = 0; j < expr_figures(expr); j++) {
			if (!get(data, expr_figure(expr, j), &verdict->values[j], error))
				return NULL;
		}
		verdict->result = expr_holds(expr, verdict->values);
	}
	return g_steal_pointer(&verdicts);
}

guint conditions_failed(const GPtrArray *verdicts)
{
	guint failed = 0;

	for (guint i = 0; i < verdicts->len; i++)
		failed += ((const Verdict *)g_ptr_array_index(verdicts, i))->result == LOGIC_TRUE;
	return failed;
}

/* ---- text ---- */

/*
 * Formats a value exactly, and also readably if that differs: a condition may depend on one byte.
 */
static char *format_value(ExprUnit unit, double value, const char *unknown)
{
	g_autofree char *count = NULL, *size = NULL;

	if (isnan(value))
		return g_strconcat("unknown: ", unknown, NULL);
	if (value != round(value) && fabs(value) < 100)
		return g_strdup_printf("%.3g", value);
	if (unit == EXPR_TIME)
		return units_format_time(llround(value));
	count = units_format_count(llround(value));
	if (unit == EXPR_COUNT || fabs(value) < 1024)
		return g_steal_pointer(&count);
	size = units_format_size(llround(value));
	return g_strdup_printf("%s (%s)", count, size);
}

static void print_verdict(const Verdict *verdict, const Expr *expr, const char *text,
			  const char *unknown, FILE *out)
{
	static const char *const words[] = { "ok     ", "FAILED ", "unknown" };
	static const TerminalStyle styles[] = { STYLE_GOOD, STYLE_BAD, STYLE_WARNING };
	g_autofree char *shown = escape_text(text);

	fprintf(out, "%s%s%s  %s", terminal_style(styles[verdict->result]), words[verdict->result],
		terminal_style_end(), shown);
	for (guint i = 0; i < expr_figures(expr); i++) {
		const ExprFigure *figure = expr_figure(expr, i);
		g_autofree char *value =
			format_value(figure->name->unit, verdict->values[i], unknown);

		fprintf(out, "%s ", i ? "," : ":");
		escape_print(figure->text, out);
		fprintf(out, " is %s", value);
	}
	fputc('\n', out);
}

void conditions_print(const Conditions *conditions, const GPtrArray *verdicts, const char *unknown,
		      FILE *out)
{
	for (guint i = 0; i < verdicts->len; i++)
		print_verdict(g_ptr_array_index(verdicts, i),
			      g_ptr_array_index(conditions->exprs, i), conditions->texts[i],
			      unknown, out);
}

/* ---- JSON ---- */

static void add_figure(JsonBuilder *json, const ExprFigure *figure, double value)
{
	json_builder_begin_object(json);
	object_add_text(json, "figure", figure->text);
	object_add_text(json, "unit", unit_names[figure->name->unit]);
	if (value == round(value)) {
		object_add_int(json, "value", llround(value));
	} else {
		json_builder_set_member_name(json, "value");
		if (isnan(value))
			json_builder_add_null_value(json);
		else
			jsontext_add_double(json, round(value * 1e7) / 1e7);
	}
	json_builder_end_object(json);
}

static void add_condition(JsonBuilder *json, const Verdict *verdict, const Expr *expr,
			  const char *text)
{
	static const char *const words[] = { "ok", "failed", "unknown" };

	json_builder_begin_object(json);
	object_add_text(json, "fail_if", text);
	object_add_text(json, "result", words[verdict->result]);
	json_builder_set_member_name(json, "figures");
	json_builder_begin_array(json);
	for (guint i = 0; i < expr_figures(expr); i++)
		add_figure(json, expr_figure(expr, i), verdict->values[i]);
	json_builder_end_array(json);
	json_builder_end_object(json);
}

void conditions_add_json(const Conditions *conditions, const GPtrArray *verdicts, JsonBuilder *json)
{
	json_builder_begin_array(json);
	for (guint i = 0; i < verdicts->len; i++)
		add_condition(json, g_ptr_array_index(verdicts, i),
			      g_ptr_array_index(conditions->exprs, i), conditions->texts[i]);
	json_builder_end_array(json);
}

/* ---- names ---- */

void conditions_print_names(const ExprName *names, guint count, gboolean json, FILE *out)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();

	json_builder_begin_array(builder);
	for (guint i = 0; i < count; i++) {
		json_builder_begin_object(builder);
		object_add_text(builder, "name", names[i].name);
		object_add_text(builder, "unit", unit_names[names[i].unit]);
		object_add_text(builder, "help", names[i].help);
		json_builder_end_object(builder);
		if (!json)
			fprintf(out, "%-24s %-7s  %s\n", names[i].name, unit_names[names[i].unit],
				names[i].help);
	}
	json_builder_end_array(builder);
	if (!json)
		return;
	object_print(builder, out);
	fputc('\n', out);
}
