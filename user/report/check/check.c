// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/check/check.h"

#include <math.h>

#include "base/terminal.h"
#include "base/units.h"
#include "report/print/object.h"
#include "report/print/printer.h"
#include "trace/event/kind.h"

static const char *const unit_names[] = { "count", "bytes", "time_ns" };

typedef struct {
	double *values; /* of its figures */
	LogicResult result;
} Verdict;

static void verdict_free(gpointer data)
{
	Verdict *verdict = data;

	g_free(verdict->values);
	g_free(verdict);
}

static gboolean judge(Figures *figures, const Expr *expr, Verdict *verdict, GError **error)
{
	verdict->values = g_new0(double, expr_figures(expr) + 1);
	for (guint i = 0; i < expr_figures(expr); i++) {
		if (!figures_get(figures, expr_figure(expr, i), &verdict->values[i], error))
			return FALSE;
	}
	verdict->result = expr_holds(expr, verdict->values);
	return TRUE;
}

/* ---- text ---- */

/* Exactly, and readably if that is something else: a condition may turn on one byte. */
static char *format_value(ExprUnit unit, double value)
{
	g_autofree char *count = isnan(value) ? g_strdup("unknown: no such allocation was freed")
					      : units_format_count(llround(value));
	g_autofree char *size = NULL;

	if (isnan(value) || unit == EXPR_COUNT)
		return g_steal_pointer(&count);
	if (unit == EXPR_TIME)
		return units_format_time(llround(value));
	size = units_format_size(llround(value));
	return value < 1024 ? g_steal_pointer(&count) : g_strdup_printf("%s (%s)", count, size);
}

static void print_verdict(const Verdict *verdict, const Expr *expr, const char *text, FILE *out)
{
	static const char *const words[] = { "ok     ", "FAILED ", "unknown" };
	static const TerminalStyle styles[] = { STYLE_GOOD, STYLE_BAD, STYLE_WARNING };

	fprintf(out, "%s%s%s  %s", terminal_style(styles[verdict->result]), words[verdict->result],
		terminal_style_end(), text);
	for (guint i = 0; i < expr_figures(expr); i++) {
		const ExprFigure *figure = expr_figure(expr, i);
		g_autofree char *value = format_value(figure->name->unit, verdict->values[i]);

		fprintf(out, "%s %s is %s", i ? "," : ":", figure->text, value);
	}
	fputc('\n', out);
}

static gboolean get_figure(Figures *figures, const char *name, double *value, GError **error)
{
	g_autoptr(Expr) expr = NULL;
	g_autofree char *text = g_strdup_printf("%s > 0", name);
	guint count;
	const ExprName *names = figures_names(&count);

	expr = expr_parse(text, names, count, error);
	return expr && figures_get(figures, expr_figure(expr, 0), value, error);
}

/* What is not in leaked: why, as figures name it, and as is said. */
static const struct {
	const char *figure, *text;
} left_out[] = {
	{ "suppressed", "suppressed" },
	{ "own", "of the tracer and its recorder, not leaked" },
};

#define LEFT_OUT G_N_ELEMENTS(left_out)

/* Of each kind: bytes, and how many. */
typedef double Sums[TRACE_KINDS][2];

static gboolean read_left_out(Figures *figures, const char *name, Sums sums, GError **error)
{
	for (guint i = 0; i < TRACE_KINDS; i++) {
		g_autofree char *bytes = g_strconcat(name, "_", trace_kind_names[i], NULL);
		g_autofree char *count = g_strconcat(name, "_count_", trace_kind_names[i], NULL);

		if (!get_figure(figures, bytes, &sums[i][0], error) ||
		    !get_figure(figures, count, &sums[i][1], error))
			return FALSE;
	}
	return TRUE;
}

static void print_left_out(const char *text, Sums sums, FILE *out)
{
	for (guint i = 0; i < TRACE_KINDS; i++) {
		g_autofree char *bytes = units_format_size(llround(sums[i][0]));
		g_autofree char *count = units_format_count(llround(sums[i][1]));

		if (sums[i][1] > 0)
			fprintf(out, "%s: %s in %s of %s\n", text, bytes, count,
				trace_kind_names[i]);
	}
}

static void print_text(const CheckOptions *options, const GPtrArray *verdicts, Sums *sums,
		       FILE *out)
{
	g_autofree char *age = units_format_age(options->older_ns);

	fprintf(out, "Leaked: live at the end and older than %s\n", age);
	for (guint i = 0; i < verdicts->len; i++)
		print_verdict(g_ptr_array_index(verdicts, i),
			      g_ptr_array_index(options->conditions, i), options->texts[i], out);
	for (guint i = 0; i < LEFT_OUT; i++)
		print_left_out(left_out[i].text, sums[i], out);
}

/* ---- JSON ---- */

static void add_condition(JsonBuilder *json, const Verdict *verdict, const Expr *expr,
			  const char *text)
{
	static const char *const words[] = { "ok", "failed", "unknown" };

	json_builder_begin_object(json);
	object_add_text(json, "fail_if", text);
	object_add_text(json, "result", words[verdict->result]);
	json_builder_set_member_name(json, "figures");
	json_builder_begin_array(json);
	for (guint i = 0; i < expr_figures(expr); i++) {
		const ExprFigure *figure = expr_figure(expr, i);

		json_builder_begin_object(json);
		object_add_text(json, "figure", figure->text);
		object_add_text(json, "unit", unit_names[figure->name->unit]);
		if (isnan(verdict->values[i])) {
			json_builder_set_member_name(json, "value");
			json_builder_add_null_value(json);
		} else {
			object_add_int(json, "value", llround(verdict->values[i]));
		}
		json_builder_end_object(json);
	}
	json_builder_end_array(json);
	json_builder_end_object(json);
}

static JsonBuilder *build_conditions(const CheckOptions *options, const GPtrArray *verdicts)
{
	JsonBuilder *json = json_builder_new();

	json_builder_begin_array(json);
	for (guint i = 0; i < verdicts->len; i++)
		add_condition(json, g_ptr_array_index(verdicts, i),
			      g_ptr_array_index(options->conditions, i), options->texts[i]);
	json_builder_end_array(json);
	return json;
}

static JsonBuilder *build_left_out(Sums sums)
{
	JsonBuilder *json = json_builder_new();

	json_builder_begin_object(json);
	for (guint i = 0; i < TRACE_KINDS; i++) {
		json_builder_set_member_name(json, trace_kind_names[i]);
		json_builder_begin_object(json);
		object_add_int(json, "bytes", llround(sums[i][0]));
		object_add_int(json, "count", llround(sums[i][1]));
		json_builder_end_object(json);
	}
	json_builder_end_object(json);
	return json;
}

static void print_json(const Printer *printer, const CheckOptions *options,
		       const GPtrArray *verdicts, Sums *sums)
{
	g_autoptr(JsonBuilder) conditions = build_conditions(options, verdicts);

	fprintf(printer->out, ",\n\"older_ns\": %" G_GUINT64_FORMAT, options->older_ns);
	printer_built(printer, "conditions", conditions);
	for (guint i = 0; i < LEFT_OUT; i++) {
		g_autoptr(JsonBuilder) json = build_left_out(sums[i]);

		printer_built(printer, left_out[i].figure, json);
	}
}

gboolean check_print(StoreDb *db, const CheckOptions *options, FILE *out, CheckResult *result,
		     GError **error)
{
	g_autoptr(GPtrArray) verdicts = g_ptr_array_new_with_free_func(verdict_free);
	Sums sums[LEFT_OUT];
	g_autoptr(Figures) figures = NULL;
	g_auto(Printer)
		printer = { .db = db, .name = options->name, .out = out, .json = options->json };

	figures = figures_read(db, options->older_ns, options->suppress, error);
	if (!figures)
		return FALSE;
	for (guint i = 0; i < LEFT_OUT; i++) {
		if (!read_left_out(figures, left_out[i].figure, sums[i], error))
			return FALSE;
	}
	*result = (CheckResult){ 0 };
	for (guint i = 0; i < options->conditions->len; i++) {
		Verdict *verdict = g_new0(Verdict, 1);

		g_ptr_array_add(verdicts, verdict);
		if (!judge(figures, g_ptr_array_index(options->conditions, i), verdict, error))
			return FALSE;
		result->failed += verdict->result == LOGIC_TRUE;
	}
	if (!printer_begin(&printer, error))
		return FALSE;
	result->incomplete = completeness_is_incomplete(&printer.completeness);
	if (options->json)
		print_json(&printer, options, verdicts, sums);
	else
		print_text(options, verdicts, sums, out);
	printer_end(&printer);
	return TRUE;
}

/* ---- names ---- */

void check_print_names(gboolean json, FILE *out)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	guint count;
	const ExprName *names = figures_names(&count);

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
