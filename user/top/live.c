// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges events about every FLUSH_MS, so that only events of that time wait, in the kernel's
 * buffers and here.
 */
#include "top/live.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "analysis/kernel_abi.h"
#include "analysis/snapshot.h"
#include "base/tokenize.h"
#include "capture/recording/live_stream.h"
#include "capture/source/source.h"
#include "capture/target/kallsyms.h"
#include "capture/tracer/adopt.h"
#include "capture/tracer/cgroups.h"
#include "capture/tracer/status.h"
#include "capture/tracer/tracer.h"
#include "capture/tracer/unavailable.h"
#include "top/names.h"

#define FLUSH_MS  250
#define NS_A_MS   G_GUINT64_CONSTANT(1000000)
#define LIVE_NICE (-20) /* a reader that waits behind the traced load loses events */

struct TopLive {
	Control *control;
	gboolean owned;  /* top started the tracer: turn it off and empty it at the end */
	Settings before; /* sizes to restore; only if owned */
	LiveStream *stream;
	TopNames *names;
	TopModel *model;
	guint64 start_ns, flushed_ns; /* CLOCK_MONOTONIC */
	TopFacts facts;
	char *cgroup; /* path of the filter's cgroup; NULL: none, or it was removed */
	guint64 cgroup_inode;
	char *selected; /* the selection's text */
	char *unseen, *filters;
};

guint64 top_live_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (guint64)ts.tv_sec * G_GUINT64_CONSTANT(1000000000) + ts.tv_nsec;
}

/* ---- start and stop ---- */

static gboolean prepare(TopLive *live, const Settings *settings, gboolean discard, GError **error)
{
	live->control = source_open(settings->source, error);
	return live->control && tracer_claim(live->control, error) &&
	       live_stream_check(live->control, error) && kallsyms_check(error) &&
	       settings_check(live->control, settings, error) &&
	       (discard || adopt_refuse(live->control, error)) &&
	       settings_read_sizes(live->control, &live->before, error) &&
	       adopt_discard(live->control, error);
}

/* Names the threads that already run; later ones have events. */
static void name_threads(const TopLive *live, TopModel *model)
{
	g_autofree char *text = control_read(live->control, "tasks", NULL);
	char *rest = text, *line;
	NameLine thread;

	while (text && (line = tokenize_line(&rest))) {
		if (snapshot_parse_name(line, &thread) == LINE_FINE)
			top_model_name_thread(model, thread.id, thread.number, thread.name);
	}
}

static TopModel *make_model(const TopLive *live, const TopSelection *selection)
{
	g_autofree char *text = control_read(live->control, "abi", NULL);
	KernelAbi abi = kernel_abi_read(text);
	TopModel *model =
		top_model_new(abi.page_shift, abi.linear_base, top_names_find, live->names);

	top_model_set_account(model, abi.account_bits);
	top_model_select(model, selection); /* first: its names must have room */
	name_threads(live, model);
	return model;
}

static char *join(GPtrArray *words)
{
	if (!words->len)
		return NULL;
	g_ptr_array_add(words, NULL);
	return g_strjoinv(", ", (char **)words->pdata);
}

/* Returns the filters of the tracer, then the selection. For g_free(); NULL: none. */
static char *join_filters(const TopLive *live)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	g_autofree char *text = settings_filters_text(live->control);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++) {
		if (*lines[i] && status_filter_is_set(lines[i]))
			g_ptr_array_add(words, lines[i]);
	}
	if (live->selected)
		g_ptr_array_add(words, live->selected);
	return join(words);
}

static void read_filters(TopLive *live)
{
	g_free(live->filters);
	live->facts.filters = live->filters = join_filters(live);
}

static gboolean enable(TopLive *live, const Settings *settings, const TopSelection *selection,
		       GError **error)
{
	live->owned = TRUE;
	if (!settings_apply(live->control, settings, error) ||
	    !control_set(live->control, "enable", 1, error))
		return FALSE;
	live->start_ns = top_live_now();
	live->facts.start = time(NULL);
	live->stream = live_stream_open(live->control, error);
	live->names = live->stream ? top_names_new(live->control, error) : NULL;
	if (!live->names || !live_stream_flush(live->stream, error))
		return FALSE;
	live->model = make_model(live, selection);
	top_model_start(live->model, live_stream_until(live->stream));
	live->facts.unseen = live->unseen = unavailable_names(
		live->control, settings->events ? settings->events : SETTINGS_EVENTS_DEFAULT);
	live->selected = g_strdup(selection->text);
	live->cgroup = g_strdup(settings->cgroup);
	live->cgroup_inode = cgroups_inode(settings->cgroup);
	read_filters(live);
	return top_live_round(live, error);
}

TopLive *top_live_start(const Settings *settings, const TopSelection *selection, gboolean discard,
			GError **error)
{
	g_autoptr(TopLive) live = g_new0(TopLive, 1);

	if (!prepare(live, settings, discard, error))
		return NULL;
	setpriority(PRIO_PROCESS, 0, LIVE_NICE); /* otherwise events are lost */
	return enable(live, settings, selection, error) ? g_steal_pointer(&live) : NULL;
}

void top_live_abandon(gpointer live)
{
	control_disable(((const TopLive *)live)->control);
}

void top_live_stop(TopLive *live)
{
	if (!live)
		return;
	if (live->owned)
		control_set(live->control, "enable", 0, NULL);
	live_stream_close(live->stream); /* an open reader would prevent a reset */
	if (live->owned) {
		control_set(live->control, "reset", 1, NULL);
		settings_set_sizes(live->control, &live->before, NULL);
	}
	top_names_free(live->names);
	top_model_free(live->model);
	control_close(live->control);
	g_free(live->cgroup);
	g_free(live->selected);
	g_free(live->unseen);
	g_free(live->filters);
	g_free(live);
}

/* ---- while it runs ---- */

void top_live_poll(const TopLive *live, GArray *fds)
{
	live_stream_poll(live->stream, fds);
}

static gboolean flush(TopLive *live, GError **error)
{
	const struct trace_event *event;

	if (!live_stream_flush(live->stream, error))
		return FALSE;
	live->flushed_ns = top_live_now();
	while ((event = live_stream_next(live->stream)))
		top_model_take(live->model, event);
	top_model_catch_up(live->model);
	return TRUE;
}

gboolean top_live_pump(TopLive *live, GError **error)
{
	if (top_live_now() - live->flushed_ns >= FLUSH_MS * NS_A_MS)
		return flush(live, error);
	return live_stream_read(live->stream, error);
}

/* Returns the resident bytes of this process; 0: unknown. */
static guint64 own_bytes(void)
{
	g_autofree char *text = NULL;
	unsigned long pages = 0;

	if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL) ||
	    sscanf(text, "%*u %lu", &pages) != 1)
		return 0;
	return (guint64)pages * sysconf(_SC_PAGESIZE);
}

static gboolean read_facts(TopLive *live, GError **error)
{
	g_autoptr(GArray) memories = stats_read_memories(live->control, error);
	TopFacts *facts = &live->facts;

	if (!memories || !stats_read(live->control, &facts->stats, error))
		return FALSE;
	facts->tracer_bytes = 0;
	for (guint i = 0; i < memories->len; i++) {
		const StatsMemory *memory = &g_array_index(memories, StatsMemory, i);

		/* This is a part of "stacks". */
		if (strcmp(memory->name, "stacks_used") != 0)
			facts->tracer_bytes += memory->bytes;
	}
	facts->span_ns = top_live_now() - live->start_ns;
	facts->own_bytes = own_bytes();
	return TRUE;
}

/* If the filter's cgroup was removed, the text of the filters says so. */
static void look_at_cgroup(TopLive *live)
{
	if (!live->cgroup || cgroups_inode(live->cgroup) == live->cgroup_inode)
		return;
	g_clear_pointer(&live->cgroup, g_free);
	read_filters(live);
}

gboolean top_live_round(TopLive *live, GError **error)
{
	gboolean changed;

	if (!flush(live, error) || !top_names_look(live->names, &changed, error))
		return FALSE;
	if (changed)
		top_model_renew(live->model);
	top_model_round(live->model, live_stream_until(live->stream));
	look_at_cgroup(live);
	return read_facts(live, error);
}

const TopModel *top_live_model(const TopLive *live)
{
	return live->model;
}

const TopFacts *top_live_facts(const TopLive *live)
{
	return &live->facts;
}
