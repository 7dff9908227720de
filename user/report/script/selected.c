// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the selected allocations from the database in time order, in parallel with the events of
 * the trace; and others of the same times, so that it finds the right one. From its allocation to
 * its end, memory is identified by its address.
 */
#include "report/script/selected.h"

#include <string.h>

#include "base/seed.h"

#define ORDER_MAX   64   /* of a block in which a page is searched */
#define WAITING_MAX 1024 /* keys of earlier times that are kept for clocks that go backward */

/*
 * What identifies the event of an allocation: its address or, since the database has the last
 * address of pages that took part in a migration, for pages also what else is known of the event.
 */
typedef struct {
	gint64 time_ns;
	guint64 addr;      /* 0: call_site and tid identify it */
	guint64 call_site; /* else 0 */
	gint64 tid;        /* else 0 */
	gint64 kind;
	guint32 cpu;
	guint32 order; /* of pages */
} Key;

/* An allocation of the database whose event is due. */
typedef struct {
	gint64 end_ns; /* G_MAXINT64: live at the end */
	gboolean is_selected;
	gboolean is_taken; /* by its event */
} Life;

/* Memory of a kind that begins at an address, or at a page frame. */
typedef struct {
	guint64 addr;
	gint64 kind;
	gint64 end_ns;
	guint order; /* of pages */
} Memory;

struct SelectedEvents {
	StoreRows *rows; /* those of script_selected.sql */
	gboolean any;    /* @rows has one */
	gint64 time_ns;  /* of the row that was read last */
	/* Allocations that are due: GQueues of Life by Key. Those of one address end in order. */
	GHashTable *waiting, *older;
	GHashTable *memory;
};

static guint memory_hash(gconstpointer data)
{
	const Memory *memory = data;

	return seed_int64(&memory->addr);
}

static gboolean memory_equal(gconstpointer a, gconstpointer b)
{
	const Memory *one = a, *other = b;

	return one->addr == other->addr && one->kind == other->kind;
}

static guint key_hash(gconstpointer data)
{
	const Key *key = data;

	return seed_int64(&key->time_ns) ^ 3 * seed_int64(&key->addr) ^
	       5 * seed_int64(&key->call_site) ^ 7 * seed_int64(&key->tid);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	return !memcmp(a, b, sizeof(Key));
}

static void free_lives(gpointer lives)
{
	g_queue_free_full(lives, g_rc_box_release);
}

static GHashTable *new_waiting(void)
{
	return g_hash_table_new_full(key_hash, key_equal, g_free, free_lives);
}

SelectedEvents *selected_events_new(StoreDb *db, GError **error)
{
	SelectedEvents *selected;
	StoreRows *rows = store_query_named(db, "script_selected", NULL, error);

	if (!rows)
		return NULL;
	selected = g_new0(SelectedEvents, 1);
	selected->rows = rows;
	selected->any = store_rows_next(rows);
	selected->waiting = new_waiting();
	selected->older = new_waiting();
	selected->memory = g_hash_table_new_full(memory_hash, memory_equal, g_free, NULL);
	return selected;
}

void selected_events_free(SelectedEvents *selected)
{
	if (!selected)
		return;
	store_rows_free(selected->rows);
	g_hash_table_unref(selected->waiting);
	g_hash_table_unref(selected->older);
	g_hash_table_unref(selected->memory);
	g_free(selected);
}

/* ---- allocations ---- */

/* Columns of script_selected.sql. */
enum { TIME, CPU, ADDR, LIFETIME, EVENT, ORDER, CALL_SITE, TID, SELECTED };

/* Returns the key without what differs between the two of a page. */
static Key read_key(StoreRows *rows)
{
	return (Key){
		.time_ns = store_rows_int(rows, TIME),
		.kind = trace_event_kind(store_rows_int(rows, EVENT)),
		.cpu = (guint32)store_rows_int(rows, CPU),
		.order = (guint32)store_rows_int(rows, ORDER),
	};
}

/* Forgets allocations of earlier times whose events have not come, if there are many. */
static void forget_older(SelectedEvents *selected)
{
	if (g_hash_table_size(selected->waiting) < WAITING_MAX)
		return;
	g_hash_table_unref(selected->older);
	selected->older = selected->waiting;
	selected->waiting = new_waiting();
}

static void wait_for(SelectedEvents *selected, const Key *key, Life *life)
{
	GQueue *lives = g_hash_table_lookup(selected->waiting, key);

	if (!lives) {
		lives = g_queue_new();
		g_hash_table_insert(selected->waiting, g_memdup2(key, sizeof(*key)), lives);
	}
	g_queue_push_tail(lives, g_rc_box_acquire(life));
}

static void read_row(SelectedEvents *selected)
{
	StoreRows *rows = selected->rows;
	Life *life = g_rc_box_new0(Life);
	Key key = read_key(rows), other = key;

	if (key.time_ns != selected->time_ns)
		forget_older(selected);
	selected->time_ns = key.time_ns;
	life->is_selected = store_rows_int(rows, SELECTED) != 0;
	life->end_ns = G_MAXINT64;
	if (store_rows_type(rows, LIFETIME) != STORE_NULL)
		life->end_ns = key.time_ns + store_rows_int(rows, LIFETIME);
	key.addr = (guint64)store_rows_int(rows, ADDR);
	wait_for(selected, &key, life);
	if (key.kind == TRACE_PAGE) {
		other.call_site = (guint64)store_rows_int(rows, CALL_SITE);
		other.tid = store_rows_int(rows, TID);
		wait_for(selected, &other, life);
	}
	g_rc_box_release(life);
	selected->any = store_rows_next(rows);
}

static void read_until(SelectedEvents *selected, gint64 time_ns)
{
	while (selected->any && store_rows_int(selected->rows, TIME) <= time_ns)
		read_row(selected);
}

static void add(SelectedEvents *selected, const Memory *memory)
{
	g_hash_table_add(selected->memory, g_memdup2(memory, sizeof(*memory)));
}

/* Takes the first allocation with @key from @waiting, for g_rc_box_release(); NULL: none. */
static Life *take_from(GHashTable *waiting, const Key *key)
{
	GQueue *lives = g_hash_table_lookup(waiting, key);
	Life *life = NULL;

	while (lives && !life && !g_queue_is_empty(lives)) {
		life = g_queue_pop_head(lives);
		if (life->is_taken)
			g_clear_pointer(&life, g_rc_box_release);
	}
	if (lives && g_queue_is_empty(lives))
		g_hash_table_remove(waiting, key);
	return life;
}

/*
 * Takes the allocation of @event, for g_rc_box_release(); NULL: it has none. Of migrated pages that
 * one thread allocated at the same time and call site, it may be another one.
 */
static Life *take_allocation(SelectedEvents *selected, const struct trace_event *event,
			     const Memory *memory, gint64 time_ns)
{
	const Key key = { .time_ns = time_ns,
			  .addr = event->addr,
			  .kind = memory->kind,
			  .cpu = event->cpu,
			  .order = memory->order };
	Key other = key;
	Life *life;

	other.addr = 0;
	other.call_site = event->call_site;
	other.tid = event->tid;
	life = take_from(selected->waiting, &key)
		       ?: take_from(selected->older, &key)
		       ?: take_from(selected->waiting, &other)
		       ?: take_from(selected->older, &other);
	if (life)
		life->is_taken = TRUE;
	return life;
}

/*
 * Some kernels report a large kmalloc twice, with one row: a kmalloc at the address of memory that
 * is still live is that memory. Returns when this memory ends; -1: there is none.
 */
static gint64 end_of_told(SelectedEvents *selected, const struct trace_event *event,
			  const Memory *memory)
{
	const Memory *found = g_hash_table_lookup(selected->memory, memory);

	return event->event == KMEMTRACE_EVENT_KMALLOC && found ? found->end_ns : -1;
}

/* Starts the memory of @event. Earlier memory there has ended, even if its free was not seen. */
static gboolean begin(SelectedEvents *selected, const struct trace_event *event, gint64 time_ns)
{
	gboolean page = trace_event_has_order(event->event);
	Memory memory = { .addr = event->addr,
			  .kind = trace_event_kind(event->event),
			  .order = page ? event->order : 0 };
	gint64 told_end_ns;
	Life *life;
	gboolean any;

	read_until(selected, time_ns);
	told_end_ns = end_of_told(selected, event, &memory);
	if (time_ns < told_end_ns)
		return TRUE;
	life = take_allocation(selected, event, &memory, time_ns);
	/* Large ones have no cache. Others may begin in the tick in which earlier memory ends. */
	if (!life && !event->cache && time_ns == told_end_ns)
		return TRUE;
	g_hash_table_remove(selected->memory, &memory);
	any = life && life->is_selected;
	if (any) {
		memory.end_ns = life->end_ns;
		add(selected, &memory);
	}
	g_clear_pointer(&life, g_rc_box_release);
	return any;
}

/* ---- later events ---- */

static Memory *lookup(SelectedEvents *selected, guint64 addr, gint64 kind, gint64 time_ns)
{
	Memory *found =
		g_hash_table_lookup(selected->memory, &(Memory){ .addr = addr, .kind = kind });

	return found && time_ns <= found->end_ns ? found : NULL;
}

/* Returns the block that contains the page @pfn; blocks are aligned to their size. */
static Memory *lookup_page(SelectedEvents *selected, guint64 pfn, gint64 time_ns)
{
	for (guint order = 0; order < ORDER_MAX; order++) {
		guint64 first = pfn >> order << order;
		Memory *found = lookup(selected, first, TRACE_PAGE, time_ns);

		if (found && found->order < ORDER_MAX && (pfn - first) >> found->order == 0)
			return found;
		if (!first)
			break;
	}
	return NULL;
}

/*
 * Removes the part of @order at @addr from @memory, which is freed. The halves of a block beside
 * the part stay.
 */
static Memory take(SelectedEvents *selected, Memory *memory, guint64 addr, guint order)
{
	Memory part = *memory;

	g_hash_table_remove(selected->memory, memory);
	while (part.order > order) {
		Memory other = part;
		guint64 half = G_GUINT64_CONSTANT(1) << --part.order;

		other.order = part.order;
		if (addr & half)
			part.addr += half;
		else
			other.addr += half;
		add(selected, &other);
	}
	return part;
}

/* Exchanges the memory at source and destination; the migrating task allocated the latter. */
static gboolean swap(SelectedEvents *selected, const struct trace_event *event, gint64 time_ns)
{
	const guint64 from[] = { event->addr, trace_event_target(event) };
	Memory parts[2];
	gboolean any[2];

	for (guint i = 0; i < 2; i++) {
		Memory *found = lookup_page(selected, from[i], time_ns);

		any[i] = found != NULL;
		if (found)
			parts[i] = take(selected, found, from[i], event->order);
	}
	for (guint i = 0; i < 2; i++) {
		if (!any[i])
			continue;
		parts[i].addr = from[!i];
		add(selected, &parts[i]);
	}
	return any[0] || any[1];
}

gboolean selected_events_has(SelectedEvents *selected, const struct trace_event *event,
			     gint64 time_ns)
{
	enum trace_action action = trace_event_action(event->event);
	enum trace_kind kind = trace_event_kind(event->event);
	Memory *memory;

	if (kind == TRACE_KINDS)
		return FALSE;
	if (action == TRACE_ALLOC)
		return event->addr && begin(selected, event, time_ns);
	if (action == TRACE_MIGRATE)
		return swap(selected, event, time_ns);
	memory = kind == TRACE_PAGE ? lookup_page(selected, event->addr, time_ns)
				    : lookup(selected, event->addr, kind, time_ns);
	if (!memory && action == TRACE_DEFER) /* kvfree_rcu() of an area */
		memory = lookup(selected, event->addr, TRACE_VMALLOC, time_ns);
	if (memory && action == TRACE_FREE)
		take(selected, memory, event->addr, event->order);
	return memory != NULL;
}

gboolean selected_events_done(SelectedEvents *selected, GError **error)
{
	return store_rows_done(selected->rows, error);
}
