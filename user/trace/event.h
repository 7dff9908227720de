/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event of a trace, in the host's byte order and with nothing left to decode. What each field
 * means for which event is said at struct kmemtrace_record.
 */
#ifndef KMT_TRACE_EVENT_H
#define KMT_TRACE_EVENT_H

#include <stdint.h>
#include "kmemtrace_abi.h"

#define TRACE_COMM_LEN	16

struct trace_event {
	uint64_t time_ns;	/* CLOCK_MONOTONIC of the traced machine */
	uint64_t addr;		/* pointer, or pfn for page events */
	uint64_t call_site;
	uint32_t stack_id;	/* kernel stack id */
	uint32_t bytes_req;
	uint32_t bytes_alloc;
	uint32_t gfp;
	uint32_t tid;
	uint32_t tgid;		/* TASK events alone */
	uint32_t cpu;
	uint16_t cache;		/* slab events alone */
	uint8_t order;		/* page events alone */
	uint8_t migratetype;	/* page allocations alone */
	uint8_t node;
	uint8_t event;		/* enum kmemtrace_event */
	uint8_t context;	/* enum kmemtrace_context */
	char comm[TRACE_COMM_LEN + 1];	/* TASK events alone; ends with a zero */
};

/* The name of an event ("kmalloc", "page_free"…), or NULL if there is none of that number. */
const char *trace_event_name(unsigned int event);

/*
 * The name of a loss reason ("buffer_full", …), as in "stats" of debugfs; "missing" for
 * TRACE_LOSS_MISSING. NULL for reasons that this version doesn't know: a newer kernel part may
 * count some below KMEMTRACE_LOSS_MAX, and streams tell their windows.
 */
const char *trace_loss_name(unsigned int reason);

#endif
