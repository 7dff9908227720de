// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of event types, kinds and loss reasons, for all layers. */
#include "trace/event/event.h"

#include <stddef.h>
#include <string.h>

#include "trace/event/stream.h"

#define TYPE(event_name, event_action, event_kind, ...)                                            \
	{                                                                                          \
		.name = event_name, .action = event_action, .kind = event_kind, .fields = {        \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}
#define PTR   TRACE_FIELD_PTR
#define PFN   TRACE_FIELD_PFN, TRACE_FIELD_ORDER
#define ADDR  TRACE_FIELD_ADDR
#define SIZES TRACE_FIELD_BYTES_REQ, TRACE_FIELD_BYTES_ALLOC
#define TYPED TRACE_FIELD_MIGRATETYPE
#define GFP   TRACE_FIELD_GFP
#define CACHE TRACE_FIELD_CACHE
#define SITE  TRACE_FIELD_CALL_SITE
#define TGID  TRACE_FIELD_TGID

const struct trace_event_type trace_event_types[KMEMTRACE_TYPE_EVENT_MASK + 1] = {
	[KMEMTRACE_EVENT_KMALLOC] =
		TYPE("kmalloc", TRACE_ALLOC, TRACE_SLAB, PTR, SIZES, GFP, CACHE, SITE),
	[KMEMTRACE_EVENT_CACHE_ALLOC] =
		TYPE("kmem_cache_alloc", TRACE_ALLOC, TRACE_SLAB, PTR, SIZES, GFP, CACHE, SITE),
	[KMEMTRACE_EVENT_KFREE] = TYPE("kfree", TRACE_FREE, TRACE_SLAB, PTR, CACHE, SITE),
	[KMEMTRACE_EVENT_CACHE_FREE] =
		TYPE("kmem_cache_free", TRACE_FREE, TRACE_SLAB, PTR, CACHE, SITE),
	[KMEMTRACE_EVENT_KFREE_RCU] = TYPE("kfree_rcu", TRACE_DEFER, TRACE_SLAB, PTR, SITE),
	[KMEMTRACE_EVENT_RESIZE] =
		TYPE("resize", TRACE_RESIZE, TRACE_SLAB, PTR, TRACE_FIELD_BYTES_REQ, GFP, SITE),
	[KMEMTRACE_EVENT_PAGE_ALLOC] =
		TYPE("page_alloc", TRACE_ALLOC, TRACE_PAGE, PFN, TYPED, GFP, SITE),
	[KMEMTRACE_EVENT_PAGE_FREE] = TYPE("page_free", TRACE_FREE, TRACE_PAGE, PFN, SITE),
	[KMEMTRACE_EVENT_PAGE_MOVE] =
		TYPE("page_move", TRACE_MIGRATE, TRACE_PAGE, TRACE_FIELD_PFN, TRACE_FIELD_TARGET,
		     TRACE_FIELD_ORDER, TRACE_FIELD_OUTSIDE, SITE),
	[KMEMTRACE_EVENT_PERCPU_ALLOC] =
		TYPE("percpu_alloc", TRACE_ALLOC, TRACE_PERCPU, PTR, TRACE_FIELD_BYTES_REQ,
		     TRACE_FIELD_BYTES_ALL_CPUS, TRACE_FIELD_GFP_IF_DONE, SITE),
	[KMEMTRACE_EVENT_PERCPU_FREE] = TYPE("percpu_free", TRACE_FREE, TRACE_PERCPU, PTR, SITE),
	[KMEMTRACE_EVENT_VMAP_ALLOC] =
		TYPE("vmap_alloc", TRACE_ALLOC, TRACE_VMALLOC, ADDR, SIZES, SITE),
	[KMEMTRACE_EVENT_VMAP_FREE] = TYPE("vmap_free", TRACE_FREE, TRACE_VMALLOC, ADDR, SITE),
	[KMEMTRACE_EVENT_EXTFRAG] =
		TYPE("extfrag", TRACE_BUDDY, TRACE_KINDS, PFN, TYPED, TRACE_FIELD_BLOCK, SITE),
	[KMEMTRACE_EVENT_COMPACT] =
		TYPE("compact", TRACE_BUDDY, TRACE_KINDS, TRACE_FIELD_ORDER, GFP, SITE),
	[KMEMTRACE_EVENT_ZONE_LOCKED] =
		TYPE("zone_locked", TRACE_BUDDY, TRACE_KINDS, PFN, TYPED, TRACE_FIELD_REFILL, SITE),
	[KMEMTRACE_EVENT_PCPU_DRAIN] =
		TYPE("pcpu_drain", TRACE_BUDDY, TRACE_KINDS, PFN, TYPED, SITE),
	[KMEMTRACE_EVENT_MAP] =
		TYPE("map", TRACE_SPACE, TRACE_KINDS, TGID, TRACE_FIELD_MAPPING, TRACE_FIELD_MM),
	[KMEMTRACE_EVENT_EXEC] = TYPE("exec", TRACE_SPACE, TRACE_KINDS, TGID, TRACE_FIELD_MM),
	[KMEMTRACE_EVENT_FORK] =
		TYPE("fork", TRACE_SPACE, TRACE_KINDS, TGID, TRACE_FIELD_PARENT, TRACE_FIELD_MM),
	[KMEMTRACE_EVENT_DUP_MM] = TYPE("dup_mm", TRACE_SPACE, TRACE_KINDS, TGID,
					TRACE_FIELD_ORIGINAL, TRACE_FIELD_MM),
	[KMEMTRACE_EVENT_TASK] = TYPE("task", TRACE_NAME, TRACE_KINDS, TGID, TRACE_FIELD_COMM),
	[KMEMTRACE_EVENT_MARK] = TYPE("mark", TRACE_MARKED, TRACE_KINDS),
};

bool trace_event_tells(unsigned int event, enum trace_field field)
{
	const uint8_t *fields = trace_event_types[event & KMEMTRACE_TYPE_EVENT_MASK].fields;

	return memchr(fields, field, sizeof(trace_event_types[0].fields)) != NULL;
}

const char *trace_event_name(unsigned int event)
{
	return event < KMEMTRACE_EVENT_NR ? trace_event_types[event].name : NULL;
}

const char *trace_loss_name(unsigned int reason)
{
	static const char *const names[TRACE_LOSS_NR] = {
		[KMEMTRACE_LOSS_BUFFER_FULL] = "buffer_full",
		[KMEMTRACE_LOSS_NMI] = "nmi",
		[KMEMTRACE_LOSS_RECURSION] = "recursion",
		[KMEMTRACE_LOSS_STACK_FULL] = "stack_full",
		[KMEMTRACE_LOSS_CACHE_FULL] = "cache_full",
		[KMEMTRACE_LOSS_NAME] = "name",
		/* From a newer kernel part. */
		[6] = "reason_6",
		[7] = "reason_7",
		[TRACE_LOSS_MISSING] = "missing",
		[TRACE_LOSS_SHORT] = "short",
	};

	return reason < TRACE_LOSS_NR ? names[reason] : NULL;
}
