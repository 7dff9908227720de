// SPDX-License-Identifier: GPL-2.0-or-later
/* kmemtrace-user top: show live memory while it changes. */
#include <string.h>

#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/common/filter_options.h"
#include "cmd/common/options.h"
#include "cmd/common/tracing.h"
#include "top/run.h"
#include "trace/event/kind.h"

/* Filters that the model supports. --kind is top's own, and --cache the tracer's. */
#define FILTERS                                                                                    \
	(SELECT_BIT(SELECT_SITE) | SELECT_BIT(SELECT_MODULE) | SELECT_BIT(SELECT_PROCESS) |        \
	 SELECT_BIT(SELECT_THREAD) | SELECT_BIT(SELECT_ORDER) | SELECT_BIT(SELECT_SIZE))

#define DELAY_DEFAULT_NS G_GUINT64_CONSTANT(3000000000)

static struct {
	gboolean batch, json, discard;
	char *delay, *by, *kind, *sort;
	int rounds, limit, sample;
} given = { .rounds = -1, .limit = -1, .sample = 1 };

static gboolean refuse_filter(const char *name, const char *value, gpointer data, GError **error)
{
	(void)value;
	(void)data;
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
		    "top takes no %s, which is for traces: record one", name);
	return FALSE;
}

/* Hidden options, only for an error message. */
#define REFUSED(name)                                                                              \
	{                                                                                          \
		name, 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_CALLBACK, (gpointer)refuse_filter,     \
			NULL, NULL                                                                 \
	}

static const GOptionEntry refused_entries[] = {
	REFUSED("stack"),  REFUSED("cpu"),  REFUSED("node"), REFUSED("age"),     REFUSED("focus"),
	REFUSED("ignore"), REFUSED("from"), REFUSED("to"),   REFUSED("between"), G_OPTION_ENTRY_NULL
};

static const GOptionEntry entries[] = {
	{ "batch", 'b', 0, G_OPTION_ARG_NONE, &given.batch,
	  "Print rounds one after another, without a terminal", NULL },
	{ "json", 0, 0, G_OPTION_ARG_NONE, &given.json,
	  "Print JSON: an object a line, with --batch", NULL },
	{ "rounds", 0, 0, G_OPTION_ARG_INT, &given.rounds,
	  "Stop after N rounds (default: on q or Ctrl-C)", "N" },
	{ "iterations", 'n', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &given.rounds,
	  "Same as --rounds, as in top(1)", "N" },
	{ "lines", 0, 0, G_OPTION_ARG_INT, &given.limit,
	  "Rows of each round, with --batch (default all)", "N" },
	{ "line", 'l', G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &given.limit, "Old name of --lines",
	  "N" },
	{ "delay", 'd', 0, G_OPTION_ARG_STRING, &given.delay,
	  "Time between rounds (seconds, or with ms, s, m; default 3s)", "TIME" },
	{ "by", 0, 0, G_OPTION_ARG_STRING, &given.by,
	  "Group by site, cache, module, process or thread (default site)", "WHAT" },
	{ "kind", 'k', 0, G_OPTION_ARG_STRING, &given.kind,
	  "Show only this kind: slab, page, percpu or vmalloc (default: the first one in -e)",
	  "KIND" },
	{ "sort", 's', 0, G_OPTION_ARG_STRING, &given.sort,
	  "Sort by bytes, count, growth, churn or name (default bytes)", "COLUMN" },
	{ "discard", 0, 0, G_OPTION_ARG_NONE, &given.discard,
	  "Discard events that are still in the tracer's buffers", NULL },
	/* Hidden, only for an error message. */
	{ "sample", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &given.sample, NULL, NULL },
	G_OPTION_ENTRY_NULL
};

/* Finds @word in @words; NULL means the default in *@place. */
static gboolean choose(const char *option, const char *word, const char *const *words, guint *place)
{
	g_autofree char *all = NULL;

	if (!word)
		return TRUE;
	for (guint i = 0; words[i]; i++) {
		if (strcmp(words[i], word) == 0) {
			*place = i;
			return TRUE;
		}
	}
	all = g_strjoinv(", ", (char **)words);
	message("invalid --%s '%s' (expected %s)", option, word, all);
	return FALSE;
}

/* Returns the kinds that the tracer does not record, as 1 << enum trace_kind. */
static guint find_untraced(const Settings *settings)
{
	const char *text = settings->events ? settings->events : SETTINGS_EVENTS_DEFAULT;
	g_auto(GStrv) events = g_strsplit(text, " ", -1);
	guint untraced = 0;

	for (guint kind = 0; kind < TRACE_KINDS; kind++) {
		if (!g_strv_contains((const char *const *)events, trace_kind_names[kind]))
			untraced |= 1U << kind;
	}
	return untraced;
}

/* Chooses the kind of --kind, or the first that is traced. */
static gboolean choose_kind(guint untraced, guint *kind)
{
	for (*kind = 0; *kind < TRACE_KINDS && untraced & 1U << *kind;)
		++*kind;
	if (*kind == TRACE_KINDS) {
		message("top needs slab, page, percpu or vmalloc in -e");
		return FALSE;
	}
	if (!choose("kind", given.kind, trace_kind_names, kind))
		return FALSE;
	if (untraced & 1U << *kind) {
		message("--kind %s needs -e %s", given.kind, given.kind);
		return FALSE;
	}
	return TRUE;
}

static gboolean check_view(guint view, guint kind)
{
	if (view != TOP_CACHES || kind == TRACE_SLAB)
		return TRUE;
	if (given.kind)
		message("--by cache is for slab objects, not for --kind %s", given.kind);
	else
		message("--by cache needs -e slab");
	return FALSE;
}

static gboolean take_look(const Settings *settings, TopLook *look)
{
	guint view = TOP_SITES, kind = TRACE_SLAB, sort = TOP_BY_BYTES;
	guint untraced = find_untraced(settings);
	g_autoptr(GError) error = NULL;

	if (!choose("by", given.by, top_views, &view) || !choose_kind(untraced, &kind) ||
	    !choose("sort", given.sort, top_sorts, &sort) || !check_view(view, kind))
		return FALSE;
	*look = (TopLook){ .view = view,
			   .kind = kind,
			   .untraced = untraced,
			   .sort = sort,
			   .delay_ns = DELAY_DEFAULT_NS };
	if (given.delay && !units_parse_time(given.delay, &look->delay_ns, &error)) {
		message("%s", error->message);
		return FALSE;
	}
	if (look->delay_ns < TOP_DELAY_MIN_NS) {
		message("--delay must be at least 0.1s, not %s", given.delay);
		return FALSE;
	}
	return TRUE;
}

static gboolean check(const Settings *settings, TopOptions *options)
{
	if (given.sample != 1) {
		message("top takes no --sample (record does)");
		return FALSE;
	}
	if (given.rounds == 0 || given.rounds < -1 || given.limit == 0 || given.limit < -1) {
		message("-n and -l must be at least 1");
		return FALSE;
	}
	options->batch = given.batch || given.json;
	if (given.limit > 0 && !options->batch) {
		message("-l needs --batch");
		return FALSE;
	}
	options->json = given.json;
	options->discard = given.discard;
	options->rounds = MAX(given.rounds, 0);
	options->limit = MAX(given.limit, 0);
	return take_look(settings, &options->look);
}

/* @text, for g_free(), holds the strings of TopSelection. */
static void take_selection(const FilterOptions *filters, TopSelection *selection, char **text)
{
	const Selection *wanted = &filters->selection;
	g_autofree char *words = selection_describe(wanted);

	*text = words ? g_strdup(strstr(words, "with ") + strlen("with ")) : NULL;
	*selection = (TopSelection){
		.site = wanted->filter[SELECT_SITE],
		.module = wanted->filter[SELECT_MODULE],
		.process = wanted->filter[SELECT_PROCESS],
		.thread = wanted->filter[SELECT_THREAD],
		.order = wanted->filter[SELECT_ORDER] ? &wanted->range[SELECT_ORDER] : NULL,
		.size = wanted->filter[SELECT_SIZE] ? &wanted->range[SELECT_SIZE] : NULL,
		.text = *text,
	};
}

int cmd_top(int argc, char **argv)
{
	const GOptionEntry *const groups[] = { entries, tracing_entries, refused_entries, NULL };
	g_auto(FilterOptions) filters = { .without = ~FILTERS };
	g_auto(Settings) settings = { 0 };
	TopOptions options = { .settings = &settings };
	g_autofree char *text = NULL;
	gboolean lost = FALSE;
	GError *error = NULL;

	if (!filter_options_parse(&filters, groups, "",
				  "Show live memory that was allocated since top started, its "
				  "growth, and allocations per second. Press h for the keys.",
				  &argc, &argv) ||
	    !options_no_argument(argc, argv) || !tracing_settings(&settings) ||
	    !check(&settings, &options))
		return EXIT_USAGE;
	take_selection(&filters, &options.selection, &text);
	if (!top_run(&options, &lost, &error))
		return tracing_failed(error);
	if (!message_wrote_stdout("the rounds"))
		return EXIT_FAILED;
	return lost ? EXIT_INCOMPLETE : EXIT_FINE;
}
