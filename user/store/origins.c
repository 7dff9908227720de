// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/origins.h"

#include <string.h>

#include "analysis/intern.h"

/* Keys of intern tables: no holes, and a multiple of 8 bytes. */
typedef struct {
	guint32 event, call_site, caller, stack, cache, bytes_req, bytes_alloc, gfp, order, migratetype, node, unused;
} OriginKey;

typedef struct {
	guint32 event, call_site, caller, stack;
} ReleaseKey;

typedef struct {
	guint32 event, class, slab, caller;
} UnmatchedKey;

typedef struct {
	guint32 event, caller, order, bytes_req;
} FailedKey;

typedef struct {
	guint64 count, bytes;
} Sum;

struct Origins {
	Stacks *stacks;
	Names *names;
	Intern *origins, *releases, *unmatched, *failed;
	GArray *unmatched_sums, *failed_sums;	/* Sum, number − 1 is the index */
};

Origins *origins_new(Stacks *stacks, Names *names)
{
	Origins *origins = g_new0(Origins, 1);

	origins->stacks = stacks;
	origins->names = names;
	origins->origins = intern_new(sizeof(OriginKey));
	origins->releases = intern_new(sizeof(ReleaseKey));
	origins->unmatched = intern_new(sizeof(UnmatchedKey));
	origins->failed = intern_new(sizeof(FailedKey));
	origins->unmatched_sums = g_array_new(FALSE, TRUE, sizeof(Sum));
	origins->failed_sums = g_array_new(FALSE, TRUE, sizeof(Sum));
	return origins;
}

void origins_free(Origins *origins)
{
	if (!origins)
		return;
	intern_free(origins->origins);
	intern_free(origins->releases);
	intern_free(origins->unmatched);
	intern_free(origins->failed);
	g_array_unref(origins->unmatched_sums);
	g_array_unref(origins->failed_sums);
	g_free(origins);
}

static guint32 cache_of(Origins *origins, const struct trace_event *event)
{
	if (event->event == KMEMTRACE_EVENT_CACHE_ALLOC)
		return event->cache;
	if (event->event == KMEMTRACE_EVENT_KMALLOC)
		return names_kmalloc_cache(origins->names, event->bytes_alloc, event->gfp);
	return 0;
}

guint32 origins_of_alloc(Origins *origins, const struct trace_event *event)
{
	guint32 frame = stacks_frame(origins->stacks, event->call_site);
	guint32 stack = stacks_node(origins->stacks, event->stack_id);
	gboolean page = event->event == KMEMTRACE_EVENT_PAGE_ALLOC;
	OriginKey key = {
		.event = event->event,
		.call_site = frame,
		.caller = names_caller(origins->names, frame, stack),
		.stack = stack,
		.cache = cache_of(origins, event),
		.bytes_req = event->bytes_req,
		.bytes_alloc = event->bytes_alloc,
		.gfp = event->gfp,
		.order = page ? event->order : 0,
		.migratetype = page ? event->migratetype : 0,
		.node = event->node,
	};

	return intern_add(origins->origins, &key, NULL);
}

guint32 origins_bytes(const Origins *origins, guint32 origin)
{
	return ((const OriginKey *)intern_key(origins->origins, origin))->bytes_alloc;
}

guint32 origins_of_free(Origins *origins, const struct trace_event *event)
{
	guint32 frame = stacks_frame(origins->stacks, event->call_site);
	guint32 stack = stacks_node(origins->stacks, event->stack_id);
	ReleaseKey key = {
		.event = event->event,
		.call_site = frame,
		.caller = names_caller(origins->names, frame, stack),
		.stack = stack,
	};

	return intern_add(origins->releases, &key, NULL);
}

static void add_sum(GArray *sums, guint32 number, guint64 bytes)
{
	Sum *sum;

	if (sums->len < number)
		g_array_set_size(sums, number);
	sum = &g_array_index(sums, Sum, number - 1);
	sum->count++;
	sum->bytes += bytes;
}

void origins_count_unmatched(Origins *origins, const struct trace_event *event, PairClass class,
			     guint64 bytes)
{
	guint32 stack = stacks_node(origins->stacks, event->stack_id);
	UnmatchedKey key = {
		.event = event->event,
		.class = class,
		.slab = event->event == KMEMTRACE_EVENT_PAGE_FREE && names_is_slab_stack(origins->names, stack),
		.caller = names_caller(origins->names, stacks_frame(origins->stacks, event->call_site), stack),
	};

	add_sum(origins->unmatched_sums, intern_add(origins->unmatched, &key, NULL), bytes);
}

void origins_count_failed(Origins *origins, const struct trace_event *event)
{
	guint32 stack = stacks_node(origins->stacks, event->stack_id);
	FailedKey key = {
		.event = event->event,
		.caller = names_caller(origins->names, stacks_frame(origins->stacks, event->call_site), stack),
		.order = event->event == KMEMTRACE_EVENT_PAGE_ALLOC ? event->order : 0,
		.bytes_req = event->bytes_req,
	};

	add_sum(origins->failed_sums, intern_add(origins->failed, &key, NULL), event->bytes_req);
}

static gint64 or_null(guint32 value, guint32 none)
{
	return value == none ? G_MININT64 : (gint64)value;
}

static void store_origins(Origins *origins, StoreWriter *writer)
{
	for (guint32 i = 1; i <= intern_count(origins->origins); i++) {
		const OriginKey *key = intern_key(origins->origins, i);
		gboolean page = key->event == KMEMTRACE_EVENT_PAGE_ALLOC;
		gint64 values[] = {
			i, key->event, or_null(key->call_site, 0), or_null(key->caller, 0),
			or_null(key->stack, 0), or_null(key->cache, 0), key->bytes_req, key->bytes_alloc,
			key->gfp, page ? (gint64)key->order : G_MININT64,
			page ? (gint64)key->migratetype : G_MININT64,
			or_null(key->node, KMEMTRACE_NODE_ANY),
		};

		store_writer_ints(writer, STORE_INSERT_ORIGIN, values, G_N_ELEMENTS(values));
	}
}

static void store_releases(Origins *origins, StoreWriter *writer)
{
	for (guint32 i = 1; i <= intern_count(origins->releases); i++) {
		const ReleaseKey *key = intern_key(origins->releases, i);
		gint64 values[] = { i, key->event, or_null(key->call_site, 0), or_null(key->caller, 0),
				    or_null(key->stack, 0) };

		store_writer_ints(writer, STORE_INSERT_RELEASE, values, G_N_ELEMENTS(values));
	}
}

static void store_sums(Origins *origins, StoreWriter *writer)
{
	for (guint32 i = 1; i <= intern_count(origins->unmatched); i++) {
		const UnmatchedKey *key = intern_key(origins->unmatched, i);
		const Sum *sum = &g_array_index(origins->unmatched_sums, Sum, i - 1);
		gint64 values[] = { key->event, key->class, key->slab, or_null(key->caller, 0), sum->count,
				    sum->bytes };

		store_writer_ints(writer, STORE_INSERT_UNMATCHED, values, G_N_ELEMENTS(values));
	}
	for (guint32 i = 1; i <= intern_count(origins->failed); i++) {
		const FailedKey *key = intern_key(origins->failed, i);
		const Sum *sum = &g_array_index(origins->failed_sums, Sum, i - 1);
		gint64 values[] = { key->event, or_null(key->caller, 0),
				    key->event == KMEMTRACE_EVENT_PAGE_ALLOC ? (gint64)key->order : G_MININT64,
				    key->bytes_req, sum->count };

		store_writer_ints(writer, STORE_INSERT_FAILED, values, G_N_ELEMENTS(values));
	}
}

void origins_store(Origins *origins, StoreWriter *writer)
{
	store_origins(origins, writer);
	store_releases(origins, writer);
	store_sums(origins, writer);
}
