// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/load/origins.h"

#include "analysis/containers/intern.h"
#include "analysis/stacks/stacktree.h"
#include "store/load/stacks.h"
#include "trace/event/kind.h"

#define STATES            5    /* of PairState */
#define BACKINGS          4    /* of PairBacking */
#define CLASSES           2    /* of PairClass */
#define CPUS_MAX          4096 /* CPUs for which the order of events is kept */
#define TEMPORARY_CLASSES 7    /* freed within 1, 2, 4… 64 further allocations of the thread */

/* Key of an origin. */
typedef struct {
	guint64 call_site;
	guint32 stack_id; /* kernel stack id */
	guint32 bytes_req, bytes_alloc, gfp;
	guint16 cache; /* the tracer's cache id */
	guint8 order, migratetype, node, event;
	guint16 era;        /* of modules */
	guint32 user_stack; /* 0: none */
} OriginFields;

/*
 * The same for comparison. It is assembled as words, because it is read as words: a load of a word
 * after stores of its parts stalls. For the same reason the parts are in another order than in an
 * event: otherwise the compiler would load them as one word.
 */
typedef struct {
	guint64 words[5]; /* the last one is used only with user stacks */
} OriginKey;

static inline OriginKey pack(const OriginFields *f)
{
	return (OriginKey){ {
		f->call_site,
		f->stack_id | (guint64)f->bytes_req << 32,
		f->bytes_alloc | (guint64)f->gfp << 32,
		f->cache | (guint64)f->migratetype << 16 | (guint64)f->order << 24 |
			(guint64)f->node << 32 | (guint64)f->event << 40 | (guint64)f->era << 48,
		f->user_stack,
	} };
}

static OriginFields unpack(const OriginKey *key)
{
	const guint64 *words = key->words;

	return (OriginFields){
		.call_site = words[0],
		.stack_id = words[1],
		.bytes_req = words[1] >> 32,
		.bytes_alloc = words[2],
		.gfp = words[2] >> 32,
		.cache = words[3],
		.order = words[3] >> 24,
		.migratetype = words[3] >> 16,
		.node = words[3] >> 32,
		.event = words[3] >> 40,
		.era = words[3] >> 48,
	};
}

typedef struct {
	guint32 call_site; /* frame; 0: unknown */
	guint32 caller;
	guint32 stack; /* in the tree */
	guint32 cache;
	PairBacking backing; /* by the stack */
	gboolean unused;     /* of frees: pages that were allocated without an event */
	guint64 moves;
	guint64 lifetimes[STATES][BACKINGS];
	guint64 pages_freed[BACKINGS];          /* of live allocations */
	guint32 temporaries[TEMPORARY_CLASSES]; /* by class, without those of lower classes */
	guint64 unmatched[CLASSES];
	guint64 unmatched_pages[CLASSES];
} Origin;

/* The previous event of a CPU. */
typedef struct {
	guint64 call_site; /* if it freed a slab object or large kmalloc; else 0 */
	guint64 time_ns;
	guint32 tid;
} Before;

struct Origins {
	Frames *frames;
	Caches *caches;
	guint64 page_size; /* bytes */
	StackTree *tree;
	Stacks *stacks; /* kernel stacks in the tree */
	const ModuleTimes *times;
	UserStacks *user_stacks; /* NULL: none */
	gboolean is_by_bpf;      /* BPF programs recorded the events */
	GArray *before;          /* of Before, by CPU */
	Intern *keys;            /* of OriginKey; with eras, of our frames and stacks */
	GArray *origins;         /* of Origin, by number - 1 */
	/* Only if there are eras of modules, else NULL: */
	Intern *era_keys; /* of OriginKey, as in events */
	GArray *same;     /* of guint32: their origins, by number - 1 */
};

Origins *origins_new(Frames *frames, Caches *caches, const ModuleTimes *times, guint64 page_size)
{
	Origins *origins = g_new0(Origins, 1);

	origins->frames = frames;
	origins->caches = caches;
	origins->page_size = page_size;
	origins->tree = stacktree_new();
	origins->stacks = stacks_new(frames, origins->tree, moduletimes_eras(times));
	origins->times = times;
	origins->keys = intern_new(sizeof(OriginKey) - sizeof(guint64));
	origins->before = g_array_new(FALSE, TRUE, sizeof(Before));
	origins->origins = g_array_new(FALSE, TRUE, sizeof(Origin));
	if (moduletimes_eras(times) > 1) {
		origins->era_keys = intern_new(sizeof(OriginKey));
		origins->same = g_array_new(FALSE, FALSE, sizeof(guint32));
	}
	return origins;
}

void origins_free(Origins *origins)
{
	if (!origins)
		return;
	g_array_unref(origins->origins);
	g_array_unref(origins->before);
	intern_free(origins->keys);
	g_clear_pointer(&origins->era_keys, intern_free);
	g_clear_pointer(&origins->same, g_array_unref);
	stacks_free(origins->stacks);
	stacktree_free(origins->tree);
	g_free(origins);
}

void origins_set_user_stacks(Origins *origins, UserStacks *stacks)
{
	origins->user_stacks = stacks;
	intern_free(origins->keys);
	origins->keys = intern_new(sizeof(OriginKey));
}

void origins_set_by_bpf(Origins *origins, gboolean is_by_bpf)
{
	origins->is_by_bpf = is_by_bpf;
}

void origins_add_stack(Origins *origins, guint32 id, const guint64 *addrs, guint depth)
{
	stacks_add(origins->stacks, id, addrs, depth);
}

guint origins_missing_stacks(const Origins *origins)
{
	return stacks_missing(origins->stacks);
}

/* ---- data from an origin's stack ---- */

/* Returns the node of @frame in the stack, or its innermost node if it is not there. */
static guint32 node_of_frame(const Origins *origins, guint32 stack, guint32 frame)
{
	for (guint32 node = stack; node; node = stacktree_node(origins->tree, node).parent) {
		if (stacktree_node(origins->tree, node).frame == frame)
			return node;
	}
	return stack;
}

static gboolean is_allocator(const Origins *origins, guint32 frame, gboolean of_pages)
{
	return of_pages ? frames_is_page_allocator(origins->frames, frame)
			: frames_is_allocator(origins->frames, frame);
}

/*
 * Returns whether the node's frame is between an allocator and its caller. @called: the frame that
 * it called; 0: none. A frame without a name that an allocator called is a trampoline that BPF put
 * there when tracing began. Since 6.19, functions jump to it for their ends, so that their callers
 * seem to have called it.
 */
static gboolean is_in_allocator(const Origins *origins, guint32 node, guint32 called,
				gboolean of_pages)
{
	guint32 frame = stacktree_node(origins->tree, node).frame;
	guint32 parent = stacktree_node(origins->tree, node).parent;

	if (is_allocator(origins, frame, of_pages))
		return TRUE;
	if (!frames_has_name(origins->frames, frame)) {
		if (origins->is_by_bpf && called && frames_has_bpf_exit(origins->frames, called))
			return TRUE;
		if (parent)
			frame = stacktree_node(origins->tree, parent).frame;
	}
	return is_allocator(origins, frame, of_pages);
}

/* A walk outwards from @node: over the allocators' frames, and the first frame after them. */
typedef struct {
	guint32 node;
	guint32 called;     /* the previous frame; 0: none */
	gboolean of_pages;  /* for an event of pages */
	gboolean is_behind; /* the last frame was not an allocator's */
} Walk;

/* Returns the next frame; 0: there is none. */
static guint32 walk_next(const Origins *origins, Walk *walk)
{
	guint32 node = walk->node;

	if (!node || walk->is_behind)
		return 0;
	walk->is_behind = !is_in_allocator(origins, node, walk->called, walk->of_pages);
	walk->node = stacktree_node(origins->tree, node).parent;
	walk->called = stacktree_node(origins->tree, node).frame;
	return walk->called;
}

/*
 * Returns the first frame, from the call site outwards, that is not an allocator's. A call site
 * that another tracer replaced is unknown, if the stack does not have it, too.
 */
static guint32 find_caller(const Origins *origins, guint32 call_site, guint32 stack,
			   gboolean of_pages)
{
	Walk walk = { .node = node_of_frame(origins, stack, call_site), .of_pages = of_pages };
	gboolean is_replaced = call_site && frames_replaces_returns(origins->frames, call_site) &&
			       stack && stacktree_node(origins->tree, walk.node).frame != call_site;
	guint32 frame;

	if (call_site && !is_replaced && !is_allocator(origins, call_site, of_pages))
		return call_site;
	while ((frame = walk_next(origins, &walk)) && !frames_is_cut(origins->frames, frame)) {
		if (walk.is_behind)
			return frame;
	}
	return call_site;
}

/*
 * Finds the backing by the allocators' frames alone: further out may be a slab that waits for
 * reclaim.
 */
static PairBacking find_backing(const Origins *origins, guint32 call_site, guint32 stack)
{
	Walk walk = { .node = stack, .of_pages = TRUE };
	PairBacking backing = PAIR_BACKING_NONE;
	guint32 frame;

	if (call_site)
		backing = frames_backing(origins->frames, call_site);
	while (!backing && (frame = walk_next(origins, &walk)))
		backing = frames_backing(origins->frames, frame);
	return backing;
}

/*
 * Returns whether a function that allocates pages without an event called the allocators, or is
 * one.
 */
static gboolean has_page_taker(const Origins *origins, guint32 call_site, guint32 stack)
{
	Walk walk = { .node = node_of_frame(origins, stack, call_site), .of_pages = TRUE };
	gboolean found = call_site && frames_is_page_taker(origins->frames, call_site);
	guint32 frame;

	while (!found && (frame = walk_next(origins, &walk)))
		found = frames_is_page_taker(origins->frames, frame);
	return found;
}

static gboolean is_free_of(guint event, enum trace_kind kind)
{
	return trace_event_action(event) == TRACE_FREE && trace_event_kind(event) == kind;
}

static gboolean is_page_event(guint event)
{
	return trace_event_kind(event) == TRACE_PAGE && trace_event_action(event) != TRACE_MIGRATE;
}

static void describe(Origins *origins, const struct trace_event *event, guint32 call_site,
		     guint32 stack)
{
	Origin origin = { .call_site = call_site, .stack = stack };
	gboolean of_pages = is_page_event(event->event);

	origin.caller = find_caller(origins, call_site, stack, of_pages);
	if (of_pages)
		origin.backing = find_backing(origins, call_site, stack);
	else
		origin.cache = caches_of(origins->caches, event);
	if (is_free_of(event->event, TRACE_PAGE) || is_free_of(event->event, TRACE_VMALLOC))
		origin.unused = has_page_taker(origins, call_site, stack);
	g_array_append_val(origins->origins, origin);
}

static guint32 add_key(Origins *origins, const OriginKey *key, const struct trace_event *event,
		       guint era)
{
	gboolean added;
	guint32 id = intern_add(origins->keys, key, &added);

	if (added)
		describe(origins, event, frames_add(origins->frames, event->call_site, era, NULL),
			 stacks_get(origins->stacks, event->stack_id, era));
	return id;
}

/* Merges keys of several eras with the same meaning into one origin. */
static guint32 add_era_key(Origins *origins, OriginFields fields, const struct trace_event *event)
{
	guint era = moduletimes_era(origins->times, event->time_ns);
	OriginKey key;
	gboolean added;
	guint32 id;

	fields.era = era;
	key = pack(&fields);
	id = intern_add(origins->era_keys, &key, &added);
	if (!added)
		return g_array_index(origins->same, guint32, id - 1);
	fields.call_site = frames_add(origins->frames, event->call_site, era, NULL);
	fields.stack_id = stacks_get(origins->stacks, event->stack_id, era);
	fields.era = 0;
	key = pack(&fields);
	id = add_key(origins, &key, event, era);
	g_array_append_val(origins->same, id);
	return id;
}

static OriginFields fields_of(const struct trace_event *event)
{
	OriginFields fields = {
		.call_site = event->call_site,
		.stack_id = event->stack_id,
		.bytes_req = event->bytes_req,
		.bytes_alloc = event->bytes_alloc,
		.gfp = event->gfp,
		.cache = event->cache,
		.order = event->order,
		.migratetype = event->migratetype,
		.node = event->node,
		.event = event->event,
	};

	/* The destination of a migration is not part of its origin. */
	if (trace_event_action(event->event) == TRACE_MIGRATE)
		fields.bytes_req = fields.bytes_alloc = fields.gfp = 0;
	return fields;
}

guint32 origins_of(Origins *origins, const struct trace_event *event)
{
	OriginFields fields = fields_of(event);
	OriginKey key;

	if (event->user_stack_id && origins->user_stacks)
		fields.user_stack = userstacks_of(origins->user_stacks, event);
	if (origins->era_keys)
		return add_era_key(origins, fields, event);
	key = pack(&fields);
	return add_key(origins, &key, event, 0);
}

guint32 origins_prefetch(const Origins *origins, const struct trace_event *event)
{
	OriginFields fields = fields_of(event);
	OriginKey key = pack(&fields);

	return intern_prefetch(origins->keys, &key);
}

void origins_prefetch_row(const Origins *origins, guint32 number)
{
	guint32 id = intern_guess(origins->keys, number);

	if (id)
		__builtin_prefetch(&g_array_index(origins->origins, Origin, id - 1), 1);
}

static Origin *get(const Origins *origins, guint32 id)
{
	return &g_array_index(origins->origins, Origin, id - 1);
}

guint32 origins_resized(Origins *origins, guint32 origin, guint32 bytes_req)
{
	gsize len = sizeof(OriginKey) - (origins->user_stacks ? 0 : sizeof(guint64));
	OriginKey key = { { 0 } };
	gboolean added;
	guint32 id;

	memcpy(&key, intern_key(origins->keys, origin), len);
	key.words[1] = (key.words[1] & G_MAXUINT32) | (guint64)bytes_req << 32;
	id = intern_add(origins->keys, &key, &added);
	if (added) {
		const Origin *old = get(origins, origin);
		Origin resized = {
			.call_site = old->call_site,
			.caller = old->caller,
			.stack = old->stack,
			.cache = old->cache,
			.backing = old->backing,
		};

		g_array_append_val(origins->origins, resized);
	}
	return id;
}

PairBacking origins_backing(const Origins *origins, guint32 origin)
{
	return get(origins, origin)->backing;
}

gboolean origins_is_unused(const Origins *origins, guint32 origin)
{
	return get(origins, origin)->unused;
}

/*
 * If kfree() ends in a tail call of the function that frees the slab, neither of them is on the
 * stack. But the previous event is the object's free, from the same call.
 */
static gboolean is_of_call(const Origins *origins, const Origin *origin, const Before *before)
{
	guint era = moduletimes_era(origins->times, before->time_ns);

	return !origin->backing && origin->caller &&
	       frames_add(origins->frames, before->call_site, era, NULL) == origin->caller;
}

void origins_note_order(Origins *origins, const struct trace_event *event, guint32 id)
{
	Before *before;

	if (event->cpu >= CPUS_MAX)
		return;
	if (event->cpu >= origins->before->len)
		g_array_set_size(origins->before, event->cpu + 1);
	before = &g_array_index(origins->before, Before, event->cpu);
	if (is_free_of(event->event, TRACE_PAGE) && before->call_site &&
	    before->tid == event->tid) {
		Origin *origin = get(origins, id ? id : origins_of(origins, event));

		if (is_of_call(origins, origin, before))
			origin->backing = PAIR_BACKING_SLAB;
	}
	*before = (Before){
		.call_site = is_free_of(event->event, TRACE_SLAB) ? event->call_site : 0,
		.time_ns = event->time_ns,
		.tid = event->tid,
	};
}

/* ---- totals ---- */

void origins_count_lifetime(Origins *origins, const PairLifetime *lifetime)
{
	Origin *origin = get(origins, lifetime->origin);

	origin->lifetimes[lifetime->state][lifetime->backing]++;
	origin->pages_freed[lifetime->backing] += lifetime->pages_freed;
}

void origins_count_temporaries(Origins *origins, guint32 origin, guint32 temporaries)
{
	guint class = temporaries ? g_bit_storage(temporaries) : 0;

	if (class < TEMPORARY_CLASSES)
		get(origins, origin)->temporaries[class]++;
}

void origins_count_unmatched(Origins *origins, guint32 origin, PairClass class, guint64 pages)
{
	get(origins, origin)->unmatched[class]++;
	get(origins, origin)->unmatched_pages[class] += pages;
}

void origins_uncount_unmatched(Origins *origins, guint32 origin, PairClass class, guint64 pages)
{
	get(origins, origin)->unmatched[class]--;
	get(origins, origin)->unmatched_pages[class] -= pages;
}

void origins_count_move(Origins *origins, guint32 origin)
{
	get(origins, origin)->moves++;
}

/* ---- writing ---- */

static gint64 or_null(gint64 value)
{
	return value ? value : DB_NULL;
}

static gint64 node_or_null(guint8 node)
{
	return node == KMEMTRACE_NODE_ANY ? DB_NULL : node;
}

/* Page frees have no migratetype. */
static gint64 migratetype_or_null(const OriginFields *key)
{
	if (!trace_event_has_order(key->event) || is_free_of(key->event, TRACE_PAGE))
		return DB_NULL;
	return key->migratetype == 0xff ? DB_NULL : key->migratetype;
}

/* The tracepoint of failed per-CPU allocations has no gfp flags. */
static gboolean has_gfp(const OriginFields *key)
{
	return trace_event_tells(key->event, TRACE_FIELD_GFP) ||
	       (trace_event_tells(key->event, TRACE_FIELD_GFP_IF_DONE) && key->bytes_alloc);
}

static guint32 user_stack_of(const Origins *origins, guint32 id)
{
	const OriginKey *key = intern_key(origins->keys, id);

	return key->words[G_N_ELEMENTS(key->words) - 1];
}

static void write_origin(const Origins *origins, guint32 id, Insert *insert)
{
	const OriginFields fields = unpack(intern_key(origins->keys, id)), *key = &fields;
	const Origin *origin = get(origins, id);
	gboolean alloc = trace_event_action(key->event) == TRACE_ALLOC;
	gboolean sized = alloc || is_page_event(key->event);
	gint64 values[] = {
		id,
		key->event,
		or_null(origin->call_site),
		or_null(origin->caller),
		or_null(origin->stack),
		or_null(origin->cache),
		sized ? key->bytes_req : DB_NULL,
		sized ? key->bytes_alloc : DB_NULL,
		alloc && has_gfp(key) ? key->gfp : DB_NULL,
		trace_event_has_order(key->event) ? key->order : DB_NULL,
		migratetype_or_null(key),
		node_or_null(key->node),
		origins->user_stacks ? or_null(user_stack_of(origins, id)) : DB_NULL,
	};

	insert_ints(insert, values, G_N_ELEMENTS(values));
}

static void write_totals(const Origins *origins, guint32 id, Insert *insert)
{
	const Origin *origin = get(origins, id);

	for (int i = 0; i < STATES * BACKINGS; i++) {
		guint state = i / BACKINGS, backing = i % BACKINGS;
		gint64 values[] = {
			id,
			state,
			backing,
			origin->lifetimes[state][backing],
			state == PAIR_LIVE ? origin->pages_freed[backing] : 0,
		};

		if (origin->lifetimes[state][backing])
			insert_ints(insert, values, G_N_ELEMENTS(values));
	}
}

/* Writes sums by event and caller, as they are queried: there are fewer of these than origins. */
static void write_temporaries(const Origins *origins, Insert *insert)
{
	g_autoptr(Intern) keys = intern_new(sizeof(guint64));
	g_autoptr(GArray) sums = g_array_new(FALSE, TRUE, TEMPORARY_CLASSES * sizeof(guint64));

	for (guint32 i = 1; i <= origins->origins->len; i++) {
		const OriginFields fields = unpack(intern_key(origins->keys, i));
		guint64 key = (guint64)fields.event << 32 | get(origins, i)->caller;
		guint32 id = intern_add(keys, &key, NULL);
		guint64 *sum;

		g_array_set_size(sums, MAX(sums->len, id));
		sum = (guint64 *)(gpointer)sums->data + (id - 1) * TEMPORARY_CLASSES;
		for (guint class = 0; class < TEMPORARY_CLASSES; class ++)
			sum[class] += get(origins, i)->temporaries[class];
	}
	for (guint i = 0; i < sums->len * TEMPORARY_CLASSES; i++) {
		guint64 key = *(const guint64 *)intern_key(keys, i / TEMPORARY_CLASSES + 1);
		gint64 values[] = {
			key >> 32,
			or_null(key & G_MAXUINT32),
			1 << i % TEMPORARY_CLASSES,
			((const guint64 *)(gpointer)sums->data)[i],
		};

		if (values[3])
			insert_ints(insert, values, G_N_ELEMENTS(values));
	}
}

static void write_origin_temporaries(const Origins *origins, guint32 id, Insert *insert)
{
	const Origin *origin = get(origins, id);

	for (guint class = 0; class < TEMPORARY_CLASSES; class ++) {
		gint64 values[] = { id, 1 << class, origin->temporaries[class] };

		if (values[2])
			insert_ints(insert, values, G_N_ELEMENTS(values));
	}
}

static void write_unmatched(const Origins *origins, guint32 id, Insert *insert)
{
	static const char *const classes[CLASSES] = {
		[PAIR_BEFORE] = "before", [PAIR_UNSEEN] = "unseen"
	};
	const Origin *origin = get(origins, id);
	gint64 object_size = caches_object_size(origins->caches, origin->cache);

	for (int i = 0; i < CLASSES; i++) {
		gint64 bytes = origin->unmatched_pages[i] * origins->page_size;

		if (origin->unmatched[i])
			insert_row(insert, "isiii", (gint64)id, classes[i], (gint64)origin->backing,
				   (gint64)origin->unmatched[i],
				   bytes + object_size * (gint64)origin->unmatched[i]);
	}
}

/* Writes the data of the block, which is in the fields of sizes. */
static void write_moves(const Origins *origins, guint32 id, Insert *insert)
{
	const OriginFields fields = unpack(intern_key(origins->keys, id)), *key = &fields;
	gboolean block = trace_event_tells(key->event, TRACE_FIELD_BLOCK);
	gboolean refill = trace_event_tells(key->event, TRACE_FIELD_REFILL);
	gint64 values[] = {
		id,
		get(origins, id)->moves,
		block ? key->bytes_req : DB_NULL,
		block ? key->bytes_alloc : DB_NULL,
		refill ? key->bytes_req != 0 : DB_NULL,
	};

	if (values[1])
		insert_ints(insert, values, G_N_ELEMENTS(values));
}

static void write_stacks(const Origins *origins, Insert *insert)
{
	for (guint32 i = 1; i <= stacktree_count(origins->tree); i++) {
		StackNode node = stacktree_node(origins->tree, i);
		gint64 values[] = {
			i,
			or_null(node.parent),
			stacktree_depth(origins->tree, i),
			node.frame,
			stacktree_is_stack(origins->tree, i),
		};

		insert_ints(insert, values, G_N_ELEMENTS(values));
	}
}

/* Without a stack, only the call site and the caller are known. */
static guint keeps_site(const Origins *origins, const Origin *origin)
{
	if (!origin->call_site || frames_is_keeper_boundary(origins->frames, origin->call_site))
		return 0;
	return frames_keeps(origins->frames, origin->call_site) |
	       frames_keeps(origins->frames, origin->caller);
}

/* Writes which origins are of keepers. */
static void write_keepers(const Origins *origins, Insert *insert)
{
	guint32 count = stacktree_count(origins->tree);
	g_autofree guint8 *keeps = g_new0(guint8, (gsize)count + 1);

	for (guint32 i = 1; i <= count; i++) {
		StackNode node = stacktree_node(origins->tree, i);

		if (!frames_is_keeper_boundary(origins->frames, node.frame))
			keeps[i] = keeps[node.parent] | frames_keeps(origins->frames, node.frame);
	}
	for (guint32 i = 1; i <= origins->origins->len; i++) {
		const Origin *origin = &g_array_index(origins->origins, Origin, i - 1);
		gint64 values[] = { i, origin->stack ? keeps[origin->stack]
						     : keeps_site(origins, origin) };

		if (values[1])
			insert_ints(insert, values, G_N_ELEMENTS(values));
	}
}

void origins_write(const Origins *origins, Db *db)
{
	Insert *origin = db_insert(db, "origin"), *total = db_insert(db, "alloc_total");
	Insert *unmatched = db_insert(db, "unmatched");
	Insert *moves = db_insert(db, "page_move"), *temporaries = db_insert(db, "temporary_total");

	write_stacks(origins, db_insert(db, "stack"));
	write_temporaries(origins, db_insert(db, "temporary_count"));
	write_keepers(origins, db_insert(db, "keeper"));
	for (guint32 i = 1; i <= origins->origins->len; i++) {
		write_origin(origins, i, origin);
		write_totals(origins, i, total);
		write_unmatched(origins, i, unmatched);
		write_moves(origins, i, moves);
		write_origin_temporaries(origins, i, temporaries);
	}
}
