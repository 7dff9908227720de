// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads the selected allocations from the database in time order, in parallel with the events of
 * the trace. From its allocation to its end, memory is identified by its address.
 */
#include "report/script/selected.h"

#include "base/seed.h"

#define ORDER_MAX   64   /* of a block in which a page is searched */
#define WAITING_MAX 1024 /* allocations kept for clocks that go backward; later events are missed */

/* A selected allocation that is due. */
typedef struct {
	gint64 time_ns, end_ns; /* G_MAXINT64: live at the end */
	guint64 addr;           /* of pages: after the last migration */
	guint32 cpu;
	enum trace_kind kind;
	guint order; /* of pages */
} Allocation;

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
	GArray *waiting; /* of Allocation */
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

SelectedEvents *selected_events_new(StoreDb *db, GError **error)
{
	SelectedEvents *selected;
	StoreRows *rows = store_query_named(db, "script_selected", NULL, error);

	if (!rows)
		return NULL;
	selected = g_new0(SelectedEvents, 1);
	selected->rows = rows;
	selected->any = store_rows_next(rows);
	selected->waiting = g_array_new(FALSE, FALSE, sizeof(Allocation));
	selected->memory = g_hash_table_new_full(memory_hash, memory_equal, g_free, NULL);
	return selected;
}

void selected_events_free(SelectedEvents *selected)
{
	if (!selected)
		return;
	store_rows_free(selected->rows);
	g_array_unref(selected->waiting);
	g_hash_table_unref(selected->memory);
	g_free(selected);
}

/* ---- allocations ---- */

/* Columns of script_selected.sql. */
enum { TIME, CPU, ADDR, LIFETIME, EVENT, ORDER };

static void read_until(SelectedEvents *selected, gint64 time_ns)
{
	StoreRows *rows = selected->rows;

	while (selected->any && store_rows_int(rows, TIME) <= time_ns) {
		Allocation next = {
			.time_ns = store_rows_int(rows, TIME),
			.end_ns = G_MAXINT64,
			.addr = (guint64)store_rows_int(rows, ADDR),
			.cpu = (guint32)store_rows_int(rows, CPU),
			.kind = trace_event_kind(store_rows_int(rows, EVENT)),
			.order = store_rows_int(rows, ORDER),
		};

		if (store_rows_type(rows, LIFETIME) != STORE_NULL)
			next.end_ns = next.time_ns + store_rows_int(rows, LIFETIME);
		if (selected->waiting->len == WAITING_MAX)
			g_array_remove_range(selected->waiting, 0, WAITING_MAX / 2);
		g_array_append_val(selected->waiting, next);
		selected->any = store_rows_next(rows);
	}
}

static void add(SelectedEvents *selected, const Memory *memory)
{
	g_hash_table_add(selected->memory, g_memdup2(memory, sizeof(*memory)));
}

static gboolean is_of(const Allocation *next, const struct trace_event *event, const Memory *memory,
		      gint64 time_ns)
{
	return next->time_ns == time_ns && next->cpu == event->cpu && next->kind == memory->kind &&
	       next->order == memory->order;
}

/*
 * Starts the selected allocation of @event, if there is one, and sets when @memory ends. @anywhere:
 * pages that were migrated may have another address.
 */
static gboolean take_allocation(SelectedEvents *selected, const struct trace_event *event,
				gint64 time_ns, gboolean anywhere, Memory *memory)
{
	for (guint i = 0; i < selected->waiting->len; i++) {
		const Allocation *next = &g_array_index(selected->waiting, Allocation, i);

		if (!is_of(next, event, memory, time_ns) ||
		    (next->addr != event->addr && !anywhere))
			continue;
		memory->end_ns = next->end_ns;
		g_array_remove_index(selected->waiting, i);
		return TRUE;
	}
	return FALSE;
}

/*
 * Some kernels report a large kmalloc twice, with one row: a kmalloc at the address of memory that
 * is still live is that memory.
 */
static gboolean is_told_again(SelectedEvents *selected, const struct trace_event *event,
			      const Memory *memory, gint64 time_ns)
{
	const Memory *found = g_hash_table_lookup(selected->memory, memory);

	return event->event == KMEMTRACE_EVENT_KMALLOC && found && time_ns < found->end_ns;
}

/* Starts the memory of @event. Earlier memory there has ended, even if its free was not seen. */
static gboolean begin(SelectedEvents *selected, const struct trace_event *event, gint64 time_ns)
{
	gboolean page = trace_event_has_order(event->event);
	Memory memory = { .addr = event->addr,
			  .kind = trace_event_kind(event->event),
			  .order = page ? event->order : 0 };

	read_until(selected, time_ns);
	if (take_allocation(selected, event, time_ns, FALSE, &memory) ||
	    (page && take_allocation(selected, event, time_ns, TRUE, &memory))) {
		add(selected, &memory);
		return TRUE;
	}
	if (is_told_again(selected, event, &memory, time_ns))
		return TRUE;
	g_hash_table_remove(selected->memory, &memory);
	return FALSE;
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
	if (memory && action == TRACE_FREE)
		take(selected, memory, event->addr, event->order);
	return memory != NULL;
}

gboolean selected_events_done(SelectedEvents *selected, GError **error)
{
	return store_rows_done(selected->rows, error);
}
