// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A row for each stack, with line ends LF: kind, stack, the function and module at its end, and all
 * available metrics.
 */
#include "report/export/formats.h"
#include "report/print/csv.h"
#include "trace/event/kind.h"

static void print_head(const CallCosts *data, FILE *out)
{
	fputs("kind,stack,function,module", out);
	for (guint i = 0; i < CALL_METRICS; i++) {
		if (call_costs_metrics(data) & CALL_METRICS_BIT(i))
			fprintf(out, ",%s", callmetric_of(i)->key);
	}
	fputc('\n', out);
}

static void print_costs(const CallCosts *data, const CallCost *cost, FILE *out)
{
	for (guint i = 0; i < CALL_METRICS; i++) {
		gint64 value = cost->of[i];

		if (!(call_costs_metrics(data) & CALL_METRICS_BIT(i)))
			continue;
		if (i == CALL_BYTE_MS)
			fprintf(out, ",%" G_GINT64_FORMAT ".%03d", value / 1000,
				(int)(value % 1000));
		else
			fprintf(out, ",%" G_GINT64_FORMAT, value);
	}
	fputc('\n', out);
}

static void print_stack(const CallCosts *data, const GArray *path, FILE *out)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < path->len; i++) {
		g_autofree char *function = export_function(data, g_array_index(path, guint32, i));

		g_string_append_printf(text, "%s%s", i ? ";" : "", function);
	}
	csv_print_text(text->str, out);
}

static void print_kind(const Export *export, const CallCosts *data, guint kind)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_autoptr(CallTree) tree = call_costs_tree(data, kind, &export->options->view);

	for (guint32 i = 1; i < calltree_count(tree); i++) {
		const CallNode *node = calltree_node(tree, i);
		const char *module = call_costs_module(data, node->frame);

		if (callcost_is_zero(&node->self))
			continue;
		export_path(tree, i, path);
		fprintf(export->out, "%s,", trace_kind_names[kind]);
		print_stack(data, path, export->out);
		fputc(',', export->out);
		csv_print_text(call_costs_function(data, node->frame), export->out);
		fputc(',', export->out);
		csv_print_text(module ? module : "", export->out);
		print_costs(data, &node->self, export->out);
	}
}

gboolean export_csv(const Export *export, GError **error)
{
	g_autoptr(CallCosts) data = export_read(export, 0, error);

	if (!data)
		return FALSE;
	print_head(data, export->out);
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		if (export_has_kind(export, data, kind))
			print_kind(export, data, kind);
	}
	return TRUE;
}
