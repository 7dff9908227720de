// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of events and of reasons for loss: one place for all layers, so that they agree. */
#include "trace/event/event.h"

#include <stddef.h>

#include "trace/event/stream.h"

const char *trace_event_name(unsigned int event)
{
	static const char *const names[KMEMTRACE_EVENT_NR] = {
		[KMEMTRACE_EVENT_KMALLOC] = "kmalloc",
		[KMEMTRACE_EVENT_CACHE_ALLOC] = "kmem_cache_alloc",
		[KMEMTRACE_EVENT_KFREE] = "kfree",
		[KMEMTRACE_EVENT_CACHE_FREE] = "kmem_cache_free",
		[KMEMTRACE_EVENT_PAGE_ALLOC] = "page_alloc",
		[KMEMTRACE_EVENT_PAGE_FREE] = "page_free",
		[KMEMTRACE_EVENT_TASK] = "task",
		[KMEMTRACE_EVENT_KFREE_RCU] = "kfree_rcu",
		[KMEMTRACE_EVENT_PERCPU_ALLOC] = "percpu_alloc",
		[KMEMTRACE_EVENT_PERCPU_FREE] = "percpu_free",
		[KMEMTRACE_EVENT_VMAP_ALLOC] = "vmap_alloc",
		[KMEMTRACE_EVENT_VMAP_FREE] = "vmap_free",
		[KMEMTRACE_EVENT_EXTFRAG] = "extfrag",
		[KMEMTRACE_EVENT_ZONE_LOCKED] = "zone_locked",
		[KMEMTRACE_EVENT_PCPU_DRAIN] = "pcpu_drain",
		[KMEMTRACE_EVENT_MAP] = "map",
		[KMEMTRACE_EVENT_EXEC] = "exec",
		[KMEMTRACE_EVENT_FORK] = "fork",
		[KMEMTRACE_EVENT_MARK] = "mark",
		[KMEMTRACE_EVENT_PAGE_MOVE] = "page_move",
		[KMEMTRACE_EVENT_RESIZE] = "resize",
	};

	return event < KMEMTRACE_EVENT_NR ? names[event] : NULL;
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
		/* Of a kernel part that is newer than this tool. */
		[6] = "reason_6",
		[7] = "reason_7",
		[TRACE_LOSS_MISSING] = "missing",
		[TRACE_LOSS_SHORT] = "short",
	};

	return reason < TRACE_LOSS_NR ? names[reason] : NULL;
}
