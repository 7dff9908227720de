// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/calltree_options.h"

#include "base/message.h"
#include "trace/event/kind.h"

void calltree_options_clear(CalltreeOptions *args)
{
	g_clear_pointer(&args->metric, g_free);
	g_clear_pointer(&args->kind, g_free);
	g_clear_pointer(&args->callee, g_free);
	g_clear_pointer(&args->focus, g_free);
	g_clear_pointer(&args->ignore, g_free);
	g_clear_pointer(&args->fold, g_free);
	g_clear_pointer(&args->percent_limit, g_free);
	g_clear_pointer(&args->from, g_free);
	g_clear_pointer(&args->to, g_free);
	g_clear_pointer(&args->focus_expr, stackexpr_free);
	g_clear_pointer(&args->ignore_expr, stackexpr_free);
}

GOptionEntry *calltree_options_choice(CalltreeOptions *args)
{
	const GOptionEntry entries[] = {
		{ "metric", 0, 0, G_OPTION_ARG_STRING, &args->metric,
		  "Metric: bytes (default), count, live, live-count, peak, peak-count, waste, temporary, byte-seconds or lived",
		  "NAME" },
		{ "kind", 'k', 0, G_OPTION_ARG_STRING, &args->kind,
		  "Show only this kind: slab, page, percpu or vmalloc", "KIND" },
		{ "focus", 0, 0, G_OPTION_ARG_STRING, &args->focus,
		  "Show only stacks that match EXPR, as 'ext4_* and (kmalloc or [jbd2])'", "EXPR" },
		{ "ignore", 0, 0, G_OPTION_ARG_STRING, &args->ignore, "Hide stacks that match EXPR",
		  "EXPR" },
		{ "fold", 0, 0, G_OPTION_ARG_STRING, &args->fold,
		  "Merge calls within a module, or within a subsystem (source folder)", "WHAT" },
		{ "allocators", 0, 0, G_OPTION_ARG_NONE, &args->allocators,
		  "Show the allocators' own functions, too", NULL },
		{ "from", 0, 0, G_OPTION_ARG_STRING, &args->from,
		  "Start of the interval, a time or mark (default 0)", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_STRING, &args->to,
		  "End of the interval, a time or mark (default: end of the trace)", "TIME" },
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

gboolean calltree_options_given(const CalltreeOptions *args)
{
	return args->metric || args->kind || args->callee || args->focus || args->ignore ||
	       args->fold || args->percent_limit || args->from || args->to || args->caller ||
	       args->allocators;
}

char *calltree_options_text(const CalltreeOptions *args)
{
	const struct {
		const char *name, *value;
	} given[] = {
		{ "callee", args->callee }, { "focus", args->focus }, { "ignore", args->ignore },
		{ "fold", args->fold },     { "from", args->from },   { "to", args->to },
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

static gboolean read_kind(const CalltreeOptions *args, CallsOptions *options)
{
	options->kind = args->kind ? (int)trace_kind_find(args->kind) : -1;
	if (options->kind < TRACE_KINDS)
		return TRUE;
	message("invalid --kind '%s' (expected slab, page, percpu or vmalloc)", args->kind);
	return FALSE;
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

static gboolean read_expr(const char *option, const char *text, StackExpr **expr)
{
	g_autoptr(GError) error = NULL;

	if (!text)
		return TRUE;
	*expr = stackexpr_parse(text, &error);
	if (!*expr)
		message("--%s: %s", option, error->message);
	return *expr != NULL;
}

static gboolean read_interval(const CalltreeOptions *args, const Interval *interval,
			      CallsOptions *options)
{
	if (interval->from && (args->from || args->to)) {
		message("--between cannot be combined with --from and --to");
		return FALSE;
	}
	options->from = args->from;
	options->to = args->to;
	if ((args->from || args->to) &&
	    !(CALL_METRICS_INTERVAL & CALL_METRICS_BIT(options->metric))) {
		message("--metric %s is only known for the whole trace, not for an interval",
			args->metric);
		return FALSE;
	}
	return TRUE;
}

gboolean calltree_options_read(CalltreeOptions *args, const Interval *interval, gboolean json,
			       CallsOptions *options)
{
	*options = (CallsOptions){ 0 };
	if (!read_metric(args, options) || !read_kind(args, options) || !read_fold(args, options) ||
	    !read_percent(args, json, options) || !read_interval(args, interval, options) ||
	    !read_expr("focus", args->focus, &args->focus_expr) ||
	    !read_expr("ignore", args->ignore, &args->ignore_expr))
		return FALSE;
	if (args->callee && !g_utf8_validate(args->callee, -1, NULL)) {
		message("--callee: the name is not valid UTF-8");
		return FALSE;
	}
	options->view.callers = args->caller;
	options->view.from = args->callee;
	options->view.allocators = args->allocators;
	options->view.focus = args->focus_expr;
	options->view.ignore = args->ignore_expr;
	return TRUE;
}
