// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rejects names that are in no stack: an empty tree would suggest that nothing was allocated there.
 */
#include "base/closest.h"
#include "base/glob.h"
#include "report/calltree/costs_priv.h"

/* @modules: @option also accepts names of modules. */
static gboolean fail_missing(const CallFrames *names, const char *option, const char *name,
			     gboolean modules, GError **error)
{
	g_auto(Closest) closest = CLOSEST(name);

	for (guint32 i = 1; i <= call_frames_addrs(names); i++) {
		guint32 frame = call_frames_addr(names, i)->frame;
		guint32 module = call_frames_module_frame(names, frame);

		closest_look(&closest, call_frames_function(names, frame));
		if (modules)
			closest_look(&closest, call_frames_function(names, module));
	}
	return store_fail(error, "--%s: nothing in the trace's stacks matches '%s'%s%s", option,
			  name, closest.name ? ": the closest is " : "", closest.name ?: "");
}

static guint64 find_names(const CallCosts *data, const StackExpr *expr)
{
	guint64 found = 0;

	for (guint32 i = 1; expr && i <= call_frames_addrs(data->names); i++)
		found |= call_frames_match_addr(data->names, expr, i);
	for (guint i = 0; expr && i < data->origins->len; i++)
		found |= stackexpr_names(expr, g_array_index(data->origins, CallOrigin, i).event);
	return found;
}

/* @elsewhere: names that need not be found. */
static gboolean check_expr(const CallCosts *data, const char *option, const StackExpr *expr,
			   guint64 elsewhere, GError **error)
{
	const char *missing =
		expr ? stackexpr_missing(expr, find_names(data, expr) | elsewhere) : NULL;

	return !missing || fail_missing(data->names, option, missing, TRUE, error);
}

void call_costs_view_names(const CallCosts *data, const CallView *view, guint64 names[2])
{
	names[0] = find_names(data, view->focus);
	names[1] = find_names(data, view->ignore);
}

static gboolean is_anywhere(const CallFrames *names, const char *glob)
{
	g_autoptr(GPatternSpec) pattern = glob_new(glob);

	for (guint32 i = 1; i <= call_frames_addrs(names); i++) {
		if (call_frames_fits(names, pattern, i))
			return TRUE;
	}
	for (guint32 i = 0; i <= call_frames_frames(names); i++) {
		if (call_frames_fits_inlined(names, pattern, i))
			return TRUE;
	}
	return FALSE;
}

gboolean call_costs_check_view(const CallCosts *data, const CallView *view,
			       const guint64 *elsewhere, GError **error)
{
	if (view->from && !is_anywhere(data->names, view->from))
		return fail_missing(data->names, "callee", view->from, FALSE, error);
	return check_expr(data, "focus", view->focus, elsewhere ? elsewhere[0] : 0, error) &&
	       check_expr(data, "ignore", view->ignore, elsewhere ? elsewhere[1] : 0, error);
}
