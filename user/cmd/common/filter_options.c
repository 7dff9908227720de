// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/filter_options.h"

#include <string.h>

#include "base/message.h"
#include "cmd/common/options.h"
#include "report/groups/stackexpr.h"
#include "trace/event/kind.h"

#define GROUPS_MAX 6 /* groups of options of a command */

/* ---- options ---- */

static const GOptionEntry filter_entries[SELECT_FILTERS] = {
	[SELECT_KIND] = { "kind", 'k', 0, G_OPTION_ARG_STRING, NULL,
			  "Show only this kind: slab, page, percpu or vmalloc", "KIND" },
	[SELECT_CACHE] = { "cache", 0, 0, G_OPTION_ARG_STRING, NULL,
			   "Show only slab objects of this cache", "NAME" },
	[SELECT_SITE] = { "site", 0, 0, G_OPTION_ARG_STRING, NULL,
			  "Show only allocations made by FUNCTION", "FUNCTION" },
	[SELECT_STACK] = { "stack", 0, 0, G_OPTION_ARG_STRING, NULL,
			   "Show only allocations with stack N (column stack)", "N" },
	[SELECT_MODULE] = { "module", 0, 0, G_OPTION_ARG_STRING, NULL,
			    "Show only allocations made in this module, or in the kernel itself: kernel",
			    "NAME" },
	[SELECT_PROCESS] = { "process", 0, 0, G_OPTION_ARG_STRING, NULL,
			     "Show only allocations made by this process: a name, an id, or NAME-ID",
			     "NAME" },
	[SELECT_THREAD] = { "thread", 0, 0, G_OPTION_ARG_STRING, NULL,
			    "Show only allocations made by this thread: a name, an id, or NAME-ID",
			    "NAME" },
	[SELECT_CPU] = { "cpu", 0, 0, G_OPTION_ARG_STRING, NULL,
			 "Show only allocations made on CPU N, or on N..M", "N" },
	[SELECT_NODE] = { "node", 0, 0, G_OPTION_ARG_STRING, NULL,
			  "Show only pages on memory node N, and objects requested there", "N" },
	[SELECT_ORDER] = { "order", 0, 0, G_OPTION_ARG_STRING, NULL,
			   "Show only pages of order N, or N..M", "N" },
	[SELECT_SIZE] = { "size", 0, 0, G_OPTION_ARG_STRING, NULL,
			  "Show only allocations of SIZE bytes, or SIZE..SIZE", "SIZE" },
	[SELECT_AGE] = { "age", 0, 0, G_OPTION_ARG_STRING, NULL,
			 "Show only allocations that lived at least TIME, or TIME..TIME", "TIME" },
	[SELECT_FOCUS] = { "focus", 0, 0, G_OPTION_ARG_STRING, NULL,
			   "Show only stacks that match EXPR, such as 'ext4_* and (kmalloc or [jbd2])'",
			   "EXPR" },
	[SELECT_IGNORE] = { "ignore", 0, 0, G_OPTION_ARG_STRING, NULL,
			    "Hide stacks that match EXPR", "EXPR" },
};

/* Returns the entries of @filters, NULL-terminated, for g_free(). */
static GOptionEntry *make_entries(FilterOptions *filters)
{
	const GOptionEntry times[] = {
		{ "from", 0, 0, G_OPTION_ARG_STRING, &filters->from,
		  "Start of the interval, a time or mark (default 0)", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &filters->to,
		  "End of the interval, a time or mark (default: end of the trace)", "TIME" },
		OPTIONS_BETWEEN,
	};
	GOptionEntry *entries = g_new0(GOptionEntry, SELECT_FILTERS + G_N_ELEMENTS(times) + 1);
	guint count = 0;

	for (guint i = 0; i < SELECT_FILTERS; i++) {
		if (filters->without & SELECT_BIT(i))
			continue;
		entries[count] = filter_entries[i];
		entries[count++].arg_data = &filters->text[i];
	}
	if (!(filters->without & SELECT_TIMES))
		memcpy(entries + count, times, sizeof(times));
	return entries;
}

/* ---- values ---- */

static gboolean read_range(FilterOptions *filters, SelectFilter filter)
{
	RangeUnit unit = filter == SELECT_SIZE  ? RANGE_SIZE
			 : filter == SELECT_AGE ? RANGE_TIME
						: RANGE_NUMBER;
	g_autoptr(GError) error = NULL;

	if (range_parse(filters->text[filter], unit, &filters->selection.range[filter], &error))
		return TRUE;
	message("--%s: %s", selection_names[filter], error->message);
	return FALSE;
}

static gboolean check_expr(SelectFilter filter, const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StackExpr) expr = stackexpr_parse(text, &error);

	if (!expr)
		message("--%s: %s", selection_names[filter], error->message);
	return expr != NULL;
}

static gboolean check_kind(const char *name)
{
	if (trace_kind_find(name) == TRACE_KINDS) {
		message("invalid --kind '%s' (expected slab, page, percpu or vmalloc)", name);
		return FALSE;
	}
	return TRUE;
}

static gboolean check_name(SelectFilter filter, const char *name)
{
	if (!*name)
		message("--%s needs a name", selection_names[filter]);
	else if (!g_utf8_validate(name, -1, NULL))
		message("--%s: the name is not valid UTF-8", selection_names[filter]);
	else
		return TRUE;
	return FALSE;
}

static gboolean read_filter(FilterOptions *filters, SelectFilter filter)
{
	const char *text = filters->text[filter];

	if (!text)
		return TRUE;
	filters->selection.filter[filter] = text;
	if (selection_is_range(filter))
		return read_range(filters, filter);
	if (filter == SELECT_FOCUS || filter == SELECT_IGNORE)
		return check_expr(filter, text);
	return filter == SELECT_KIND ? check_kind(text) : check_name(filter, text);
}

static gboolean read_times(FilterOptions *filters)
{
	if (!filters->from && !filters->to)
		return TRUE;
	if (selection_has_interval(&filters->selection)) {
		message("--between cannot be combined with --from and --to");
		return FALSE;
	}
	filters->selection.from = filters->from;
	filters->selection.to = filters->to;
	return TRUE;
}

gboolean filter_options_parse(FilterOptions *filters, const GOptionEntry *const *groups,
			      const char *usage, const char *summary, int *argc, char ***argv)
{
	g_autofree GOptionEntry *entries = make_entries(filters);
	const GOptionEntry *all[GROUPS_MAX + 2] = { NULL };
	guint count = 0;

	while (groups[count]) {
		g_assert(count < GROUPS_MAX);
		all[count] = groups[count];
		count++;
	}
	all[count] = entries;
	if ((!(filters->without & SELECT_TIMES) &&
	     !options_take_interval(argc, argv, &filters->selection.from,
				    &filters->selection.to)) ||
	    !options_parse_groups(all, usage, summary, argc, argv))
		return FALSE;
	for (guint i = 0; i < SELECT_FILTERS; i++) {
		if (!read_filter(filters, i))
			return FALSE;
	}
	return read_times(filters);
}

void filter_options_own(FilterOptions *filters, guint own)
{
	filters->selection.own |= own;
	if (own & SELECT_TIMES && (filters->from || filters->to))
		filters->selection.from = filters->selection.to = NULL;
}

const char *filter_options_site(FilterOptions *filters)
{
	filter_options_own(filters, SELECT_BIT(SELECT_SITE));
	return filters->text[SELECT_SITE] ?: "";
}

const char *filter_options_given(const FilterOptions *filters, guint bits)
{
	const Selection *selection = &filters->selection;

	for (guint i = 0; i < SELECT_FILTERS; i++) {
		if (bits & SELECT_BIT(i) && filters->text[i])
			return selection_names[i];
	}
	if (!(bits & SELECT_TIMES))
		return NULL;
	return filters->from                       ? "from"
	       : filters->to                       ? "to"
	       : selection_has_interval(selection) ? "between"
						   : NULL;
}

gboolean filter_options_refuse(const FilterOptions *filters, guint bits, const char *why)
{
	const char *given = filter_options_given(filters, bits);

	if (given)
		message("--%s %s", given, why);
	return !given;
}

void filter_options_clear(FilterOptions *filters)
{
	for (guint i = 0; i < SELECT_FILTERS; i++)
		g_clear_pointer(&filters->text[i], g_free);
	g_clear_pointer(&filters->from, g_free);
	g_clear_pointer(&filters->to, g_free);
}
