/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event of a trace, in the host's byte order and with nothing left to decode. What each field
 * means for which event is said at struct kmemtrace_record.
 */
#ifndef KMT_TRACE_EVENT_EVENT_H
#define KMT_TRACE_EVENT_EVENT_H

#include "kmemtrace_abi.h"
#include <stdbool.h>
#include <stdint.h>

#define TRACE_COMM_LEN 16

struct trace_event {
	uint64_t time_ns;     /* CLOCK_MONOTONIC of the traced machine */
	uint64_t addr;        /* pointer, or pfn for events that have an order */
	uint64_t call_site;   /* MAP: offset in the file */
	uint32_t stack_id;    /* kernel stack id */
	uint32_t bytes_req;   /* EXTFRAG: order of the block; ZONE_LOCKED: refills a CPU's; MAP:
			     * pages; FORK: tgid of the other process; PAGE_MOVE: see
			     * trace_event_target()
			     */
	uint32_t bytes_alloc; /* EXTFRAG: migratetype of the block; MAP: file; FORK: 1 if they share
			       * their memory
			       */
	uint32_t gfp;
	uint32_t tid;
	uint32_t tgid; /* of tid: TASK events, and all if there are user stacks; else 0. MAP, EXEC
			* and FORK: of the process that is told of
			*/
	uint32_t cpu;
	uint32_t user_stack_id; /* 0: none */
	uint16_t cache;         /* slab events alone */
	uint8_t order;          /* those of trace_event_has_order() alone */
	uint8_t migratetype;    /* the same; 0xff: not told */
	uint8_t node;
	uint8_t event;       /* enum kmemtrace_event */
	uint8_t context;     /* enum kmemtrace_context */
	uint8_t part, parts; /* MARK events alone: which piece of how many */
	union {
		char comm[TRACE_COMM_LEN + 1];      /* TASK events alone; ends with a zero */
		char text[KMEMTRACE_MARK_TEXT + 1]; /* MARK events alone; the same */
	};
};

/* True for what begins an allocation, or failed to. */
static inline bool trace_event_is_alloc(unsigned int event)
{
	return event == KMEMTRACE_EVENT_KMALLOC || event == KMEMTRACE_EVENT_CACHE_ALLOC ||
	       event == KMEMTRACE_EVENT_PAGE_ALLOC || event == KMEMTRACE_EVENT_PERCPU_ALLOC ||
	       event == KMEMTRACE_EVENT_VMAP_ALLOC;
}

/* True for what happens between the lists of free pages: it begins and ends no allocation. */
static inline bool trace_event_is_move(unsigned int event)
{
	return event == KMEMTRACE_EVENT_EXTFRAG || event == KMEMTRACE_EVENT_ZONE_LOCKED ||
	       event == KMEMTRACE_EVENT_PCPU_DRAIN;
}

/* True for events of pages: addr is a pfn, and order and migratetype mean something. */
static inline bool trace_event_has_order(unsigned int event)
{
	return event == KMEMTRACE_EVENT_PAGE_ALLOC || event == KMEMTRACE_EVENT_PAGE_FREE ||
	       event == KMEMTRACE_EVENT_PAGE_MOVE || trace_event_is_move(event);
}

/* The first pfn to which pages were migrated, by a PAGE_MOVE event; addr is where they were. */
static inline uint64_t trace_event_target(const struct trace_event *event)
{
	return (uint64_t)event->bytes_alloc << 32 | event->bytes_req;
}

/* True for what tells of the memory of processes, and not of the kernel's. */
static inline bool trace_event_is_space(unsigned int event)
{
	return event == KMEMTRACE_EVENT_MAP || event == KMEMTRACE_EVENT_EXEC ||
	       event == KMEMTRACE_EVENT_FORK;
}

/* The name of an event ("kmalloc", "page_free"…), or NULL if there is none of that number. */
const char *trace_event_name(unsigned int event);

/*
 * The name of a loss reason ("buffer_full", …), as in "stats" of debugfs; "missing" for
 * TRACE_LOSS_MISSING, "reason_6" for one that this version doesn't know: a newer kernel part may
 * count some below KMEMTRACE_LOSS_MAX. NULL for a number above.
 */
const char *trace_loss_name(unsigned int reason);

#endif
