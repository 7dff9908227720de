// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/export.h"

#include "report/calltree/notes.h"
#include "trace/event/kind.h"

static void set_notes(const Export *export, const CallCosts *data, int kind)
{
	if (!export->notes)
		return;
	g_free(*export->notes);
	*export->notes = call_notes(data, kind, export->options->metric, export->every);
}

CallCosts *export_read(const Export *export, guint more, GError **error)
{
	g_autoptr(CallCosts) data = calls_read(export->db, export->options, more, error);

	if (!data || !calls_check_metric(data, export->options->metric, error))
		return NULL;
	call_costs_add_lines(data, export->db, export->options->kind);
	if (!call_costs_check_view(data, &export->options->view, NULL, error))
		return NULL;
	set_notes(export, data, export->options->kind);
	return g_steal_pointer(&data);
}

gboolean export_has_kind(const Export *export, const CallCosts *data, guint kind)
{
	CallCost all = call_costs_all(data, kind);

	return (export->options->kind < 0 || (guint) export->options->kind == kind) &&
	       !callcost_is_zero(&all);
}

guint export_kind(const Export *export, const CallCosts *data, GError **error)
{
	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		CallCost all = call_costs_all(data, kind);

		if (!export_has_kind(export, data, kind) ||
		    !callcost_has(&all, export->options->metric))
			continue;
		set_notes(export, data, (int)kind);
		return kind;
	}
	store_fail(error, "nothing was allocated%s%s",
		   export->options->kind < 0 ? "" : " of the kind ",
		   export->options->kind < 0 ? "" : trace_kind_names[export->options->kind]);
	return TRACE_KINDS;
}

void export_path(const CallTree *tree, guint32 id, GArray *frames)
{
	guint depth = calltree_depth(tree, id);

	g_array_set_size(frames, depth);
	for (; id; id = calltree_node(tree, id)->parent)
		g_array_index(frames, guint32, --depth) = calltree_node(tree, id)->frame;
}

char *export_function(const CallCosts *data, guint32 frame)
{
	const char *module = call_costs_module(data, frame);
	g_autofree char *place = call_costs_describe_place(data, frame);

	return g_strconcat(call_costs_function(data, frame), module ? " [" : "", module ?: "",
			   module ? "]" : "", place ? " " : "", place, NULL);
}
