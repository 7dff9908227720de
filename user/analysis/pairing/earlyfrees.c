// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/pairing/earlyfrees.h"

#include "base/seed.h"
#include "trace/event/kind.h"

#define KEPT 16 /* unmatched frees, the newest */

struct EarlyFrees {
	EarlyFree kept[KEPT]; /* a ring; event.event 0: unused */
	guint next;           /* the oldest, replaced next */
	guint64 newest_ns;    /* the latest time of any free so far */
	GHashTable *claimed;  /* place to EarlyFree */
	GHashTable *counts;   /* EarlyFree to the number of claimed copies of the event */
};

/* Hashes the fields that earlyfrees_is() compares. */
static guint hash_free(gconstpointer key)
{
	const struct trace_event *event = &((const EarlyFree *)key)->event;

	return (guint)(seed_mix(event->addr, 0) + seed_mix(event->time_ns, 1) +
		       seed_mix((guint64)event->event << 32 | event->cpu, 2));
}

static gboolean same_free(gconstpointer a, gconstpointer b)
{
	return earlyfrees_is(a, &((const EarlyFree *)b)->event);
}

EarlyFrees *earlyfrees_new(void)
{
	EarlyFrees *frees = g_new0(EarlyFrees, 1);

	frees->claimed = g_hash_table_new_full(seed_number, NULL, NULL, g_free);
	frees->counts = g_hash_table_new_full(hash_free, same_free, g_free, NULL);
	return frees;
}

void earlyfrees_free(EarlyFrees *frees)
{
	g_hash_table_unref(frees->claimed);
	g_hash_table_unref(frees->counts);
	g_free(frees);
}

void earlyfrees_add(EarlyFrees *frees, const PairEvent *event, PairClass class, guint64 pages)
{
	EarlyFree *kept = &frees->kept[frees->next];

	*kept = (EarlyFree){
		.event = *event->event, .paired = *event, .class = class, .pages = pages
	};
	frees->newest_ns = MAX(frees->newest_ns, event->event->time_ns);
	frees->next = (frees->next + 1) % KEPT;
}

gboolean earlyfrees_is(const EarlyFree *free, const struct trace_event *event)
{
	return free->event.event == event->event && free->event.addr == event->addr &&
	       free->event.time_ns == event->time_ns && free->event.cpu == event->cpu;
}

gboolean earlyfrees_forget(EarlyFrees *frees, const struct trace_event *event)
{
	const EarlyFree key = { .event = *event };

	for (guint i = 0; i < KEPT; i++) {
		if (earlyfrees_is(&frees->kept[i], event))
			frees->kept[i].event.event = KMEMTRACE_EVENT_NONE;
	}
	return !g_hash_table_contains(frees->counts, &key);
}

static guint count_of(const EarlyFrees *frees, const EarlyFree *free)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(frees->counts, free));
}

static void set_count(EarlyFrees *frees, const EarlyFree *free, guint count)
{
	if (count)
		g_hash_table_replace(frees->counts, g_memdup2(free, sizeof(*free)),
				     GUINT_TO_POINTER(count));
	else
		g_hash_table_remove(frees->counts, free);
}

/* Returns whether both are of the same kind of memory. */
static gboolean fits(const struct trace_event *free, const struct trace_event *alloc)
{
	enum trace_kind kind = trace_event_kind(free->event);

	return trace_event_action(free->event) == TRACE_FREE &&
	       trace_event_kind(alloc->event) == kind &&
	       (kind != TRACE_PAGE || free->order == alloc->order);
}

gboolean earlyfrees_claim(EarlyFrees *frees, const struct trace_event *event, guint32 place)
{
	if (frees->newest_ns + PAIR_SKEW_NS < event->time_ns)
		return FALSE;
	for (guint i = 0; i < KEPT; i++) {
		EarlyFree *kept = &frees->kept[i];

		if (kept->event.addr != event->addr || kept->event.cpu == event->cpu ||
		    event->time_ns - kept->event.time_ns > PAIR_SKEW_NS ||
		    !fits(&kept->event, event))
			continue;
		g_hash_table_insert(frees->claimed, GUINT_TO_POINTER(place),
				    g_memdup2(kept, sizeof(*kept)));
		set_count(frees, kept, count_of(frees, kept) + 1);
		kept->event.event = KMEMTRACE_EVENT_NONE;
		return TRUE;
	}
	return FALSE;
}

EarlyFree earlyfrees_take(EarlyFrees *frees, guint32 place)
{
	EarlyFree *claimed = g_hash_table_lookup(frees->claimed, GUINT_TO_POINTER(place));
	EarlyFree taken = *claimed;

	g_hash_table_remove(frees->claimed, GUINT_TO_POINTER(place));
	set_count(frees, &taken, count_of(frees, &taken) - 1);
	return taken;
}
