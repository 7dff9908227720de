// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/check/check.h"

#include <math.h>

#include "base/object.h"
#include "base/terminal.h"
#include "base/units.h"
#include "report/print/printer.h"
#include "trace/event/kind.h"

static gboolean get_figure(Figures *figures, const char *name, double *value, GError **error)
{
	g_autoptr(Expr) expr = NULL;
	g_autofree char *text = g_strdup_printf("%s > 0", name);
	guint count;
	const ExprName *names = figures_names(&count);

	expr = expr_parse(text, names, count, error);
	return expr && figures_get(figures, expr_figure(expr, 0), value, error);
}

/* Exclusions from leaked: the figure, and its text. */
static const struct {
	const char *figure, *text;
} left_out[] = {
	{ "suppressed", "suppressed" },
	{ "own", "of the tracer and its recorder, not leaked" },
};

#define LEFT_OUT G_N_ELEMENTS(left_out)

/* By kind: bytes, and count. */
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

	fprintf(out,
		"(leaked: what is live at the end, and older than %s or left by an unloaded module)\n",
		age);
	conditions_print(options->conditions, verdicts,
			 "no such allocation was freed, or its kind was not traced", out);
	for (guint i = 0; i < LEFT_OUT; i++)
		print_left_out(left_out[i].text, sums[i], out);
}

/* ---- JSON ---- */

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
	g_autoptr(JsonBuilder) conditions = json_builder_new();

	conditions_add_json(options->conditions, verdicts, conditions);
	fprintf(printer->out, ",\n\"older_ns\": %" G_GUINT64_FORMAT, options->older_ns);
	printer_built(printer, "conditions", conditions);
	for (guint i = 0; i < LEFT_OUT; i++) {
		g_autoptr(JsonBuilder) json = build_left_out(sums[i]);

		printer_built(printer, left_out[i].figure, json);
	}
}

/* A ConditionFigureFunc. */
static gboolean find_figure(gpointer figures, const ExprFigure *figure, double *value,
			    GError **error)
{
	return figures_get(figures, figure, value, error);
}

gboolean check_print(StoreDb *db, const CheckOptions *options, FILE *out, ConditionResult *result,
		     GError **error)
{
	g_autoptr(GPtrArray) verdicts = NULL;
	Sums sums[LEFT_OUT];
	g_autoptr(Figures) figures = NULL;
	g_auto(Printer) printer = { .db = db,
				    .name = options->name,
				    .out = out,
				    .json = options->json,
				    .selection = options->selection };

	figures = figures_read(db, options->older_ns, options->suppress, error);
	if (!figures)
		return FALSE;
	for (guint i = 0; i < LEFT_OUT; i++) {
		if (!read_left_out(figures, left_out[i].figure, sums[i], error))
			return FALSE;
	}
	verdicts = conditions_judge(options->conditions, find_figure, figures, error);
	if (!verdicts)
		return FALSE;
	*result = (ConditionResult){ .failed = conditions_failed(verdicts) };
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
