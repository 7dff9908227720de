// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/script/address.h"

#include "analysis/kernel_abi.h"
#include "base/seed.h"

struct AddressEvents {
	guint64 addr;
	KernelAbi abi;
	GHashTable *starts; /* of objects and areas that contain it */
};

AddressEvents *address_events_new(guint64 addr, char *abi)
{
	AddressEvents *events = g_new0(AddressEvents, 1);

	events->addr = addr;
	events->abi = kernel_abi_read(abi);
	events->starts = g_hash_table_new_full(seed_int64, g_int64_equal, g_free, NULL);
	return events;
}

void address_events_free(AddressEvents *events)
{
	if (!events)
		return;
	g_hash_table_unref(events->starts);
	g_free(events);
}

static gboolean has_page(const AddressEvents *events, guint64 pfn, guint order)
{
	guint64 base = events->abi.linear_base;
	guint64 frame = (events->addr - base) >> events->abi.page_shift;

	return base && events->addr >= base && order < 64 && frame >= pfn &&
	       frame - pfn < G_GUINT64_CONSTANT(1) << order;
}

/* Starts an object. One of another size may replace an object that contained the address. */
static gboolean begin(AddressEvents *events, guint64 start, guint64 bytes)
{
	g_hash_table_remove(events->starts, &start);
	if (!start || events->addr < start || events->addr - start >= MAX(bytes, 1))
		return FALSE;
	return g_hash_table_add(events->starts, g_memdup2(&start, sizeof(start)));
}

static gboolean has_object(AddressEvents *events, const struct trace_event *event)
{
	gboolean known =
		event->addr == events->addr || g_hash_table_contains(events->starts, &event->addr);

	switch (trace_event_action(event->event)) {
	case TRACE_ALLOC:
		return begin(events, event->addr,
			     trace_event_kind(event->event) == TRACE_PERCPU ? event->bytes_req
									    : event->bytes_alloc);
	case TRACE_FREE:
		g_hash_table_remove(events->starts, &event->addr);
		return known;
	default:
		return known;
	}
}

gboolean address_events_has(AddressEvents *events, const struct trace_event *event)
{
	const guint8 *fields = trace_event_types[event->event & KMEMTRACE_TYPE_EVENT_MASK].fields;

	if (fields[0] == TRACE_FIELD_PTR || fields[0] == TRACE_FIELD_ADDR)
		return has_object(events, event);
	if (fields[0] != TRACE_FIELD_PFN)
		return FALSE;
	return has_page(events, event->addr, event->order) ||
	       (trace_event_action(event->event) == TRACE_MIGRATE &&
		has_page(events, trace_event_target(event), event->order));
}
