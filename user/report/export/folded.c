// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Folded stacks in the format of stackcollapse, for flame graph tools: functions from the outermost
 * on separated by ";", a space, and a number.
 */
#include "base/escape.h"
#include "report/export/formats.h"
#include "trace/event/kind.h"

/* Replaces characters that would end a function or a line. */
static void print_function(const CallCosts *data, guint32 frame, FILE *out)
{
	g_autofree char *text = export_function(data, frame);

	g_autofree char *shown = escape_text(g_strdelimit(text, ";", '_'));

	fputs(shown, out);
}

gboolean export_folded(const Export *export, GError **error)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
	g_autoptr(CallCosts) data = export_read(export, 0, error);
	guint kind = data ? export_kind(export, data, error) : TRACE_KINDS;
	g_autoptr(CallTree) tree = NULL;

	if (kind == TRACE_KINDS)
		return FALSE;
	tree = call_costs_tree(data, kind, &export->options->view);
	for (guint32 i = 1; i < calltree_count(tree); i++) {
		gint64 value = calltree_node(tree, i)->self.of[export->options->metric];

		if (value <= 0)
			continue;
		export_path(tree, i, path);
		for (guint j = 0; j < path->len; j++) {
			if (j)
				fputc(';', export->out);
			print_function(data, g_array_index(path, guint32, j), export->out);
		}
		fprintf(export->out, " %" G_GINT64_FORMAT "\n", value);
	}
	return TRUE;
}
