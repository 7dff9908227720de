// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/calltree_options.h"

#include "base/message.h"
#include "trace/event/kind.h"

void calltree_options_clear(CalltreeOptions *args)
{
	g_clear_pointer(&args->metric, g_free);
	g_clear_pointer(&args->callee, g_free);
	g_clear_pointer(&args->fold, g_free);
	g_clear_pointer(&args->percent_limit, g_free);
	g_clear_pointer(&args->focus_expr, stackexpr_free);
	g_clear_pointer(&args->ignore_expr, stackexpr_free);
}

GOptionEntry *calltree_options_choice(CalltreeOptions *args)
{
	const GOptionEntry entries[] = {
		{ "metric", 0, 0, G_OPTION_ARG_STRING, &args->metric,
		  "Metric: bytes (default), count, live, live-count, peak, peak-count, waste, temporary, byte-seconds or lived",
		  "NAME" },
		{ "fold", 0, 0, G_OPTION_ARG_STRING, &args->fold,
		  "Merge calls within a module, or within a subsystem (source folder)", "WHAT" },
		{ "allocators", 0, 0, G_OPTION_ARG_NONE, &args->allocators,
		  "Show the allocators' own functions, too", NULL },
		G_OPTION_ENTRY_NULL
	};

	return g_memdup2(entries, sizeof(entries));
}

GOptionEntry *calltree_options_view(CalltreeOptions *args)
{
	const GOptionEntry entries[] = {
		{ "caller", 0, 0, G_OPTION_ARG_NONE, &args->caller,
		  "Print the tree bottom-up, from the allocating functions to their callers",
		  NULL },
		{ "callee", 0, 0, G_OPTION_ARG_STRING, &args->callee,
		  "Print the tree below this function (a glob); with --caller, its callers",
		  "FUNCTION" },
		{ "percent-limit", 0, 0, G_OPTION_ARG_STRING, &args->percent_limit,
		  "Merge entries with a smaller share (default 0.5; in JSON 0)", "PERCENT" },
		G_OPTION_ENTRY_NULL
	};

	return g_memdup2(entries, sizeof(entries));
}

const char *calltree_options_given(const CalltreeOptions *args)
{
	const struct {
		const char *name;
		gboolean given;
	} options[] = {
		{ "metric", args->metric != NULL },
		{ "callee", args->callee != NULL },
		{ "fold", args->fold != NULL },
		{ "percent-limit", args->percent_limit != NULL },
		{ "caller", args->caller },
		{ "allocators", args->allocators },
	};

	for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
		if (options[i].given)
			return options[i].name;
	}
	return NULL;
}

char *calltree_options_text(const CalltreeOptions *args, const FilterOptions *filters)
{
	const struct {
		const char *name, *value;
	} given[] = {
		{ "callee", args->callee },
		{ "focus", filters->text[SELECT_FOCUS] },
		{ "ignore", filters->text[SELECT_IGNORE] },
		{ "fold", args->fold },
		{ "from", filters->from },
		{ "to", filters->to },
	};
	GString *text = g_string_new(NULL);

	if (args->caller && args->callee)
		g_string_append(text, "--caller");
	for (guint i = 0; i < G_N_ELEMENTS(given); i++) {
		g_autofree char *quoted = given[i].value ? g_shell_quote(given[i].value) : NULL;

		if (quoted)
			g_string_append_printf(text, "%s--%s %s", text->len ? " " : "",
					       given[i].name, quoted);
	}
	if (args->allocators)
		g_string_append_printf(text, "%s--allocators", text->len ? " " : "");
	return g_string_free(text, FALSE);
}

static gboolean read_metric(const CalltreeOptions *args, CallsOptions *options)
{
	g_autofree char *names = callmetric_names();

	options->metric = CALL_BYTES;
	if (!args->metric || callmetric_find(args->metric, &options->metric))
		return TRUE;
	message("invalid --metric '%s' (expected %s)", args->metric, names);
	return FALSE;
}

static void read_kind(const FilterOptions *filters, CallsOptions *options)
{
	const char *kind = filters->text[SELECT_KIND];

	options->kind = kind ? (int)trace_kind_find(kind) : -1;
}

static gboolean read_fold(const CalltreeOptions *args, CallsOptions *options)
{
	options->view.by_module = !g_strcmp0(args->fold, "module");
	options->view.by_subsystem = !g_strcmp0(args->fold, "subsystem");
	if (!args->fold || options->view.by_module || options->view.by_subsystem)
		return TRUE;
	message("invalid --fold '%s' (expected module or subsystem)", args->fold);
	return FALSE;
}

static gboolean read_percent(const CalltreeOptions *args, gboolean json, CallsOptions *options)
{
	char *end = NULL;

	options->percent_limit = json ? 0 : CALLTREE_PERCENT;
	if (!args->percent_limit)
		return TRUE;
	options->percent_limit = g_ascii_strtod(args->percent_limit, &end);
	if (end != args->percent_limit && !*end && options->percent_limit >= 0 &&
	    options->percent_limit <= 100)
		return TRUE;
	message("invalid --percent-limit '%s' (expected a number from 0 to 100)",
		args->percent_limit);
	return FALSE;
}

/* The filter's syntax was checked before. */
static StackExpr *read_expr(const FilterOptions *filters, SelectFilter filter)
{
	const char *text = filters->text[filter];

	return text ? stackexpr_parse(text, NULL) : NULL;
}

static gboolean read_interval(const CalltreeOptions *args, const FilterOptions *filters,
			      CallsOptions *options)
{
	options->from = filters->from;
	options->to = filters->to;
	if ((options->from || options->to) &&
	    !(CALL_METRICS_INTERVAL & CALL_METRICS_BIT(options->metric))) {
		message("--metric %s is only known for the whole trace, not for an interval",
			args->metric);
		return FALSE;
	}
	return TRUE;
}

gboolean calltree_options_read(CalltreeOptions *args, FilterOptions *filters, gboolean json,
			       CallsOptions *options)
{
	*options = (CallsOptions){ 0 };
	filter_options_own(filters, SELECT_BIT(SELECT_KIND) | SELECT_BIT(SELECT_FOCUS) |
					    SELECT_BIT(SELECT_IGNORE) | SELECT_TIMES);
	read_kind(filters, options);
	if (!read_metric(args, options) || !read_fold(args, options) ||
	    !read_percent(args, json, options) || !read_interval(args, filters, options))
		return FALSE;
	if (args->callee && !g_utf8_validate(args->callee, -1, NULL)) {
		message("--callee: the name is not valid UTF-8");
		return FALSE;
	}
	args->focus_expr = read_expr(filters, SELECT_FOCUS);
	args->ignore_expr = read_expr(filters, SELECT_IGNORE);
	options->view.callers = args->caller;
	options->view.from = args->callee;
	options->view.allocators = args->allocators;
	options->view.focus = args->focus_expr;
	options->view.ignore = args->ignore_expr;
	return TRUE;
}
