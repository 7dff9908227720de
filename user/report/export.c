// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export.h"

#include "report/callcut.h"

static void say_cut(const Export *export, const CallData *data, int kind)
{
	CallCut cut;

	if (!export->cut)
		return;
	callcut_find(data, &cut);
	g_free(*export->cut);
	*export->cut = callcut_describe(data, &cut, kind, export->options->metric);
}

CallData *export_read(const Export *export, guint more, GError **error)
{
	CallData *data = calldata_read(export->db, CALLDATA_BIT(export->options->metric) | more,
				       export->options->from_ns, export->options->to_ns, error);

	if (!data)
		return NULL;
	calldata_add_lines(data, export->db, export->options->kind);
	say_cut(export, data, export->options->kind);
	return data;
}

gboolean export_has_kind(const Export *export, const CallData *data, guint kind)
{
	return (export->options->kind < 0 || (guint)export->options->kind == kind) &&
	       calldata_all(data, kind).of[CALL_COUNT];
}

guint export_kind(const Export *export, const CallData *data, GError **error)
{
	for (guint kind = 0; kind < CALLDATA_KINDS; kind++) {
		if (!export_has_kind(export, data, kind))
			continue;
		say_cut(export, data, (int)kind);
		return kind;
	}
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "nothing was allocated%s%s",
		    export->options->kind < 0 ? "" : " of the kind ",
		    export->options->kind < 0 ? "" : calldata_kind_name(export->options->kind));
	return CALLDATA_KINDS;
}

void export_path(const CallTree *tree, guint32 id, GArray *frames)
{
	guint depth = calltree_depth(tree, id);

	g_array_set_size(frames, depth);
	for (; id; id = calltree_node(tree, id)->parent)
		g_array_index(frames, guint32, --depth) = calltree_node(tree, id)->frame;
}

char *export_function(const CallData *data, guint32 frame)
{
	const char *module = calldata_module(data, frame);
	g_autofree char *place = calldata_describe_place(data, frame);

	return g_strconcat(calldata_function(data, frame), module ? " [" : "", module ?: "",
			   module ? "]" : "", place ? " " : "", place, NULL);
}
