// SPDX-License-Identifier: GPL-2.0-or-later
#include "top/page.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "trace/event/kind.h"

const char *const top_views[] = { "site", "cache", "module", "process", "thread", NULL };
const char *const top_sorts[] = { "bytes", "count", "growth", "churn", "name", NULL };

/* Terminal columns below which some columns are left out. */
#define WIDE   80
#define NARROW 64

static const char *const kind_names[TRACE_KINDS] = { "slab objects", "pages", "per-CPU memory",
						     "vmalloc areas" };
static const char *const view_names[TOP_VIEWS] = { "call site", "cache", "module", "process",
						   "thread" };
static const char *const view_titles[TOP_VIEWS] = { "caller [module]", "cache", "module", "process",
						    "thread" };

static const char *const help_lines[] = {
	"f c m P T    by call site (function), cache, module, process, thread",
	"/            show only rows with a text, as you type; Esc: all again",
	"k            next kind of those traced: slab objects, pages, per-CPU, vmalloc",
	"s < >        sort by the next column; by the one to the left, to the right",
	"up down      scroll; page up and page down: a page, home, end: first and last row",
	"p space      pause the screen; tracing continues",
	"d            set the time between rounds",
	"Ctrl-L       redraw the screen",
	"h ?          this page; h, ? or q closes it",
	"q Ctrl-C     quit, as Ctrl-\\ does: tracing ends, and the tracer is empty",
	"",
	"Live: allocated since the start and not freed. Allocations from before the",
	"start are unknown. Growth: change of live bytes in the last round;",
	"- during the first half second.",
	"Kinds are separate accounts: pages that back slabs, large kmallocs or",
	"per-CPU memory do not count as pages.",
};

/* ---- keys ---- */

static void scroll(TopLook *look, gint64 by)
{
	look->first = CLAMP((gint64)look->first + by, 0, G_MAXINT);
}

static gboolean is_traced(const TopLook *look, enum trace_kind kind)
{
	return !(look->untraced & 1U << kind);
}

static TopKeyResult set_view(TopLook *look, TopView view)
{
	if (view == TOP_CACHES && !is_traced(look, TRACE_SLAB))
		return TOP_KEY_NONE;
	look->view = view;
	look->first = 0;
	if (view == TOP_CACHES)
		look->kind = TRACE_SLAB;
	return TOP_KEY_SHOW;
}

static TopKeyResult set_sort(TopLook *look, guint sort)
{
	look->sort = sort % TOP_SORTS;
	look->first = 0;
	return TOP_KEY_SHOW;
}

/* Selects the next traced kind; there is at least one. */
static TopKeyResult set_next_kind(TopLook *look)
{
	do {
		look->kind = (look->kind + 1) % TRACE_KINDS;
	} while (!is_traced(look, look->kind));
	look->first = 0;
	if (look->kind != TRACE_SLAB && look->view == TOP_CACHES)
		look->view = TOP_SITES;
	return TOP_KEY_SHOW;
}

static gboolean scroll_by_key(TopLook *look, int key, guint rows)
{
	switch (key) {
	case TOP_KEY_UP:
		scroll(look, -1);
		return TRUE;
	case TOP_KEY_DOWN:
		scroll(look, 1);
		return TRUE;
	case TOP_KEY_PAGE_UP:
		scroll(look, -(gint64)rows);
		return TRUE;
	case TOP_KEY_PAGE_DOWN:
		scroll(look, rows);
		return TRUE;
	case TOP_KEY_HOME:
		look->first = 0;
		return TRUE;
	case TOP_KEY_END:
		look->first = G_MAXINT; /* top_page() limits it to the number of rows */
		return TRUE;
	case TOP_KEY_RESIZE:
		return TRUE;
	}
	return FALSE;
}

/* Returns FALSE if the key does not edit @text, which has room for @size bytes. */
static gboolean edit(char *text, gsize size, int key)
{
	gsize len = strlen(text);

	if (key == TOP_KEY_BACKSPACE || key == 8 || key == 127) {
		text[len ? len - 1 : 0] = 0;
		return TRUE;
	}
	if (key < ' ' || key > '~')
		return FALSE;
	if (len + 1 < size) {
		text[len] = key;
		text[len + 1] = 0;
	}
	return TRUE;
}

/* Edits a delay such as "1.5" or "200ms". Enter sets it if it is valid; escape cancels. */
static void answer_delay(TopLook *look, int key)
{
	guint64 delay_ns;

	if (edit(look->answer, sizeof(look->answer), key))
		return;
	if ((key == '\n' || key == '\r') && units_parse_time(look->answer, &delay_ns, NULL))
		look->delay_ns = MAX(delay_ns, TOP_DELAY_MIN_NS);
	look->asks = TOP_ASKS_NOTHING;
}

/*
 * Edits the filter, which applies while it is typed. Enter keeps it, escape clears it. Other keys
 * only scroll.
 */
static TopKeyResult answer_filter(TopLook *look, int key, guint rows)
{
	look->first = 0;
	if (edit(look->filter, sizeof(look->filter), key))
		return TOP_KEY_SHOW;
	if (key == 27)
		look->filter[0] = 0;
	if (key == 27 || key == '\n' || key == '\r')
		look->asks = TOP_ASKS_NOTHING;
	else
		scroll_by_key(look, key, rows);
	return TOP_KEY_SHOW;
}

static TopKeyResult answer_key(TopLook *look, int key, guint rows)
{
	if (look->asks == TOP_ASKS_FILTER)
		return answer_filter(look, key, rows);
	answer_delay(look, key);
	return TOP_KEY_SHOW;
}

static TopKeyResult ask_delay(TopLook *look)
{
	look->asks = TOP_ASKS_DELAY;
	look->answer[0] = 0;
	return TOP_KEY_SHOW;
}

static TopKeyResult ask_filter(TopLook *look)
{
	look->asks = TOP_ASKS_FILTER;
	look->help = FALSE;
	return TOP_KEY_SHOW;
}

static TopKeyResult end_filter(TopLook *look)
{
	look->filter[0] = 0;
	look->first = 0;
	return TOP_KEY_SHOW;
}

TopKeyResult top_look_key(TopLook *look, int key, guint rows)
{
	if (look->asks)
		return answer_key(look, key, rows);
	switch (key) {
	case 'q':
		if (!look->help)
			return TOP_KEY_QUIT;
		look->help = FALSE;
		return TOP_KEY_SHOW;
	case 'd':
		return ask_delay(look);
	case '/':
		return ask_filter(look);
	case 27:
		return end_filter(look);
	case 'f':
		return set_view(look, TOP_SITES);
	case 'c':
		return set_view(look, TOP_CACHES);
	case 'm':
		return set_view(look, TOP_MODULES);
	case 'P':
		return set_view(look, TOP_PROCESSES);
	case 'T':
		return set_view(look, TOP_THREADS);
	case 'k':
		return set_next_kind(look);
	case 's':
	case '>':
		return set_sort(look, look->sort + 1);
	case '<':
		return set_sort(look, look->sort + TOP_SORTS - 1);
	case 'h':
	case '?':
		look->help = !look->help;
		return TOP_KEY_SHOW;
	case 'p':
	case ' ':
		look->paused = !look->paused;
		return TOP_KEY_SHOW;
	}
	return scroll_by_key(look, key, rows) ? TOP_KEY_SHOW : TOP_KEY_NONE;
}

/* ---- lines ---- */

/* Takes over @line. Replaces characters other than ASCII. */
static void add_line(GPtrArray *lines, char *line, guint width)
{
	gsize len = strlen(line);

	for (gsize i = 0; i < len; i++) {
		if (line[i] < ' ' || line[i] > '~')
			line[i] = '?';
	}
	if (width && len > width)
		line[width] = 0;
	g_ptr_array_add(lines, line);
}

static char *format_since(const TopFacts *facts)
{
	char clock[16] = "?";
	struct tm tm;
	g_autofree char *span = units_format_time(facts->span_ns);

	if (localtime_r(&facts->start, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	return g_strdup_printf("since %s (%s)", clock, span);
}

/* Adds the first line: whether events are missing, so whether the rest can be trusted. */
static void add_trust(GPtrArray *lines, const TopFacts *facts, guint width)
{
	g_autofree char *since = format_since(facts);
	guint64 details = facts->stats.lost[KMEMTRACE_LOSS_STACK_FULL];
	g_autofree char *lost = units_format_count(stats_lost_records(&facts->stats));
	g_autofree char *written = units_format_count(facts->stats.written);

	g_autofree char *stacks = details ? units_format_count(details) : NULL;

	add_line(lines,
		 g_strdup_printf("%s: %s events lost, %s seen%s%s; unseen: %s%s%s", since, lost,
				 written, stacks ? ", without a stack: " : "", stacks ? stacks : "",
				 facts->unseen ? facts->unseen : "no source",
				 facts->filters ? "; only: " : "",
				 facts->filters ? facts->filters : ""),
		 width);
}

static void add_sum(GPtrArray *lines, const TopModel *model, const TopLook *look, guint width)
{
	TopRow sum = top_model_sum(model, look->kind);
	g_autofree char *bytes = units_format_size(sum.live_bytes);
	g_autofree char *count = units_format_count(sum.live_count);
	g_autofree char *unmatched = units_format_count(top_model_unmatched(model));

	add_line(lines,
		 g_strdup_printf("%s by %s: %s live in %s; %s unmatched frees",
				 kind_names[look->kind], view_names[look->view], bytes, count,
				 unmatched),
		 width);
}

static void add_state(GPtrArray *lines, const TopModel *model, const TopFacts *facts,
		      const TopLook *look, guint width)
{
	g_autofree char *delay = units_format_age(look->delay_ns);
	g_autofree char *tracer = units_format_size(facts->tracer_bytes);
	g_autofree char *own = units_format_size(facts->own_bytes);
	g_autofree char *live = units_format_count(top_model_live(model));

	if (look->asks == TOP_ASKS_FILTER) {
		add_line(lines,
			 g_strdup_printf("only rows with: %s_ (Enter: keep, Esc: all)",
					 look->filter),
			 width);
		return;
	}
	if (look->asks == TOP_ASKS_DELAY) {
		add_line(lines,
			 g_strdup_printf("seconds between rounds (now %s): %s_", delay,
					 look->answer),
			 width);
		return;
	}
	add_line(lines,
		 g_strdup_printf(
			 "%s%s%s%severy %s; memory: tracer %s, top %s for %s allocations; h: help",
			 look->paused ? "PAUSED; " : "", *look->filter ? "only rows with: " : "",
			 look->filter, *look->filter ? "; " : "", delay, tracer, own, live),
		 width);
}

static char *mark_title(const TopLook *look, TopSort sort, const char *title)
{
	return g_strconcat(look->sort == sort ? "*" : "", title, NULL);
}

typedef struct {
	const char *bytes, *count, *growth, *churn, *name;
} Cells;

/*
 * Puts the cells in their columns. A narrow terminal has fewer, since the name needs room: of the
 * rates (below NARROW: of these and the count) only the sort key, else the growth.
 */
static char *lay_out(const Cells *cells, TopSort sort, guint width)
{
	const char *rate = sort == TOP_BY_CHURN ? cells->churn : cells->growth;

	if (width && width < NARROW)
		return g_strdup_printf("%11s %12s  %s", cells->bytes,
				       sort == TOP_BY_COUNT ? cells->count : rate, cells->name);
	if (width && width < WIDE)
		return g_strdup_printf("%11s %12s %12s  %s", cells->bytes, cells->count, rate,
				       cells->name);
	return g_strdup_printf("%11s %12s %10s %12s  %s", cells->bytes, cells->count, cells->growth,
			       cells->churn, cells->name);
}

static void add_titles(GPtrArray *lines, const TopLook *look, guint width)
{
	g_autofree char *bytes = mark_title(look, TOP_BY_BYTES, "live bytes");
	g_autofree char *count = mark_title(look, TOP_BY_COUNT, "live count");
	g_autofree char *growth = mark_title(look, TOP_BY_GROWTH, "growth/s");
	g_autofree char *churn = mark_title(look, TOP_BY_CHURN, "allocs/s");
	g_autofree char *name = mark_title(look, TOP_BY_NAME, view_titles[look->view]);
	Cells cells = { bytes, count, growth, churn, name };

	add_line(lines, lay_out(&cells, look->sort, width), width);
}

static char *format_growth(double growth)
{
	g_autofree char *size = units_format_size((gint64)fabs(growth));

	return g_strconcat(growth >= 1 ? "+" : growth <= -1 ? "-" : "", size, NULL);
}

static char *format_churn(double churn)
{
	if (churn < 10)
		return g_strdup_printf("%.1f", churn);
	return units_format_count((gint64)(churn + 0.5));
}

static void add_row(GPtrArray *lines, const TopRow *row, const TopLook *look, gboolean rates,
		    guint width)
{
	g_autofree char *bytes = units_format_size(row->live_bytes);
	g_autofree char *count = units_format_count(row->live_count);
	g_autofree char *growth = rates ? format_growth(row->growth) : g_strdup("-");
	g_autofree char *churn = rates ? format_churn(row->churn) : g_strdup("-");

	g_autofree char *name =
		g_strconcat(row->name, row->module ? " [" : NULL, row->module, "]", NULL);
	Cells cells = { bytes, count, growth, churn, name };

	add_line(lines, lay_out(&cells, look->sort, width), width);
}

static void add_rows(GPtrArray *lines, const TopModel *model, TopLook *look, guint width,
		     guint height)
{
	g_autoptr(GArray) rows =
		top_model_rows(model, look->view, look->kind, look->sort, look->filter);

	look->first = MIN(look->first, rows->len ? rows->len - 1 : 0);
	for (guint i = look->first; i < rows->len && (!height || lines->len < height); i++)
		add_row(lines, &g_array_index(rows, TopRow, i), look, top_model_has_rates(model),
			width);
}

GPtrArray *top_page(const TopModel *model, const TopFacts *facts, TopLook *look, guint width,
		    guint height)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	add_trust(lines, facts, width);
	add_sum(lines, model, look, width);
	add_state(lines, model, facts, look, width);
	add_titles(lines, look, width);
	if (look->help) {
		for (guint i = 0; i < G_N_ELEMENTS(help_lines); i++)
			add_line(lines, g_strdup(help_lines[i]), width);
	} else {
		add_rows(lines, model, look, width, height);
	}
	if (height && lines->len > height)
		g_ptr_array_set_size(lines, height);
	return lines;
}
