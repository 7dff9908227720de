// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From a trace to a database, in one pass: the reader's streams are merged by time, each event goes
 * through pairing, and each lifetime that ends becomes a row. What rows share is stored at the end.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/pair.h"
#include "analysis/stacks.h"
#include "analysis/tasks.h"
#include "base/columns.h"
#include "store/names.h"
#include "store/origins.h"
#include "store/store.h"
#include "store/texts.h"
#include "store/writer.h"
#include "symbols/symbols.h"
#include "trace/merge.h"

#define PROGRESS_EVENTS	(1 << 17)	/* between two calls of the progress function */

typedef struct {
	struct trace_reader *reader;
	struct trace_merge *merge;
	StoreWriter *writer;
	Stacks *stacks;
	Symbols *symbols;
	Names *names;
	Origins *origins;
	Tasks *tasks;
	Pair *pair;
	TextsAbi abi;
	guint64 start_ns;		/* of the first event */
	guint64 end_ns;			/* of the last */
	guint skipped;			/* lines of texts that made no sense */
	guint64 decoded_bytes;
	StoreLoadResult result;
} Load;

static gboolean fail_trace(const struct trace_error *err, GError **error)
{
	g_set_error_literal(error, STORE_ERROR, STORE_ERROR_FAILED, err->text);
	return FALSE;
}

/* ---- rows ---- */

static gint64 live_bytes(const Load *load, const PairLifetime *lifetime)
{
	if (lifetime->state != PAIR_LIVE)
		return 0;
	return origins_bytes(load->origins, lifetime->origin) -
	       (gint64)lifetime->pages_freed * load->abi.page_size;
}

static void on_closed(gpointer data, const PairLifetime *lifetime)
{
	Load *load = data;
	const struct trace_event *end = lifetime->end ? lifetime->end->event : NULL;
	gint64 values[] = {
		lifetime->origin,
		lifetime->addr,
		lifetime->time_ns - load->start_ns,
		lifetime->cpu,
		lifetime->context,
		lifetime->task,
		end ? (gint64)(end->time_ns - lifetime->time_ns) : G_MININT64,
		end ? (gint64)origins_of_free(load->origins, end) : G_MININT64,
		end ? (gint64)end->cpu : G_MININT64,
		end ? (gint64)end->context : G_MININT64,
		end ? (gint64)lifetime->end->task : G_MININT64,
		lifetime->state,
		lifetime->backing,
		lifetime->pieces,
		live_bytes(load, lifetime),
	};

	store_writer_ints(load->writer, STORE_INSERT_ALLOC, values, G_N_ELEMENTS(values));
	load->result.rows++;
}

static void on_unmatched(gpointer data, const PairEvent *event, PairClass class, guint64 pages)
{
	Load *load = data;

	origins_count_unmatched(load->origins, event->event, class, pages * load->abi.page_size);
}

static void on_failed(gpointer data, const PairEvent *event)
{
	origins_count_failed(((Load *)data)->origins, event->event);
}

/* ---- what is known before the first event ---- */

static int on_stack(void *data, uint32_t id, const uint64_t *addrs, unsigned int depth)
{
	guint64 copy[KMEMTRACE_STACK_DEPTH_MAX];

	for (unsigned int i = 0; i < depth; i++)
		copy[i] = addrs[i];
	stacks_add(data, id, copy, depth);
	return 0;
}

static gboolean load_names(Load *load, GError **error)
{
	g_autofree char *abi = NULL, *kallsyms = NULL, *modules = NULL, *slabinfo = NULL, *caches = NULL;
	g_autoptr(GError) local = NULL;
	struct trace_error err = { "" };

	abi = texts_read_last(load->reader, "abi", &local);
	if (!local)
		kallsyms = texts_read_last(load->reader, "kallsyms", &local);
	if (!local)
		modules = texts_read_last(load->reader, "modules", &local);
	if (!local)
		slabinfo = texts_read_last(load->reader, "slabinfo", &local);
	if (!local)
		caches = texts_read_last(load->reader, "caches", &local);
	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	texts_store_abi(load->writer, abi ? abi : "", &load->abi, &load->skipped);
	load->symbols = symbols_new(kallsyms, modules);
	load->skipped += symbols_skipped_lines(load->symbols);
	load->stacks = stacks_new();
	if (trace_reader_stacks(load->reader, on_stack, load->stacks, &err))
		return fail_trace(&err, error);
	load->names = names_new(load->stacks, load->symbols, &load->abi, slabinfo);
	if (caches)
		names_add_caches(load->names, caches, &load->skipped);
	return TRUE;
}

/* The names at the start are older, so they come first; those at the end are for threads without any. */
static gboolean load_tasks(Load *load, GError **error)
{
	static const enum kmemtrace_phase order[] = { KMEMTRACE_PHASE_START, KMEMTRACE_PHASE_END };

	load->tasks = tasks_new();
	tasks_add_default(load->tasks, 0, 0, "swapper");	/* the idle threads, one for each CPU */
	for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
		g_autoptr(GError) local = NULL;
		g_autofree char *text = texts_read(load->reader, "tasks", order[i], &local);

		if (local) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		if (text)
			texts_load_tasks(load->tasks, text, &load->skipped);
	}
	return TRUE;
}

static gboolean store_texts(Load *load, GError **error)
{
	static const struct {
		const char *name;
		void (*store)(StoreWriter *writer, int phase, const char *text, guint *skipped);
	} texts[] = {
		{ "meminfo", texts_store_meminfo },
		{ "vmstat", texts_store_vmstat },
		{ "slabinfo", texts_store_slabinfo },
		{ "buddyinfo", texts_store_buddyinfo },
	};

	for (size_t i = 0; i < 2 * G_N_ELEMENTS(texts); i++) {
		enum kmemtrace_phase phase = i % 2 ? KMEMTRACE_PHASE_END : KMEMTRACE_PHASE_START;
		g_autoptr(GError) local = NULL;
		g_autofree char *text = texts_read(load->reader, texts[i / 2].name, phase, &local);

		if (local) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		if (text)
			texts[i / 2].store(load->writer, phase, text, &load->skipped);
	}
	return TRUE;
}

/* ---- the events ---- */

static void pair_up(Load *load, const struct trace_event *event)
{
	PairEvent pair_event = { .event = event, .task = tasks_current(load->tasks, event->tid) };
	gboolean page = event->event == KMEMTRACE_EVENT_PAGE_ALLOC;

	if (page || event->event == KMEMTRACE_EVENT_KMALLOC || event->event == KMEMTRACE_EVENT_CACHE_ALLOC)
		pair_event.origin = origins_of_alloc(load->origins, event);
	if (page)
		pair_event.slab_backing = names_is_slab_stack(load->names,
							      stacks_node(load->stacks, event->stack_id));
	pair_feed(load->pair, &pair_event);
}

static void take_event(Load *load, const struct trace_event *event)
{
	if (!load->result.events++)
		load->start_ns = event->time_ns;
	load->end_ns = MAX(load->end_ns, event->time_ns);
	if (event->event == KMEMTRACE_EVENT_TASK)
		tasks_rename(load->tasks, event->tid, event->tgid, event->comm);
	else
		pair_up(load, event);
}

static void tell_progress(Load *load, StoreProgress progress, gpointer data)
{
	guint64 done = 0;
	uint32_t cpu;

	if (!progress || load->result.events % PROGRESS_EVENTS)
		return;
	for (size_t i = 0; i < trace_merge_streams(load->merge); i++)
		done += trace_stream_stats(trace_merge_stream(load->merge, i, &cpu))->bytes;
	progress(done, trace_reader_size(load->reader), data);
}

static gboolean load_events(Load *load, StoreProgress progress, gpointer data, GError **error)
{
	PairSink sink = { .closed = on_closed, .unmatched = on_unmatched, .failed = on_failed };
	struct trace_error err = { "" };
	struct trace_event event;
	int ret;

	if (trace_merge_open(load->reader, &load->merge, &err))
		return fail_trace(&err, error);
	load->origins = origins_new(load->stacks, load->names);
	sink.data = load;
	load->pair = pair_new(g_bit_storage(load->abi.page_size) - 1, load->abi.linear_base, &sink);
	while ((ret = trace_merge_next(load->merge, &event, &err)) > 0) {
		take_event(load, &event);
		tell_progress(load, progress, data);
	}
	if (ret < 0)
		return fail_trace(&err, error);
	pair_finish(load->pair);
	return TRUE;
}

/* ---- what is known after the last ---- */

static void store_tasks(Load *load)
{
	for (guint32 i = 1; i <= tasks_count(load->tasks); i++) {
		Task task = tasks_get(load->tasks, i);
		g_autofree char *comm = task.comm ? g_utf8_make_valid(task.comm, -1) : NULL;

		store_writer_row(load->writer, STORE_INSERT_TASK, "iiis", (gint64)i, (gint64)task.tid,
				 (gint64)task.tgid, comm);
	}
}

static void store_event_names(Load *load)
{
	for (unsigned int i = 1; i < KMEMTRACE_EVENT_NR; i++)
		store_writer_row(load->writer, STORE_INSERT_EVENT_NAME, "is", (gint64)i, trace_event_name(i));
}

/* The counters of one CPU, as "stats" tells them at the end. */
typedef struct {
	guint64 written, ignored;
	guint64 lost[KMEMTRACE_LOSS_NR];
} CpuTotals;

static void add_total(guint64 line, const char *column, guint64 value, gpointer data)
{
	GHashTable *totals = data;
	CpuTotals *cpu = g_hash_table_lookup(totals, GUINT_TO_POINTER((guint)line));

	if (!cpu) {
		cpu = g_new0(CpuTotals, 1);
		g_hash_table_insert(totals, GUINT_TO_POINTER((guint)line), cpu);
	}
	if (strcmp(column, "written") == 0)
		cpu->written = value;
	if (strcmp(column, "ignored") == 0)
		cpu->ignored = value;
	for (unsigned int i = 0; i < KMEMTRACE_LOSS_NR; i++) {
		if (strcmp(column, trace_loss_name(i)) == 0)
			cpu->lost[i] = value;
	}
}

static void store_loss(Load *load, guint32 cpu, unsigned int reason, guint64 count)
{
	store_writer_row(load->writer, STORE_INSERT_LOSS, "isi", (gint64)cpu, trace_loss_name(reason),
			 (gint64)count);
	if (reason == KMEMTRACE_LOSS_BUFFER_FULL || reason == KMEMTRACE_LOSS_NMI ||
	    reason == KMEMTRACE_LOSS_RECURSION)
		load->result.lost += count;
}

/* Windows that the streams found; what was lost after the last of them lasts until the end. */
static void store_windows(Load *load, guint32 cpu, const struct trace_stream *stream,
			  const CpuTotals *totals)
{
	guint64 told[TRACE_LOSS_MISSING + 1] = { 0 };
	const struct trace_loss_window *windows;
	size_t count = stream ? trace_stream_losses(stream, &windows) : 0;
	guint64 from_ns = stream ? trace_stream_stats(stream)->last_ns : load->start_ns;

	for (size_t i = 0; i < count; i++) {
		gint64 start = load->start_ns;

		told[windows[i].reason] += windows[i].count;
		store_writer_row(load->writer, STORE_INSERT_LOSS_WINDOW, "isiii", (gint64)cpu,
				 trace_loss_name(windows[i].reason), (gint64)windows[i].from_ns - start,
				 (gint64)windows[i].to_ns - start, (gint64)windows[i].count);
	}
	for (unsigned int i = 0; i < KMEMTRACE_LOSS_NR; i++) {
		guint64 total = MAX(totals->lost[i], told[i]);

		if (total > told[i])
			store_writer_row(load->writer, STORE_INSERT_LOSS_WINDOW, "isiii", (gint64)cpu,
					 trace_loss_name(i), (gint64)(from_ns - load->start_ns),
					 (gint64)(load->end_ns - load->start_ns),
					 (gint64)(total - told[i]));
		store_loss(load, cpu, i, total);
	}
	store_loss(load, cpu, TRACE_LOSS_MISSING, told[TRACE_LOSS_MISSING]);
	load->result.lost += told[TRACE_LOSS_MISSING];
}

static void store_cpu(Load *load, guint32 cpu, const struct trace_stream *stream, const CpuTotals *totals)
{
	static const struct trace_stream_stats nothing;
	static const CpuTotals none;
	const struct trace_stream_stats *stats = stream ? trace_stream_stats(stream) : &nothing;
	gint64 events = 0;

	for (unsigned int i = 1; i < KMEMTRACE_EVENT_NR; i++) {
		events += stats->events[i];
		store_writer_row(load->writer, STORE_INSERT_EVENT_COUNT, "isi", (gint64)cpu,
				 trace_event_name(i), (gint64)stats->events[i]);
	}
	{
		gint64 values[] = {
			cpu, events, totals ? (gint64)totals->written : G_MININT64,
			totals ? totals->ignored : stats->ignored, stats->subbufs, stats->bytes,
			stats->backward, stats->unfinished,
			stats->first_ns ? (gint64)(stats->first_ns - load->start_ns) : G_MININT64,
			stats->first_ns ? (gint64)(stats->last_ns - load->start_ns) : G_MININT64,
		};

		store_writer_ints(load->writer, STORE_INSERT_CPU, values, G_N_ELEMENTS(values));
	}
	store_windows(load, cpu, stream, totals ? totals : &none);
}

/* CPUs that have a stream, and those that only have counters. */
static gboolean store_cpus(Load *load, GError **error)
{
	g_autoptr(GHashTable) totals = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_autoptr(GError) local = NULL;
	g_autofree char *stats = texts_read(load->reader, "stats", KMEMTRACE_PHASE_END, &local);
	g_autoptr(GList) rest = NULL;

	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	if (stats)
		columns_parse(stats, add_total, totals);
	for (size_t i = 0; i < trace_merge_streams(load->merge); i++) {
		uint32_t cpu;
		const struct trace_stream *stream = trace_merge_stream(load->merge, i, &cpu);

		store_cpu(load, cpu, stream, g_hash_table_lookup(totals, GUINT_TO_POINTER(cpu)));
		g_hash_table_remove(totals, GUINT_TO_POINTER(cpu));
	}
	rest = g_hash_table_get_keys(totals);
	for (GList *key = rest; key; key = key->next)
		store_cpu(load, GPOINTER_TO_UINT(key->data), NULL, g_hash_table_lookup(totals, key->data));
	return TRUE;
}

static void store_meta_int(Load *load, const char *key, gint64 value)
{
	store_writer_row(load->writer, STORE_INSERT_META, "si", key, value);
}

static void store_meta(Load *load)
{
	const PairStats *stats = pair_stats(load->pair);
	uint64_t end;

	load->result.cut = trace_reader_cut(load->reader, &end);
	store_meta_int(load, "start_ns", load->start_ns);
	store_meta_int(load, "span_ns", load->end_ns - load->start_ns);
	store_meta_int(load, "events", load->result.events);
	store_meta_int(load, "file_bytes", trace_reader_size(load->reader));
	store_meta_int(load, "cut", load->result.cut);
	if (load->result.cut)
		store_meta_int(load, "cut_at", end);
	store_meta_int(load, "null_frees", stats->null_pointers);
	store_meta_int(load, "absurd_events", stats->absurd_pages);
	store_meta_int(load, "skipped_lines", load->skipped);
	store_writer_row(load->writer, STORE_INSERT_META, "ss", "trace", trace_reader_path(load->reader));
}

static gboolean store_rest(Load *load, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *host = texts_read_last(load->reader, "host", &local);

	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	if (host)
		texts_store_host(load->writer, host, &load->skipped);
	store_event_names(load);
	store_tasks(load);
	origins_store(load->origins, load->writer);
	names_store(load->names, load->writer);
	if (!store_cpus(load, error) || !store_texts(load, error))
		return FALSE;
	store_meta(load);
	return TRUE;
}

/* ---- all ---- */

static void load_clear(Load *load)
{
	pair_free(load->pair);
	origins_free(load->origins);
	names_free(load->names);
	tasks_free(load->tasks);
	stacks_free(load->stacks);
	symbols_free(load->symbols);
	store_writer_free(load->writer);
	trace_merge_close(load->merge);
	trace_reader_close(load->reader);
}

static gboolean load_into(Load *load, const char *kmt_path, const char *path, StoreProgress progress,
			  gpointer data, GError **error)
{
	struct trace_error err = { "" };

	if (trace_reader_open(kmt_path, &load->reader, &err))
		return fail_trace(&err, error);
	load->writer = store_writer_new(path, error);
	if (!load->writer || !load_names(load, error) || !load_tasks(load, error) ||
	    !load_events(load, progress, data, error) || !store_rest(load, error))
		return FALSE;
	return store_writer_finish(g_steal_pointer(&load->writer), error);
}

gboolean store_load(const char *kmt_path, const char *db_path, StoreProgress progress, gpointer data,
		    StoreLoadResult *result, GError **error)
{
	g_autofree char *path = g_strdup_printf("%s.%d.tmp", db_path, getpid());
	Load load = { 0 };
	gboolean fine;

	g_unlink(path);
	fine = load_into(&load, kmt_path, path, progress, data, error);
	load_clear(&load);
	*result = load.result;
	if (fine && g_rename(path, db_path) != 0) {
		g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "can't write %s: %s", db_path,
			    g_strerror(errno));
		fine = FALSE;
	}
	if (!fine)
		g_unlink(path);
	return fine;
}
