// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * speedscope's own format: the frames once, then a profile for each kind and metric, in which each
 * stack is a sample with a weight.
 */
#include "report/export/formats.h"
#include "report/print/jsontext.h"
#include "trace/event/kind.h"

static void print_frames(const CallCosts *data, FILE *out)
{
	fputs("\"shared\": {\"frames\": [", out);
	for (guint32 i = 0; i <= call_costs_frames(data); i++) {
		g_autofree char *name = export_function(data, i);
		const CallPlace *place = call_costs_place(data, i);
		const char *module = call_costs_module(data, i);
		const char *file = place->file ? place->file : module ? module : "kernel";

		fputs(i ? ",\n{\"name\": " : "\n{\"name\": ", out);
		jsontext_print(name, out);
		fputs(", \"file\": ", out);
		jsontext_print(file, out);
		if (place->line)
			fprintf(out, ", \"line\": %u", place->line);
		fputc('}', out);
	}
	fputs("\n]},\n", out);
}

static void print_samples(const CallTree *tree, CallMetric metric, FILE *out)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
	const char *before = "";

	fputs(", \"samples\": [", out);
	for (guint32 i = 1; i < calltree_count(tree); i++) {
		if (calltree_node(tree, i)->self.of[metric] <= 0)
			continue;
		export_path(tree, i, path);
		fprintf(out, "%s\n[", before);
		for (guint j = 0; j < path->len; j++)
			fprintf(out, j ? ",%u" : "%u", g_array_index(path, guint32, j));
		fputc(']', out);
		before = ",";
	}
	fputs("], \"weights\": [", out);
	before = "";
	for (guint32 i = 1; i < calltree_count(tree); i++) {
		gint64 value = calltree_node(tree, i)->self.of[metric];

		if (value <= 0)
			continue;
		fprintf(out, "%s%" G_GINT64_FORMAT, before, value);
		before = ",";
	}
	fputs("]}", out);
}

static gint64 sum_of(const CallTree *tree, CallMetric metric)
{
	gint64 sum = 0;

	for (guint32 i = 1; i < calltree_count(tree); i++)
		sum += MAX(calltree_node(tree, i)->self.of[metric], 0);
	return sum;
}

static const char *unit_of(CallMetric metric)
{
	if (metric == CALL_LIVED_US)
		return "microseconds";
	return callmetric_of(metric)->bytes && metric != CALL_BYTE_MS ? "bytes" : "none";
}

static void print_profile(const CallTree *tree, guint kind, CallMetric metric, FILE *out)
{
	fprintf(out, "{\"type\": \"sampled\", \"name\": \"%s: %s%s\", \"unit\": \"%s\"",
		trace_kind_names[kind], callmetric_of(metric)->title,
		metric == CALL_BYTE_MS ? ", by 1000" : "", unit_of(metric));
	fprintf(out, ", \"startValue\": 0, \"endValue\": %" G_GINT64_FORMAT, sum_of(tree, metric));
	print_samples(tree, metric, out);
}

static void print_end(const Export *export, guint active)
{
	g_autofree char *name = g_strdup_printf("%s (%s)", export->name, export->completeness);

	fprintf(export->out, "\n],\n\"activeProfileIndex\": %u,\n\"exporter\": ", active);
	jsontext_print("kmemtrace-user " KMEMTRACE_VERSION, export->out);
	fputs(",\n\"name\": ", export->out);
	jsontext_print(name, export->out);
	fputs("\n}\n", export->out);
}

/*
 * Prints the profiles of one kind; *@count: number so far, *@active: the one of the requested
 * metric.
 */
static void print_kind(const Export *export, const CallCosts *data, guint kind, guint *count,
		       guint *active)
{
	g_autoptr(CallTree) tree = call_costs_tree(data, kind, &export->options->view);

	for (guint i = 0; i < CALL_METRICS; i++) {
		if (!(call_costs_metrics(data) & CALL_METRICS_BIT(i)) || !sum_of(tree, i))
			continue;
		if (i == export->options->metric && *active == G_MAXUINT)
			*active = *count;
		if ((*count)++)
			fputs(",\n", export->out);
		print_profile(tree, kind, i, export->out);
	}
}

gboolean export_speedscope(const Export *export, GError **error)
{
	g_autoptr(CallCosts) data = export_read(export, 0, error);
	guint count = 0, active = G_MAXUINT;

	if (!data || export_kind(export, data, error) == TRACE_KINDS)
		return FALSE;
	fputs("{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\",\n",
	      export->out);
	print_frames(data, export->out);
	fputs("\"profiles\": [\n", export->out);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		if (export_has_kind(export, data, kind))
			print_kind(export, data, kind, &count, &active);
	}
	print_end(export, active == G_MAXUINT ? 0 : active);
	return TRUE;
}
