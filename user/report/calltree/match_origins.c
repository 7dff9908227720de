// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/calltree/match_origins.h"

#include "report/calltree/costs.h"

static gboolean parse(const char *text, const Comparison *comparison, StackExpr **expr,
		      GError **error)
{
	*expr = text ? stackexpr_parse(text, error) : NULL;
	if (*expr && comparison)
		stackexpr_make_plain(*expr);
	return !text || *expr;
}

static char *list(const GArray *ids)
{
	GString *text = g_string_new("[");

	for (guint i = 0; i < ids->len; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "," : "",
				       g_array_index(ids, gint64, i));
	g_string_append_c(text, ']');
	return g_string_free(text, FALSE);
}

char *match_origins(StoreDb *db, const char *focus, const char *ignore, Comparison *comparison,
		    GError **error)
{
	g_autoptr(StackExpr) only = NULL;
	g_autoptr(StackExpr) except = NULL;
	g_autoptr(CallCosts) costs = NULL;
	g_autoptr(GArray) ids = NULL;
	CallView view = { 0 };

	if (!parse(focus, comparison, &only, error) || !parse(ignore, comparison, &except, error))
		return NULL;
	view.focus = only;
	view.ignore = except;
	costs = call_costs_read_stacks(db, error);
	if (!costs)
		return NULL;
	call_costs_add_lines(costs, db, -1);
	if (comparison && !comparison->is_second)
		call_costs_view_names(costs, &view, comparison->names);
	else if (!call_costs_check_view(costs, &view, comparison ? comparison->names : NULL, error))
		return NULL;
	ids = call_costs_select(costs, &view);
	return list(ids);
}
