// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads a trace into a database, in one pass over the events. First names, as an event's caller is
 * looked up when it is first seen; then the events, merged by time and paired, with a row for each
 * lifetime when it ends; then all counters.
 *
 * The database is built in a temporary file beside its path, and renamed: readers get either the
 * old one or the complete new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/growth/temporaries.h"
#include "analysis/pairing/pair.h"
#include "base/seed.h"
#include "base/units.h"
#include "store/load/cpus.h"
#include "store/load/failures.h"
#include "store/load/insert_queue.h"
#include "store/load/lifetimes.h"
#include "store/load/markrows.h"
#include "store/load/origins.h"
#include "store/load/prefetch.h"
#include "store/load/recorders.h"
#include "store/load/settings.h"
#include "store/load/snapshots.h"
#include "store/query/query.h"
#include "store/schema/builds.h"
#include "store/schema/identity.h"
#include "store/store.h"

/* Limit of the texts in a database: some 10 times as much as in one of a fork load's trace. */
#define TEXTS_MAX    (G_GUINT64_CONSTANT(64) << 20) /* bytes */
#define TEXTS_FACTOR 64                             /* and for each byte of the trace */

#define PROGRESS_EVENTS (1U << 13) /* between two calls of the progress function and checks */

/*
 * Detects a tick-based clock, as in early boot: many call sites share one time stamp. One site
 * alone may report many objects.
 */
#define SAME_TIME_SITES 16

typedef struct {
	guint64 time_ns, call_site; /* of the last event */
	guint sites;                /* changes of the call site at that time */
	guint64 tick_ns;            /* the last time stamp of a tick */
	guint64 step_ns;            /* the shortest time between two ticks; 0: there was only one */
	guint64 until_ns;           /* the first time after the last tick; 0: none */
} Ticks;

typedef struct {
	const char *const *paths; /* of the traces, parts of one recording */
	guint path_count;
	int fd; /* of the database; -1: in memory */
	struct trace_reader *reader;
	struct trace_merge *merge;
	Db *db;
	gboolean totals;     /* without rows of lifetimes */
	TableWriter *writer; /* while lifetimes are written; NULL if totals */
	InsertQueue *queue;  /* likewise */
	Snapshots *snapshots;
	Symbols *symbols[2]; /* by enum kmemtrace_phase; NULL: missing in the trace */
	ModuleTimes *module_times;
	BuildIds *build_ids;
	Settings settings;
	Frames *frames;
	Caches *caches;
	Tasks *tasks;
	Temporaries *temporaries; /* NULL if totals */
	AddressSpaces *spaces;    /* of processes; NULL: no user stacks */
	UserStacks *user_stacks;  /* likewise */
	Origins *origins;
	Failures *failures;
	Pair *pair;
	MarkRows *marks;
	KernelAbi abi;
	LifetimeBase base;
	struct trace_beginning beginning;
	Ticks ticks;
	guint64 first_ns;     /* the first event's time; base.start_ns is that of the beginning */
	GHashTable *left_out; /* number of events before the beginning, by cpus_count_key() */
	gboolean is_by_bpf;   /* not by the module */
	guint64 end_ns;       /* the latest time, see ends_trace() */
	guint64 total_bytes;  /* of the trace */
	guint64 first_left;   /* row of the first allocation that was not freed */
	uint64_t cut_offset;  /* where a truncated trace ends */
	Recovered recovered;
	Pauses pauses;
	char *identity; /* of the trace, before it was read; may be NULL */
	StoreLoadResult result;
} Load;

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	return store_fail(error, "%s", err->text);
}

/* ---- the sink of the pairing ---- */

/* Counts how many further allocations its thread had made when it was freed. */
static void count_temporary(Load *load, const PairLifetime *lifetime)
{
	guint32 now;

	if (!load->temporaries || lifetime->state != PAIR_FREED || lifetime->backing)
		return;
	now = *temporaries_of(load->temporaries, lifetime->task, lifetime->cpu, lifetime->context);
	/* The free preceded the allocation, and was matched late. */
	if (lifetime->end_ns <= lifetime->time_ns)
		now = lifetime->alloc_seq;
	origins_count_temporaries(load->origins, lifetime->origin, now - lifetime->alloc_seq);
}

static void take_lifetime(gpointer data, const PairLifetime *lifetime)
{
	Load *load = data;

	load->result.rows++;
	if (load->queue)
		lifetimes_encode(lifetime, &load->base, insert_queue_row(load->queue));
	origins_count_lifetime(load->origins, lifetime);
	count_temporary(load, lifetime);
}

/*
 * Returns the class of an unmatched free. Pages that left the free lists without an event are not
 * from before the trace.
 */
static PairClass class_of(const Load *load, guint32 origin, PairClass class)
{
	return origins_is_unused(load->origins, origin) ? PAIR_UNSEEN : class;
}

static void take_unmatched(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Load *load = data;
	guint32 origin = event->origin ? event->origin : origins_of(load->origins, event->event);

	origins_count_unmatched(load->origins, origin, class_of(load, origin, class), pages);
}

static void take_matched_late(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Load *load = data;
	guint32 origin = event->origin ? event->origin : origins_of(load->origins, event->event);

	origins_uncount_unmatched(load->origins, origin, class_of(load, origin, class), pages);
}

static void take_failed(gpointer data, const PairEvent *event)
{
	Load *load = data;

	failures_count(load->failures, event->origin, event->task,
		       event->event->time_ns - load->base.start_ns);
}

/* Returns the origin of the allocation with the new size; the stack stays. */
static guint32 take_resized(gpointer data, guint32 origin, const PairEvent *event)
{
	Load *load = data;

	return origins_resized(load->origins, origin, event->event->bytes_req);
}

/* ---- before the events ---- */

/* A trace that can't be read fails when its events are. */
static void load_bpf_programs(Load *load)
{
	char *programs = snapshots_read(load->snapshots, "bpf_programs", KMEMTRACE_PHASE_START);
	char *later = snapshots_read(load->snapshots, "bpf_programs", KMEMTRACE_PHASE_END);
	Symbols *start = load->symbols[KMEMTRACE_PHASE_START];
	struct trace_error err;
	guint64 first_ns;

	if (programs && start && trace_merge_first_time(load->reader, &first_ns, &err) > 0)
		snapshots_add_skipped(load->snapshots,
				      symbols_set_programs(start, programs, later, first_ns));
	free(later);
	free(programs);
}

static void load_symbols(Load *load)
{
	load->build_ids = buildids_new();
	for (guint phase = 0; phase < G_N_ELEMENTS(load->symbols); phase++) {
		char *kallsyms = snapshots_read(load->snapshots, "kallsyms", phase);
		char *modules = snapshots_read(load->snapshots, "modules", phase);
		char *ids = snapshots_read(load->snapshots, "build_ids", phase);

		if (kallsyms) {
			load->symbols[phase] = symbols_new(kallsyms, modules);
			snapshots_add_skipped(load->snapshots,
					      symbols_skipped_lines(load->symbols[phase]));
		}
		if (ids)
			snapshots_add_skipped(load->snapshots,
					      buildids_add_text(load->build_ids, ids));
		free(ids);
		free(modules);
		free(kallsyms);
	}
	load_bpf_programs(load);
	load->module_times = settings_load_modules(load->snapshots);
	load->frames = frames_new(load->symbols[KMEMTRACE_PHASE_END],
				  load->symbols[KMEMTRACE_PHASE_START], load->module_times);
}

static int take_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	Load *load = data;
	guint64 copy[TRACE_STACK_MAX];
	unsigned int count = MIN(depth, G_N_ELEMENTS(copy));

	for (unsigned int i = 0; i < count; i++)
		copy[i] = addrs[i];
	/* Kernel addresses are in the upper half. */
	if (load->user_stacks && count && (gint64)copy[0] >= 0)
		userstacks_add(load->user_stacks, id, copy, count);
	else
		origins_add_stack(load->origins, id, copy, count);
	return 0;
}

/* Not for totals, which do not need them. */
static gboolean load_spaces(Load *load, GError **error)
{
	struct trace_error err = { "" };

	if (load->totals)
		return TRUE;
	load->spaces = address_spaces_read(load->reader, &err);
	if (err.text[0])
		return fail_trace(&err, error);
	if (!load->spaces)
		return TRUE;
	load->user_stacks = userstacks_new(load->spaces);
	origins_set_user_stacks(load->origins, load->user_stacks);
	return TRUE;
}

static gboolean load_names(Load *load, GError **error)
{
	struct trace_error err = { "" };

	load->snapshots = snapshots_new(load->reader, load->db);
	load->caches = caches_new();
	load->abi = snapshots_load_abi(load->snapshots, load->caches);
	load->is_by_bpf = snapshots_load_host(load->snapshots);
	load->recovered = snapshots_load_recovered(load->snapshots);
	snapshots_load_memory(load->snapshots, load->caches);
	snapshots_load_caches(load->snapshots, load->caches);
	load->tasks = tasks_new();
	load->marks = markrows_new(load->tasks);
	load->left_out = g_hash_table_new(seed_number, NULL);
	if (!load->totals)
		load->temporaries = temporaries_new(load->tasks);
	snapshots_load_tasks(load->snapshots, load->tasks);
	load_symbols(load);
	load->settings = settings_load(load->snapshots, load->db);
	load->failures = failures_new();
	load->origins = origins_new(load->frames, load->caches, load->module_times,
				    1 << load->abi.page_shift);
	origins_set_by_bpf(load->origins, load->is_by_bpf);
	if (!load_spaces(load, error))
		return FALSE;
	if (trace_reader_stacks(load->reader, take_stack, load, &err))
		return fail_trace(&err, error);
	return snapshots_check(load->snapshots, error);
}

/* ---- the events ---- */

static gboolean is_free(enum trace_action action)
{
	return action == TRACE_FREE || action == TRACE_DEFER;
}

/*
 * Returns the number of an allocation in its thread; 0: it is not counted. Pages with a backing
 * (their contents count), failed allocations and those of size 0 are not counted.
 */
static guint32 next_alloc_seq(Load *load, const PairEvent *paired)
{
	const struct trace_event *event = paired->event;

	if (!load->temporaries || is_free(trace_event_action(event->event)) || paired->backing ||
	    !event->addr)
		return 0;
	return ++*temporaries_of(load->temporaries, paired->task, event->cpu, event->context);
}

/*
 * Pairs an event. Gives the number back if pairing finds that it is the second event of a large
 * kmalloc, or that the pages before it back it.
 */
static void queue(Load *load, const PairEvent *paired)
{
	const PairStats *stats = pair_stats(load->pair);
	guint64 uncounted = stats->duplicates + stats->renumbered;

	pair_feed(load->pair, paired);
	if (paired->alloc_seq && stats->duplicates + stats->renumbered > uncounted)
		--*temporaries_of(load->temporaries, paired->task, paired->event->cpu,
				  paired->event->context);
}

/* Processes a mark or the name of a thread. Returns FALSE for other events. */
static gboolean take_other(Load *load, const struct trace_event *event)
{
	if (markrows_take(load->marks, event))
		return TRUE;
	if (trace_event_action(event->event) != TRACE_NAME)
		return FALSE;
	if (!load->totals)
		tasks_rename(load->tasks, event->tid, event->tgid, event->comm);
	return TRUE;
}

/*
 * Sets the beginning of the trace: the first time from which all CPUs have their events. An earlier
 * allocation could stay live only because its free was overwritten on another CPU.
 */
static void begin(Load *load, const struct trace_event *first)
{
	load->beginning = trace_merge_beginning(load->merge);
	load->first_ns = first->time_ns;
	load->base.start_ns = trace_merge_start(load->merge, first->time_ns);
	load->end_ns = load->base.start_ns;
}

static void count_left_out(Load *load, const struct trace_event *event)
{
	gpointer key = cpus_count_key(event->cpu, event->event);
	gsize count = GPOINTER_TO_SIZE(g_hash_table_lookup(load->left_out, key));

	g_hash_table_insert(load->left_out, key, GSIZE_TO_POINTER(count + 1));
}

static guint64 all_left_out(const Load *load)
{
	GHashTableIter iter;
	gpointer count;
	guint64 sum = 0;

	g_hash_table_iter_init(&iter, load->left_out);
	while (g_hash_table_iter_next(&iter, NULL, &count))
		sum += GPOINTER_TO_SIZE(count);
	return sum;
}

/*
 * Returns TRUE for an event before the beginning, from which only thread names are used, and only
 * those of the module: a CPU that lost its older events may have had another name for the thread.
 * The module names it again then, but BPF programs don't.
 */
static gboolean leave_out(Load *load, const struct trace_event *event)
{
	if (!load->beginning.late || event->time_ns >= load->base.start_ns)
		return FALSE;
	count_left_out(load, event);
	if (load->is_by_bpf && load->settings.overwrites)
		return TRUE;
	if (trace_event_action(event->event) == TRACE_NAME && !load->totals)
		tasks_rename(load->tasks, event->tid, event->tgid, event->comm);
	return TRUE;
}

static void note_time(Ticks *ticks, const struct trace_event *event)
{
	if (event->time_ns == ticks->time_ns) {
		ticks->sites += event->call_site != ticks->call_site;
		ticks->call_site = event->call_site;
		return;
	}
	if (ticks->sites >= SAME_TIME_SITES) {
		guint64 step_ns = ticks->time_ns - ticks->tick_ns;

		if (ticks->until_ns && (!ticks->step_ns || step_ns < ticks->step_ns))
			ticks->step_ns = step_ns;
		ticks->tick_ns = ticks->time_ns;
		ticks->until_ns = event->time_ns;
	}
	ticks->time_ns = event->time_ns;
	ticks->call_site = event->call_site;
	ticks->sites = 0;
}

/*
 * At the end of a flight only mappings and names are recorded while the recorder reads those of all
 * processes: the trace ends before that.
 */
static gboolean ends_trace(const Load *load, const struct trace_event *event)
{
	enum trace_action action = trace_event_action(event->event);

	return !load->settings.overwrites || (action != TRACE_SPACE && action != TRACE_NAME);
}

static void take_event(Load *load, const struct trace_event *event)
{
	enum trace_action action = trace_event_action(event->event);
	PairEvent paired = { .event = event };

	if (!load->result.events++)
		begin(load, event);
	if (ends_trace(load, event))
		load->end_ns = MAX(load->end_ns, event->time_ns);
	note_time(&load->ticks, event);
	if (leave_out(load, event) || take_other(load, event))
		return;
	if (action == TRACE_SPACE)
		return;
	if (action == TRACE_RESIZE) { /* the resizing task is unused */
		pair_feed(load->pair, &paired);
		return;
	}
	if (load->totals && is_free(action)) { /* its origin is looked up only if it is needed */
		origins_note_order(load->origins, event, 0);
		paired.task = event->tid;
		pair_feed(load->pair, &paired);
		return;
	}
	paired.origin = origins_of(load->origins, event);
	origins_note_order(load->origins, event, paired.origin);
	if (action == TRACE_BUDDY || action == TRACE_MIGRATE) {
		origins_count_move(load->origins, paired.origin);
		if (action == TRACE_MIGRATE)
			pair_feed(load->pair, &paired);
		return;
	}
	paired.task = load->totals ? event->tid : tasks_current(load->tasks, event->tid);
	paired.backing = origins_backing(load->origins, paired.origin);
	paired.alloc_seq = next_alloc_seq(load, &paired);
	queue(load, &paired);
}

static gboolean fail_cancelled(const Load *load, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_STOPPED,
		    "%s: interrupted before it was loaded completely", load->paths[0]);
	return FALSE;
}

static gboolean report_progress(const Load *load, StoreProgress progress, gpointer data,
				GError **error)
{
	guint64 done = 0;

	for (size_t i = 0; i < trace_merge_streams(load->merge); i++) {
		uint32_t cpu;

		done += trace_stream_stats(trace_merge_stream(load->merge, i, &cpu))->bytes;
	}
	if (progress(MIN(done, load->total_bytes), load->total_bytes, data))
		return TRUE;
	return fail_cancelled(load, error);
}

/* Returns the latest time in a CPU's sub-buffers, without events: see load->end_ns. */
static guint64 latest_of(const struct trace_stream *stream)
{
	const struct trace_stream_stats *stats = trace_stream_stats(stream);
	guint64 latest_ns = MAX(MAX(stats->begins_ns, stats->opened_ns), stats->last_ns);
	const struct trace_loss_window *windows;
	size_t count = trace_stream_losses(stream, &windows);

	for (size_t i = 0; i < count; i++)
		latest_ns = MAX(latest_ns, MAX(windows[i].from_ns, windows[i].to_ns));
	return latest_ns;
}

/* Checks the latest time once, instead of each event's. */
static gboolean check_times(const Load *load, GError **error)
{
	guint64 latest_ns = load->result.events ? load->end_ns : 0;

	for (size_t i = 0; i < trace_merge_streams(load->merge); i++) {
		uint32_t cpu;

		latest_ns = MAX(latest_ns, latest_of(trace_merge_stream(load->merge, i, &cpu)));
	}
	if (latest_ns < UNITS_TIME_END)
		return TRUE;
	return store_fail(error,
			  "%s: the trace has a time of %" G_GUINT64_FORMAT
			  " ns, expected less than %" G_GUINT64_FORMAT " (146 years after boot)",
			  load->paths[0], latest_ns, UNITS_TIME_END);
}

static void begin_lifetimes(Load *load)
{
	guint32 root = db_lend_file(load->db, "lifetime");

	load->writer = table_writer_new(load->fd, root, LIFETIME_COLUMNS);
	load->queue = insert_queue_new(load->writer, LIFETIME_COLUMNS);
}

static void end_lifetimes(Load *load)
{
	insert_queue_finish(load->queue);
	db_take_back(load->db, table_writer_finish(load->writer));
}

static gboolean load_events(Load *load, StoreProgress progress, gpointer data, GError **error)
{
	PairSink sink = { take_lifetime, take_unmatched, take_matched_late, take_failed, load };
	struct trace_error err = { "" };
	const struct trace_event *event;
	Prefetch prefetch;
	guint64 left;
	int ret;

	if (trace_merge_open(load->reader, &load->merge, &err))
		return fail_trace(&err, error);
	load->pair = pair_new(load->abi.page_shift, load->abi.linear_base, &sink);
	pair_set_account(load->pair, load->abi.account_bits);
	pair_set_resized(load->pair, take_resized);
	load->base.linear_base = load->abi.linear_base;
	if (!load->totals)
		begin_lifetimes(load);
	prefetch = (Prefetch){ .origins = load->origins, .pair = load->pair };
	while ((ret = trace_merge_look(load->merge, &event, &err)) > 0) {
		prefetch_add(&prefetch, event);
		event = prefetch_take(&prefetch, FALSE);
		if (!event)
			continue;
		take_event(load, event);
		if (load->result.events % PROGRESS_EVENTS)
			continue;
		/* db_finish() reports the error, such as a full disk. */
		if (load->queue && !insert_queue_is_fine(load->queue))
			break;
		if (progress && !report_progress(load, progress, data, error))
			return FALSE;
	}
	if (ret < 0)
		return fail_trace(&err, error);
	while ((event = prefetch_take(&prefetch, TRUE)))
		take_event(load, event);
	if (!load->result.events)
		load->beginning = trace_merge_beginning(load->merge);
	if (!check_times(load, error))
		return FALSE;
	left = pair_finish(load->pair);
	load->first_left = load->result.rows + 1 - left;
	if (load->queue)
		end_lifetimes(load);
	return TRUE;
}

/* ---- after the events ---- */

static void write_tasks(Load *load)
{
	Insert *insert = db_insert(load->db, "task");

	/* A main thread that does nothing names its process. */
	tasks_add_mains(load->tasks);
	for (guint32 id = 1; id <= tasks_count(load->tasks); id++) {
		Task task = tasks_get(load->tasks, id);

		insert_row(insert, "iiisi", (gint64)id, (gint64)task.tid,
			   task.tgid < 0 ? DB_NULL : task.tgid, task.comm,
			   (gint64)tasks_is_current(load->tasks, id));
	}
}

/* Writes where the trace begins, if its oldest events are in another file, or were dropped. */
static void write_late(const Load *load, Insert *insert)
{
	insert_row(insert, "si", "overwrite", (gint64)load->settings.overwrites);
	insert_row(insert, "si", "late_cpu", (gint64)load->beginning.cpu);
	insert_row(insert, "si", "late_ns", (gint64)(load->base.start_ns - load->first_ns));
	insert_row(insert, "si", "late_missing",
		   (gint64)MIN(load->beginning.missing, (guint64)G_MAXINT64));
	insert_row(insert, "si", "late_left_out", (gint64)all_left_out(load));
}

/* Writes meta data that only some traces have. */
static void write_odd_meta(const Load *load, Insert *insert)
{
	if (load->identity)
		insert_row(insert, "ss", "trace_id", load->identity);
	if (load->ticks.until_ns) {
		insert_row(insert, "si", "tick_ns", (gint64)load->ticks.step_ns);
		insert_row(insert, "si", "ticks_until_ns",
			   (gint64)(load->ticks.until_ns - load->base.start_ns));
	}
	/* A later part without sub-buffers has no header to derive it from. */
	if (load->beginning.late ||
	    (trace_reader_lacks_parts(load->reader) && !trace_merge_streams(load->merge)))
		write_late(load, insert);
}

static void write_meta(Load *load)
{
	const PairStats *stats = pair_stats(load->pair);
	const struct {
		const char *key;
		guint64 value;
	} numbers[] = {
		{ "cut", load->result.cut },
		{ "cut_offset", load->cut_offset },
		{ "files", load->path_count },
		{ "recovered_bytes", load->recovered.bytes },
		{ "recovered_places", load->recovered.places },
		{ "recovered_end", load->recovered.has_end },
		{ "paused", load->pauses.count },
		{ "paused_ns", load->pauses.total_ns },
		{ "start_ns", load->base.start_ns },
		{ "span_ns", load->result.events ? load->end_ns - load->base.start_ns : 0 },
		{ "events", load->result.events - all_left_out(load) },
		{ "allocations", load->result.rows },
		{ "lost", load->result.lost },
		{ "page_size", G_GINT64_CONSTANT(1) << load->abi.page_shift },
		{ "linear_base", load->abi.linear_base },
		{ "trace_bytes", load->total_bytes },
		{ "skipped_lines", snapshots_skipped(load->snapshots) },
		{ "frees_matched", stats->matched },
		{ "frees_unmatched", stats->unmatched },
		{ "frees_early", stats->early },
		{ "frees_of_null", stats->null_pointers },
		{ "frees_unseen", stats->free_unseen },
		{ "frees_undone", stats->undone },
		{ "failed_allocations", stats->failed },
		{ "given_to_rcu", stats->given_to_rcu },
		{ "freed_rcu", stats->freed_rcu },
		{ "freeing", stats->freeing },
		{ "sample", load->settings.sample },
		{ "module_eras", moduletimes_eras(load->module_times) },
		{ "told_again", stats->duplicates },
		{ "areas_retried", stats->areas_retried },
		{ "resized", stats->resized },
		{ "absurd_pages", stats->absurd_pages },
		{ "moves", stats->moves },
		{ "moved_pages", stats->moved_pages },
		{ "moved_out", stats->moved_out },
		{ "frees_moved", stats->frees_moved },
		{ "peak_live", stats->peak_live },
		{ "first_left", load->first_left },
		{ "missing_stacks",
		  origins_missing_stacks(load->origins) + cpus_without_stacks(load->merge) },
		{ "missing_chunks", trace_reader_missing_chunks(load->reader) },
		{ "torn_texts", trace_reader_torn_texts(load->reader) },
		{ "mixed_sessions", trace_reader_mixes_sessions(load->reader) },
		{ "ends_early", trace_reader_ends_early(load->reader) },
	};
	Insert *insert = db_insert(load->db, "meta");

	for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
		insert_row(insert, "si", numbers[i].key, (gint64)numbers[i].value);
	write_odd_meta(load, insert);
}

/* Writes the ids by which debug files are found. */
static void write_builds(Load *load)
{
	guint64 start = 0;

	for (guint phase = 0; phase < G_N_ELEMENTS(load->symbols) && !start; phase++)
		start = load->symbols[phase] ? symbols_kernel_start(load->symbols[phase]) : 0;
	builds_write(load->build_ids, start, load->db);
}

static gboolean write_rest(Load *load, GError **error)
{
	frames_write(load->frames, load->db);
	origins_write(load->origins, load->db);
	if (load->user_stacks)
		userstacks_write(load->user_stacks, load->db);
	failures_write(load->failures, load->db);
	caches_write(load->caches, load->db);
	markrows_write(load->marks, load->base.start_ns, load->db); /* may add a task */
	write_tasks(load);
	recorders_write(load->reader, load->db);
	snapshots_load_free_times(load->snapshots, load->base.start_ns);
	settings_write_modules(load->module_times, load->base.start_ns, load->db);
	load->result.lost = cpus_write(load->merge, load->snapshots, load->reader, load->left_out,
				       load->base.start_ns, load->end_ns, load->db);
	if (load->result.events)
		load->pauses = snapshots_load_pauses(load->snapshots, load->base.start_ns);
	write_meta(load);
	write_builds(load);
	return snapshots_check(load->snapshots, error) && db_finish(load->db, error);
}

/* Progress callback, which can cancel the load. */
typedef struct {
	StoreProgress progress;
	gpointer data;
	guint64 total_bytes;
	gboolean cancelled;
} ProgressCall;

/* An sqlite3_progress_handler() function. */
static int check_cancelled(void *data)
{
	ProgressCall *call = data;

	if (!call->cancelled)
		call->cancelled = !call->progress(call->total_bytes, call->total_bytes, call->data);
	return call->cancelled;
}

/* Can be cancelled, too: there may be many frames and stacks. */
static gboolean write_all(Load *load, StoreProgress progress, gpointer data, GError **error)
{
	ProgressCall call = { progress, data, load->total_bytes, FALSE };
	gboolean fine;

	if (!progress)
		return write_rest(load, error);
	db_stop_when(load->db, check_cancelled, &call);
	fine = write_rest(load, error);
	db_stop_when(load->db, NULL, NULL);
	if (fine) /* SQLite does not call it while names are looked up */
		check_cancelled(&call);
	if (!call.cancelled)
		return fine;
	g_clear_error(error);
	return fail_cancelled(load, error);
}

/* ---- all of it ---- */

static void load_deinit(Load *load)
{
	insert_queue_free(load->queue);
	table_writer_free(load->writer);
	pair_free(load->pair);
	origins_free(load->origins);
	userstacks_free(load->user_stacks);
	address_spaces_free(load->spaces);
	failures_free(load->failures);
	temporaries_free(load->temporaries);
	markrows_free(load->marks);
	g_clear_pointer(&load->left_out, g_hash_table_unref);
	tasks_free(load->tasks);
	caches_free(load->caches);
	frames_free(load->frames);
	moduletimes_free(load->module_times);
	buildids_free(load->build_ids);
	symbols_free(load->symbols[0]);
	symbols_free(load->symbols[1]);
	snapshots_free(load->snapshots);
	db_free(load->db);
	if (load->merge)
		trace_merge_close(load->merge);
	trace_reader_close(load->reader);
	g_free(load->identity);
}

/* A trace cut before its first event has no data to report. */
static gboolean check_any(const Load *load, GError **error)
{
	if (load->result.events || !load->result.cut)
		return TRUE;
	return store_fail(
		error,
		"%s: cut at byte %" G_GUINT64_FORMAT
		", before its first event: its recorder did not finish, or is still writing",
		load->paths[0], (guint64)load->cut_offset);
}

static gboolean load_into(Load *load, const char *shown, int fd, StoreProgress progress,
			  gpointer data, GError **error)
{
	struct trace_error err = { "" };
	const char *cut_path;

	if (load->path_count == 1)
		load->identity = identity_of_trace(load->paths[0]);
	if (trace_reader_open_all(load->paths, load->path_count, &load->reader, &err))
		return fail_trace(&err, error);
	load->total_bytes = trace_reader_size(load->reader);
	load->result.cut = trace_reader_cut(load->reader, &cut_path, &load->cut_offset);
	load->fd = fd;
	load->db = db_create(shown, fd, error);
	if (load->db)
		db_limit_texts(load->db, TEXTS_MAX + TEXTS_FACTOR * load->total_bytes);
	return load->db && load_names(load, error) && load_events(load, progress, data, error) &&
	       check_any(load, error) && write_all(load, progress, data, error);
}

/* Creates a file that only its owner can read: it has kernel addresses. */
gboolean store_load_all(const char *const *paths, guint count, const char *db_path,
			StoreProgress progress, gpointer data, StoreLoadResult *result,
			GError **error)
{
	Load load = { .paths = paths, .path_count = count };
	g_autofree char *path = NULL;
	int fd = outfile_begin(db_path, &store_kind, &path, error);
	gboolean fine;

	if (fd < 0)
		return FALSE;
	fine = load_into(&load, db_path, fd, progress, data, error);
	load_deinit(&load);
	if (close(fd) && fine) /* network file systems write the rest then */
		fine = store_fail(error, "can't write %s: %s", db_path, g_strerror(errno));
	fine = fine && outfile_finish(path, db_path, &store_kind, error);
	if (!fine)
		outfile_drop(path);
	*result = load.result;
	return fine;
}

gboolean store_load(const char *kmt_path, const char *db_path, StoreProgress progress,
		    gpointer data, StoreLoadResult *result, GError **error)
{
	return store_load_all(&kmt_path, 1, db_path, progress, data, result, error);
}

StoreDb *store_totals(const char *kmt_path, StoreProgress progress, gpointer data,
		      StoreLoadResult *result, GError **error)
{
	Load load = { .paths = &kmt_path, .path_count = 1, .totals = TRUE };
	StoreDb *db = NULL;

	if (load_into(&load, ":memory:", -1, progress, data, error))
		db = query_adopt(db_release(g_steal_pointer(&load.db)), kmt_path);
	load_deinit(&load);
	*result = load.result;
	return db;
}
