// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open allocations are records in a pool. A slab object is found by its address, a page allocation
 * through the owner of each frame. Per-CPU memory and areas of vmalloc space have address maps of
 * their own, separate from slabs and pages.
 *
 * Cases that do not match one to one:
 *
 * - An allocation at the address of a live one: the live one was freed unseen, at the latest now.
 * - Pages freed at another order, or in parts: an allocation ends when no page of it is left.
 * - A large kmalloc is a page allocation and a kmalloc: the pages are marked, so it counts once.
 * - Some kernels report a large kmalloc twice: the second event is not an allocation.
 * - The kernel migrates pages (compaction, NUMA balancing, mbind): the allocation moves to the
 *   destination with all its data. The destination's own allocation, made only for the migration,
 *   moves to the source, and ends when the source is freed. Compaction allocates no destination:
 *   then the source has no owner, and the free that follows belongs to no allocation.
 * - Allocations of pages that are migrated out of the sample end there, unseen. Pages that are
 *   migrated into the sample have no owner, and their free is expected.
 * - Pages of slabs are marked, by their stack or by an object in them, so that they count once.
 * - Objects in pages that are freed were freed before, on a path without events: unseen, too. So
 *   each page allocation has a list of its objects.
 * - kfree_rcu() defers the free to another context: from then on the object is being freed, and
 *   the caller of kfree_rcu() is its freeing task. The free event that follows ends it; without
 *   one, it ends at kfree_rcu().
 * - krealloc() in place: the same object with a new size. Its lifetime has the last size.
 * - The free that follows kfree_rcu() of an unknown object is not a second unmatched free.
 *
 * - Pages that cannot be charged to a cgroup are freed first, and then reported as a failed
 *   allocation. Only allocations with __GFP_ACCOUNT are charged. The free belongs to the failed
 *   allocation if it is the thread's last event before it, and of the same order.
 * - If no area of vmalloc space is free, the kernel purges lazily freed areas and tries again, and
 *   reports both. The first try is not a failed allocation.
 * - A free on another CPU may come a little before its allocation: see earlyfrees.h. If an address
 *   is allocated again a little before its free, this looks the same as an unseen free.
 *
 * Numbers in records are places in the pool; 0 is none. Place 1 is never allocated: it marks frames
 * whose free is expected and belongs to no allocation. Fields of both may be written, but are never
 * read.
 */
#include "analysis/pairing/pair.h"

#include "analysis/containers/addrmap.h"
#include "analysis/pairing/earlyfrees.h"
#include "analysis/pairing/pagemap.h"
#include "analysis/pairing/rcufrees.h"
#include "base/compare.h"
#include "base/seed.h"
#include "trace/event/kind.h"

#define NULL_POINTERS_END 17   /* NULL and ZERO_SIZE_PTR lie below */
#define UNDONE_SLOTS      4096 /* threads whose last free is kept, by the low bits of their ids */
/*
 * The free and the failure are some hundred nanoseconds apart. The limit also allows for a thread,
 * or a virtual CPU, that is preempted in between.
 */
#define UNDONE_NS         1000000000
#define PLACE_EXPECTED    1U /* frames that a migration left, or moved into the sample */
#define PLACE_FIRST       2U
#define SLUB_OBJECT_PAGES 2 /* no slab object is larger: a kmalloc above has its own pages */

typedef struct {
	guint64 addr;
	guint64 time_ns;
	guint32 origin, task, cpu, alloc_seq;
	union {
		guint32 block;     /* objects: their page allocation */
		guint32 last_move; /* pages: the last event that moved some of them */
	};
	guint32 next; /* objects of one block; also chains unused records */
	union {
		guint32 prev;  /* objects of one block */
		guint32 moves; /* pages: events that moved some of them */
	};
	union {
		guint32 first; /* pages: the first object in them */
		guint32 rcu;   /* others: place of their kfree_rcu(); 0: not called */
	};
	guint32 pages_left; /* pages: not freed yet */
	guint32 pieces;     /* events that freed a part */
	guint32 last_event; /* pages: the last of these events, so that each counts once */
	guint8 event, context, order, backing;
	guint8 open;       /* 0: the record is unused */
	guint8 early;      /* an early free may be its free */
	guint8 overlapped; /* pages: some have a new owner without a free event */
} Open;

/* A free of pages without an owner, the last event of its thread. */
typedef struct {
	struct trace_event event; /* KMEMTRACE_EVENT_NONE in its event: none */
	PairEvent paired;         /* its event pointer is stale: use @event */
	guint64 pages;
} LastFree;

/* A failed allocation of vmalloc space that its thread may try again. */
typedef struct {
	struct trace_event event;
	PairEvent paired; /* its event pointer is stale: use @event */
} FailedArea;

struct Pair {
	PairSink sink;
	void (*backed)(gpointer data, guint32 origin); /* NULL: not wanted */
	guint32 (*resized)(gpointer data, guint32 origin, const PairEvent *event); /* or NULL */
	PairStats stats;
	guint page_shift;
	guint64 linear_base;  /* 0: unknown */
	guint32 account_bits; /* __GFP_ACCOUNT; 0: unknown */
	AddrMap *objects;     /* address to place in pool */
	AddrMap *percpu;      /* per-CPU pointer to place in pool */
	AddrMap *areas;       /* address in vmalloc space to place in pool */
	AddrMap *rcu_unknown; /* addresses passed to kfree_rcu() without a known allocation */
	PageMap *pages;       /* frame to place in pool */
	RcuFrees *rcu_frees;
	EarlyFrees *early_frees;
	LastFree *last_frees;     /* UNDONE_SLOTS */
	GHashTable *failed_areas; /* tid to FailedArea */
	Open *pool;
	guint32 pool_len; /* records in use or unused, with places 0 and 1 */
	guint32 pool_room;
	guint32 unused; /* first of the unused records */
	guint32 live;
	guint32 event_nr; /* number of the event; may wrap */
};

/* State while pages change their owner. */
typedef struct {
	Pair *pair;
	const PairEvent *event;
	gboolean is_free;
	guint64 nobodys;  /* pages without an owner */
	gboolean matched; /* some pages had an owner */
} Transfer;

/* State while pages are migrated: the next frame of each side. */
typedef struct {
	Pair *pair;
	const PairEvent *event;
	guint64 source, target;
} Move;

Pair *pair_new(guint page_shift, guint64 linear_base, const PairSink *sink)
{
	Pair *pair = g_new0(Pair, 1);

	pair->sink = *sink;
	pair->page_shift = page_shift;
	pair->linear_base = linear_base;
	pair->objects = addrmap_new();
	pair->percpu = addrmap_new();
	pair->areas = addrmap_new();
	pair->rcu_unknown = addrmap_new();
	pair->rcu_frees = rcufrees_new();
	pair->early_frees = earlyfrees_new();
	pair->last_frees = g_new0(LastFree, UNDONE_SLOTS);
	pair->failed_areas = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	pair->pages = pagemap_new();
	pair->pool_room = 1024;
	pair->pool = g_new0(Open, pair->pool_room);
	pair->pool_len = PLACE_FIRST;
	return pair;
}

void pair_set_backed(Pair *pair, void (*backed)(gpointer data, guint32 origin))
{
	pair->backed = backed;
}

void pair_set_resized(Pair *pair,
		      guint32 (*resized)(gpointer data, guint32 origin, const PairEvent *event))
{
	pair->resized = resized;
}

void pair_set_account(Pair *pair, guint32 bits)
{
	pair->account_bits = bits;
}

void pair_free(Pair *pair)
{
	if (!pair)
		return;
	addrmap_free(pair->objects);
	addrmap_free(pair->percpu);
	addrmap_free(pair->areas);
	addrmap_free(pair->rcu_unknown);
	rcufrees_free(pair->rcu_frees);
	earlyfrees_free(pair->early_frees);
	g_free(pair->last_frees);
	g_hash_table_unref(pair->failed_areas);
	pagemap_free(pair->pages);
	g_free(pair->pool);
	g_free(pair);
}

guint64 pair_live(const Pair *pair)
{
	return pair->live;
}

const PairStats *pair_stats(const Pair *pair)
{
	return &pair->stats;
}

/* ---- the pool ---- */

static guint32 pool_take(Pair *pair)
{
	guint32 place = pair->unused;

	if (place) {
		pair->unused = pair->pool[place].next;
	} else {
		if (pair->pool_len == pair->pool_room) {
			g_assert(pair->pool_room < G_MAXUINT32 / 2);
			pair->pool_room *= 2;
			pair->pool = g_renew(Open, pair->pool, pair->pool_room);
		}
		place = pair->pool_len++;
	}
	if (++pair->live > pair->stats.peak_live)
		pair->stats.peak_live = pair->live;
	return place;
}

static void pool_give(Pair *pair, guint32 place)
{
	pair->pool[place].open = 0;
	pair->pool[place].next = pair->unused;
	pair->unused = place;
	pair->live--;
}

static guint32 open_alloc(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	guint32 place = pool_take(pair);

	pair->stats.allocs++;
	pair->pool[place] = (Open){
		.addr = e->addr,
		.time_ns = e->time_ns,
		.origin = event->origin,
		.task = event->task,
		.cpu = e->cpu,
		.alloc_seq = event->alloc_seq,
		.event = e->event,
		.context = e->context,
		.open = 1,
	};
	return place;
}

/* ---- lifetimes ---- */

static gboolean is_page(const Open *open)
{
	return trace_event_kind(open->event) == TRACE_PAGE;
}

static PairEnd end_of(const PairEvent *event)
{
	return (PairEnd){
		.origin = event->origin,
		.task = event->task,
		.cpu = event->event->cpu,
		.context = event->event->context,
	};
}

/* Returns the lifetime without its end. */
static PairLifetime lifetime_of(const Open *open, PairState state)
{
	return (PairLifetime){
		.addr = open->addr,
		.time_ns = open->time_ns,
		.origin = open->origin,
		.task = open->task,
		.cpu = open->cpu,
		.pieces = open->pieces,
		.pages_freed = state == PAIR_LIVE && is_page(open)
				       ? (1U << open->order) - open->pages_left
				       : 0,
		.moves = is_page(open) ? open->moves : 0,
		.alloc_seq = open->alloc_seq,
		.event = open->event,
		.context = open->context,
		.state = state,
		.backing = open->backing,
	};
}

static void emit(Pair *pair, const Open *open, PairState state, guint64 end_ns, const PairEnd *end)
{
	PairLifetime lifetime = lifetime_of(open, state);

	lifetime.end_ns = end_ns;
	lifetime.end = end;
	pair->stats.free_unseen += state == PAIR_FREE_UNSEEN;
	pair->stats.freed_rcu += state == PAIR_FREED_RCU;
	pair->stats.freeing += state == PAIR_FREEING;
	pair->sink.lifetime(pair->sink.data, &lifetime);
}

static void link_object(Pair *pair, guint32 place, guint32 block)
{
	guint32 next = pair->pool[block].first;

	pair->pool[place].block = block;
	pair->pool[place].next = next;
	pair->pool[next].prev = place;
	pair->pool[block].first = place;
}

static void unlink_object(Pair *pair, const Open *object)
{
	if (object->prev)
		pair->pool[object->prev].next = object->next;
	else
		pair->pool[object->block].first = object->next;
	pair->pool[object->next].prev = object->prev;
}

static void emit_freed(Pair *pair, const Open *open, const PairEvent *end)
{
	PairEnd who = end_of(end);

	emit(pair, open, PAIR_FREED, end->event->time_ns, &who);
}

/*
 * Reports the lifetime of an object passed to kfree_rcu(). @seen: whether the free that follows
 * kfree_rcu() has an event.
 */
static void emit_rcu(Pair *pair, const Open *open, guint64 end_ns, gboolean seen)
{
	RcuFree rcu = rcufrees_take(pair->rcu_frees, open->rcu);

	emit(pair, open, seen ? PAIR_FREED : PAIR_FREED_RCU, seen ? end_ns : rcu.time_ns, &rcu.end);
}

/* ---- frees that come before their allocation ---- */

static void report_unmatched(Pair *pair, const PairEvent *event, PairClass class, guint64 pages)
{
	pair->sink.unmatched(pair->sink.data, event, class, pages);
	earlyfrees_add(pair->early_frees, event, class, pages);
}

/* Looks for an early free of a new allocation. */
static void claim_early(Pair *pair, guint32 place, const PairEvent *event)
{
	pair->pool[place].early = earlyfrees_claim(pair->early_frees, event->event, place);
}

/* Drops the early free: a later event shows that the allocation was still live. */
static void disclaim_early(Pair *pair, guint32 place)
{
	if (pair->pool[place].early)
		earlyfrees_take(pair->early_frees, place);
	pair->pool[place].early = 0;
}

static LastFree *last_free_of(const Pair *pair, const struct trace_event *event)
{
	return &pair->last_frees[(event->tid ? event->tid : event->cpu) % UNDONE_SLOTS];
}

/* Ends an allocation without another free by its early free. */
static void emit_early(Pair *pair, guint32 place)
{
	EarlyFree early = earlyfrees_take(pair->early_frees, place);
	LastFree *last = last_free_of(pair, &early.event);
	Open *open = &pair->pool[place];
	PairEnd who;

	if (earlyfrees_is(&early, &last->event))
		last->event.event = KMEMTRACE_EVENT_NONE;
	early.paired.event = &early.event;
	who = end_of(&early.paired);
	open->pieces = 1;
	emit(pair, open, PAIR_FREED, open->time_ns, &who);
	pair->stats.early++;
	pair->stats.matched++;
	pair->stats.unmatched--;
	pair->sink.matched_late(pair->sink.data, &early.paired, early.class, early.pages);
}

/*
 * Ends an allocation other than pages. @end is NULL for an unseen free. The caller removes the
 * address from its map.
 */
static void close_object(Pair *pair, guint32 place, guint64 end_ns, const PairEvent *end)
{
	Open *open = &pair->pool[place];

	if (end)
		disclaim_early(pair, place);
	open->pieces = end || open->rcu;
	if (open->early)
		emit_early(pair, place);
	else if (open->rcu)
		emit_rcu(pair, open, end_ns, end != NULL);
	else if (end)
		emit_freed(pair, open, end);
	else
		emit(pair, open, PAIR_FREE_UNSEEN, end_ns, NULL);
	unlink_object(pair, open);
	pool_give(pair, place);
}

/* Ends a page allocation without pages, and the objects in it. */
static void close_pages(Pair *pair, guint32 place, const PairEvent *end)
{
	guint64 end_ns = end->event->time_ns;
	Open *open = &pair->pool[place];

	while (open->first) {
		guint32 object = open->first;

		addrmap_take(pair->objects, pair->pool[object].addr);
		close_object(pair, object, end_ns, NULL);
	}
	if (open->early)
		emit_early(pair, place);
	else if (open->overlapped)
		emit(pair, open, PAIR_FREE_UNSEEN, end_ns, NULL);
	else
		emit_freed(pair, open, end);
	pool_give(pair, place);
}

static void fail_alloc(Pair *pair, const PairEvent *event)
{
	pair->stats.failed++;
	pair->sink.failed(pair->sink.data, event);
}

/* ---- frees of failed allocations ---- */

static void note_last_free(Pair *pair, const PairEvent *event, guint64 pages)
{
	*last_free_of(pair, event->event) =
		(LastFree){ .event = *event->event, .paired = *event, .pages = pages };
}

/*
 * Returns whether the same thread and context made both events. Each CPU has its own idle thread 0
 * and interrupts.
 */
static gboolean is_of_same_flow(const struct trace_event *last, const struct trace_event *event)
{
	return last->tid == event->tid && last->context == event->context &&
	       (last->cpu == event->cpu ||
		(event->tid && event->context == KMEMTRACE_CONTEXT_TASK));
}

/* Returns whether @event is a failed allocation whose pages were freed by @last. */
static gboolean is_undone(const Pair *pair, const struct trace_event *last,
			  const struct trace_event *event)
{
	return event->event == KMEMTRACE_EVENT_PAGE_ALLOC && !event->addr &&
	       event->order == last->order &&
	       (!pair->account_bits || event->gfp & pair->account_bits) &&
	       event->time_ns - last->time_ns <= UNDONE_NS;
}

/* Decides by a thread's next event whether its last free belonged to a failed allocation. */
static void settle_last_free(Pair *pair, const struct trace_event *event)
{
	LastFree *last = last_free_of(pair, event);

	if (last->event.event == KMEMTRACE_EVENT_NONE || !is_of_same_flow(&last->event, event))
		return;
	if (is_undone(pair, &last->event, event) &&
	    earlyfrees_forget(pair->early_frees, &last->event)) {
		last->paired.event = &last->event;
		pair->stats.undone++;
		pair->stats.unmatched--;
		pair->sink.matched_late(pair->sink.data, &last->paired, PAIR_BEFORE, last->pages);
	}
	last->event.event = KMEMTRACE_EVENT_NONE;
}

/* ---- pages ---- */

/* A PageMapTaken. */
static void pages_taken(gpointer data, guint32 owner, guint64 pages)
{
	Transfer *transfer = data;
	Pair *pair = transfer->pair;
	Open *open = &pair->pool[owner];

	if (owner == PAGEMAP_NOBODY)
		transfer->nobodys += pages;
	if (owner < PLACE_FIRST)
		return;
	transfer->matched = TRUE;
	if (transfer->is_free)
		disclaim_early(pair, owner);
	if (!transfer->is_free) {
		open->overlapped = 1;
	} else if (open->last_event != pair->event_nr || !open->pieces) {
		open->pieces++;
		open->last_event = pair->event_nr;
	}
	open->pages_left -= pages;
	if (!open->pages_left)
		close_pages(pair, owner, transfer->event);
}

static void page_alloc(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	Transfer transfer = { .pair = pair, .event = event };
	guint32 place;

	if (!e->addr) {
		fail_alloc(pair, event);
		return;
	}
	place = open_alloc(pair, event);
	if (!pagemap_set(pair->pages, e->addr, e->order, place, pages_taken, &transfer)) {
		pair->stats.allocs--;
		pair->stats.absurd_pages++;
		pool_give(pair, place);
		return;
	}
	pair->pool[place].order = e->order;
	pair->pool[place].pages_left = 1U << e->order;
	pair->pool[place].backing = event->backing;
	claim_early(pair, place, event);
}

static void page_free(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	Transfer transfer = { .pair = pair, .event = event, .is_free = TRUE };

	if (!pagemap_set(pair->pages, e->addr, e->order, PAGEMAP_NOBODY, pages_taken, &transfer)) {
		pair->stats.absurd_pages++;
		return;
	}
	if (!transfer.matched && !transfer.nobodys) {
		pair->stats.frees_moved++;
		return;
	}
	pair->stats.matched += transfer.matched;
	pair->stats.unmatched += !transfer.matched;
	if (!transfer.matched) {
		report_unmatched(pair, event, PAIR_BEFORE, transfer.nobodys);
		note_last_free(pair, event, transfer.nobodys);
	} else if (transfer.nobodys) {
		pair->sink.unmatched(pair->sink.data, event, PAIR_BEFORE, transfer.nobodys);
	}
}

/* ---- pages that the kernel migrates ---- */

/* Moves @pages frames of an allocation from @from to @to. */
static void move_owner(Pair *pair, guint32 owner, guint64 from, guint64 to, guint64 pages)
{
	Open *open = &pair->pool[owner];

	disclaim_early(pair, owner);
	if (open->addr >= from && open->addr - from < pages)
		open->addr = to + (open->addr - from);
}

/* Counts an event once for each allocation, however many frames it moves. */
static void count_move(Pair *pair, guint32 owner, guint64 pages)
{
	Open *open = &pair->pool[owner];

	if (owner < PLACE_FIRST)
		return;
	pair->stats.moved_pages += pages;
	if (open->last_move == pair->event_nr && open->moves)
		return;
	open->moves++;
	open->last_move = pair->event_nr;
}

/* Takes frames that left the sample from their owner: their later events are not recorded. */
static void lose_owner(Move *move, guint32 *owner, guint64 pages)
{
	Open *open = &move->pair->pool[*owner];

	if (*owner >= PLACE_FIRST) {
		open->overlapped = 1;
		open->pages_left -= pages;
		if (!open->pages_left) {
			move->pair->stats.moved_out++;
			close_pages(move->pair, *owner, move->event);
		}
	}
	*owner = PAGEMAP_NOBODY;
}

/* A PageMapPaired. */
static void frames_moved(gpointer data, guint32 *source, guint32 *target, guint64 pages)
{
	Move *move = data;
	guint32 outside = move->event->event->gfp, migrators = *target;

	*target = *source;
	*source = migrators == PAGEMAP_NOBODY ? PLACE_EXPECTED : migrators;
	move_owner(move->pair, *target, move->source, move->target, pages);
	move_owner(move->pair, *source, move->target, move->source, pages);
	count_move(move->pair, *target, pages);
	if (outside & KMEMTRACE_MOVE_FROM_OUTSIDE) {
		lose_owner(move, source, pages);
		if (*target == PAGEMAP_NOBODY)
			*target = PLACE_EXPECTED;
	}
	if (outside & KMEMTRACE_MOVE_TO_OUTSIDE)
		lose_owner(move, target, pages);
	move->source += pages;
	move->target += pages;
}

static void page_move(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	Move move = { pair, event, e->addr, trace_event_target(e) };

	if (pagemap_pair(pair->pages, move.source, move.target, e->order, frames_moved, &move))
		pair->stats.moves++;
	else
		pair->stats.absurd_pages++;
}

/* ---- slab objects ---- */

/* Returns the open page allocation that contains @addr; 0: none is known. */
static guint32 block_of(const Pair *pair, guint64 addr)
{
	guint32 owner;

	if (!pair->linear_base || addr < pair->linear_base)
		return 0;
	owner = pagemap_owner(pair->pages, (addr - pair->linear_base) >> pair->page_shift);
	return owner < PLACE_FIRST ? 0 : owner;
}

static guint64 block_bytes(const Pair *pair, const Open *block)
{
	return G_GUINT64_CONSTANT(1) << (block->order + pair->page_shift);
}

static guint64 block_head(const Pair *pair, const Open *block)
{
	return pair->linear_base + (block->addr << pair->page_shift);
}

static guint8 backing_for(const Pair *pair, const Open *block, const struct trace_event *object)
{
	guint64 bytes = block_bytes(pair, block);

	if (block->backing)
		return block->backing;
	if (object->bytes_alloc < bytes)
		return PAIR_BACKING_SLAB;
	if (object->addr != block_head(pair, block) || object->bytes_alloc != bytes)
		return PAIR_BACKING_NONE;
	if (object->event == KMEMTRACE_EVENT_KMALLOC &&
	    bytes >> pair->page_shift > SLUB_OBJECT_PAGES)
		return PAIR_BACKING_KMALLOC;
	return PAIR_BACKING_SLAB;
}

static void set_backing(const Pair *pair, Open *block, guint8 backing)
{
	if (!block->backing && backing && pair->backed)
		pair->backed(pair->sink.data, block->origin);
	block->backing = backing;
}

/*
 * Returns whether @event reports the large kmalloc @old again: 6.12 does if the size is not a
 * compile-time constant, in __kmalloc_large_node() and in its caller __do_kmalloc_node(). It is the
 * same kmalloc if its pages are still allocated.
 */
static gboolean is_duplicate(const Pair *pair, const Open *old, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	guint32 block = block_of(pair, e->addr);

	return block == old->block && !old->rcu &&
	       pair->pool[block].backing == PAIR_BACKING_KMALLOC &&
	       old->event == KMEMTRACE_EVENT_KMALLOC && e->event == KMEMTRACE_EVENT_KMALLOC &&
	       old->task == event->task &&
	       e->bytes_alloc == block_bytes(pair, &pair->pool[block]) &&
	       e->addr == block_head(pair, &pair->pool[block]);
}

/* Returns TRUE once for each kfree_rcu() of an unknown object at @addr. */
static gboolean take_rcu_unknown(Pair *pair, guint64 addr)
{
	return addrmap_count(pair->rcu_unknown) && addrmap_take(pair->rcu_unknown, addr);
}

/*
 * Gives an object the sequence number of its pages, if they were its thread's allocation just
 * before it and are now known as its backing: both are one allocation.
 */
static void renumber(Pair *pair, Open *object, const Open *block, guint8 backing)
{
	if (!backing || block->backing || !block->alloc_seq || block->task != object->task ||
	    block->cpu != object->cpu || block->context != object->context ||
	    object->alloc_seq != block->alloc_seq + 1)
		return;
	object->alloc_seq--;
	pair->stats.renumbered++;
}

static void object_alloc(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	guint32 place, old, block;

	if (!e->addr) {
		fail_alloc(pair, event);
		return;
	}
	if (e->addr < NULL_POINTERS_END) {
		pair->stats.null_pointers++;
		return;
	}
	old = addrmap_get(pair->objects, e->addr);
	if (old && is_duplicate(pair, &pair->pool[old], event)) {
		pair->pool[old].origin = event->origin; /* the second call site is the caller's */
		pair->stats.duplicates++;
		return;
	}
	take_rcu_unknown(pair, e->addr);
	place = open_alloc(pair, event);
	claim_early(pair, place, event);
	addrmap_put(pair->objects, e->addr, place);
	if (old)
		close_object(pair, old, e->time_ns, NULL);
	block = block_of(pair, e->addr);
	if (block) {
		guint8 backing = backing_for(pair, &pair->pool[block], e);

		renumber(pair, &pair->pool[place], &pair->pool[block], backing);
		set_backing(pair, &pair->pool[block], backing);
		link_object(pair, place, block);
	}
}

static void object_free(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	guint32 place;

	if (e->addr < NULL_POINTERS_END) {
		pair->stats.null_pointers++;
		return;
	}
	place = addrmap_take(pair->objects, e->addr);
	if (place) {
		pair->stats.matched++;
		close_object(pair, place, e->time_ns, event);
		return;
	}
	if (take_rcu_unknown(pair, e->addr))
		return;
	pair->stats.unmatched++;
	report_unmatched(pair, event, block_of(pair, e->addr) ? PAIR_UNSEEN : PAIR_BEFORE, 0);
}

/* Ignores objects that are unknown or were passed to kfree_rcu(). */
static void object_resize(Pair *pair, const PairEvent *event)
{
	guint32 place = addrmap_get(pair->objects, event->event->addr);
	Open *open = &pair->pool[place];

	if (!place || open->rcu)
		return;
	disclaim_early(pair, place);
	pair->stats.resized++;
	if (pair->resized)
		open->origin = pair->resized(pair->sink.data, open->origin, event);
}

/* Prefetches only slab objects: they are the most numerous, and the most scattered. */
void pair_prefetch(const Pair *pair, const struct trace_event *event)
{
	if (trace_event_kind(event->event) == TRACE_SLAB && event->addr)
		addrmap_prefetch(pair->objects, event->addr);
}

void pair_prefetch_allocation(const Pair *pair, const struct trace_event *event)
{
	if (trace_event_kind(event->event) == TRACE_SLAB && event->addr)
		__builtin_prefetch(&pair->pool[addrmap_guess(pair->objects, event->addr)], 1);
}

/* ---- per-CPU memory, and areas of vmalloc space ---- */

static void space_alloc(Pair *pair, AddrMap *space, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	guint32 place, old;

	if (!e->addr) {
		fail_alloc(pair, event);
		return;
	}
	if (space == pair->areas)
		take_rcu_unknown(pair, e->addr);
	place = open_alloc(pair, event);
	claim_early(pair, place, event);
	old = addrmap_put(space, e->addr, place);
	if (old)
		close_object(pair, old, e->time_ns, NULL);
}

/* Reports a failed area that was not tried again. */
static void fail_area(Pair *pair, FailedArea *failed)
{
	failed->paired.event = &failed->event;
	fail_alloc(pair, &failed->paired);
}

/* Returns whether @event is the second try of a failed area; then only the second one counts. */
static gboolean is_second_try(Pair *pair, const struct trace_event *event)
{
	FailedArea *failed = g_hash_table_lookup(pair->failed_areas, GUINT_TO_POINTER(event->tid));
	gboolean is_same = failed && failed->event.bytes_alloc == event->bytes_alloc;

	if (!failed)
		return FALSE;
	if (is_same)
		pair->stats.areas_retried++;
	else
		fail_area(pair, failed);
	g_hash_table_remove(pair->failed_areas, GUINT_TO_POINTER(event->tid));
	return is_same;
}

static void area_alloc(Pair *pair, const PairEvent *event)
{
	FailedArea *failed;

	if (is_second_try(pair, event->event) || event->event->addr) {
		space_alloc(pair, pair->areas, event);
		return;
	}
	failed = g_new(FailedArea, 1);
	*failed = (FailedArea){ .event = *event->event, .paired = *event };
	g_hash_table_insert(pair->failed_areas, GUINT_TO_POINTER(event->event->tid), failed);
}

static void space_free(Pair *pair, AddrMap *space, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	guint32 place = e->addr ? addrmap_take(space, e->addr) : 0;

	if (!e->addr) {
		pair->stats.null_pointers++;
	} else if (place) {
		pair->stats.matched++;
		close_object(pair, place, e->time_ns, event);
	} else if (space != pair->areas || !take_rcu_unknown(pair, e->addr)) {
		pair->stats.unmatched++;
		report_unmatched(pair, event, PAIR_BEFORE, 0);
	}
}

/* ---- kfree_rcu(), also of memory from kvmalloc() ---- */

static void rcu_free(Pair *pair, const PairEvent *event)
{
	const struct trace_event *e = event->event;
	RcuFree rcu = { .time_ns = e->time_ns, .end = end_of(event) };
	AddrMap *map = pair->objects;
	guint32 place;

	if (e->addr < NULL_POINTERS_END) {
		pair->stats.null_pointers++;
		return;
	}
	pair->stats.given_to_rcu++;
	place = addrmap_get(map, e->addr);
	if (!place) {
		map = pair->areas;
		place = addrmap_get(map, e->addr);
	}
	disclaim_early(pair, place);
	if (place && !pair->pool[place].rcu) {
		pair->pool[place].rcu = rcufrees_add(pair->rcu_frees, &rcu);
		return;
	}
	if (place) { /* twice: freed and allocated in between, both unseen */
		addrmap_take(map, e->addr);
		close_object(pair, place, e->time_ns, NULL);
	}
	addrmap_put(pair->rcu_unknown, e->addr, 1);
	pair->stats.unmatched++;
	pair->sink.unmatched(pair->sink.data, event,
			     place || block_of(pair, e->addr) ? PAIR_UNSEEN : PAIR_BEFORE, 0);
}

/* ---- all events ---- */

/*
 * Returns whether @action can be a thread's next event after a free: a new task name comes at any
 * time, TRACE_BUDDY within a free.
 */
static gboolean is_next_deed(enum trace_action action)
{
	return action != TRACE_NAME && action != TRACE_BUDDY;
}

static void feed_alloc(Pair *pair, const PairEvent *event, enum trace_kind kind)
{
	if (kind == TRACE_SLAB)
		object_alloc(pair, event);
	else if (kind == TRACE_PAGE)
		page_alloc(pair, event);
	else if (kind == TRACE_PERCPU)
		space_alloc(pair, pair->percpu, event);
	else
		area_alloc(pair, event);
}

static void feed_free(Pair *pair, const PairEvent *event, enum trace_kind kind)
{
	if (kind == TRACE_SLAB)
		object_free(pair, event);
	else if (kind == TRACE_PAGE)
		page_free(pair, event);
	else
		space_free(pair, kind == TRACE_PERCPU ? pair->percpu : pair->areas, event);
}

void pair_feed(Pair *pair, const PairEvent *event)
{
	enum trace_action action = trace_event_action(event->event->event);
	enum trace_kind kind = trace_event_kind(event->event->event);

	pair->event_nr++;
	if (is_next_deed(action))
		settle_last_free(pair, event->event);
	if (action == TRACE_ALLOC)
		feed_alloc(pair, event, kind);
	else if (action == TRACE_FREE)
		feed_free(pair, event, kind);
	else if (action == TRACE_DEFER)
		rcu_free(pair, event);
	else if (action == TRACE_MIGRATE)
		page_move(pair, event);
	else if (action == TRACE_RESIZE)
		object_resize(pair, event);
}

static int compare_open(gconstpointer a, gconstpointer b, gpointer data)
{
	const Pair *pair = data;
	const Open *x = &pair->pool[*(const guint32 *)a], *y = &pair->pool[*(const guint32 *)b];

	return COMPARE(x->time_ns, y->time_ns)
		       ?: COMPARE(x->cpu, y->cpu)
		       ?: x->event - y->event
		       ?: COMPARE(x->addr, y->addr);
}

static void emit_left(Pair *pair, guint32 place)
{
	const Open *open = &pair->pool[place];
	RcuFree rcu;

	if (is_page(open) || !open->rcu) {
		emit(pair, open, PAIR_LIVE, 0, NULL);
		return;
	}
	rcu = rcufrees_take(pair->rcu_frees, open->rcu);
	emit(pair, open, PAIR_FREEING, 0, &rcu.end);
}

static gint compare_failed(gconstpointer a, gconstpointer b)
{
	const struct trace_event *x = &(*(FailedArea *const *)a)->event;
	const struct trace_event *y = &(*(FailedArea *const *)b)->event;

	return COMPARE(x->time_ns, y->time_ns) ?: COMPARE(x->tid, y->tid);
}

/* Reports failed areas sorted by time: the order of the hash table differs in each process. */
static void fail_areas(Pair *pair)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	GHashTableIter iter;
	gpointer failed;

	g_hash_table_iter_init(&iter, pair->failed_areas);
	while (g_hash_table_iter_next(&iter, NULL, &failed))
		g_ptr_array_add(all, failed);
	g_ptr_array_sort(all, compare_failed);
	for (guint i = 0; i < all->len; i++)
		fail_area(pair, g_ptr_array_index(all, i));
}

guint64 pair_finish(Pair *pair)
{
	g_autofree guint32 *places = g_new(guint32, (gsize)pair->live + 1);
	guint32 count = 0, left = 0;

	fail_areas(pair);
	for (guint32 i = PLACE_FIRST; i < pair->pool_len; i++) {
		if (pair->pool[i].open)
			places[count++] = i;
	}
	g_qsort_with_data(places, count, sizeof(*places), compare_open, pair);
	for (guint32 i = 0; i < count; i++) {
		if (pair->pool[places[i]].early)
			emit_early(pair, places[i]);
		else
			places[left++] = places[i];
	}
	for (guint32 i = 0; i < left; i++)
		emit_left(pair, places[i]);
	return left;
}

void pair_each_live(const Pair *pair, void (*func)(gpointer data, const PairLifetime *lifetime),
		    gpointer data)
{
	for (guint32 i = PLACE_FIRST; i < pair->pool_len; i++) {
		const Open *open = &pair->pool[i];
		PairLifetime lifetime;

		if (!open->open || open->early)
			continue;
		lifetime =
			lifetime_of(open, !is_page(open) && open->rcu ? PAIR_FREEING : PAIR_LIVE);
		func(data, &lifetime);
	}
}

void pair_map_origins(Pair *pair, guint32 (*func)(gpointer data, guint32 origin), gpointer data)
{
	for (guint32 i = PLACE_FIRST; i < pair->pool_len; i++) {
		if (pair->pool[i].open)
			pair->pool[i].origin = func(data, pair->pool[i].origin);
	}
}
