/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A decoded event in the host's byte order, and the table of event types. struct kmemtrace_record
 * describes the meaning of each field for each event.
 */
#ifndef KMT_TRACE_EVENT_EVENT_H
#define KMT_TRACE_EVENT_EVENT_H

#include "kmemtrace_abi.h"
#include "trace/event/kind.h"
#include <stdbool.h>
#include <stdint.h>

#define TRACE_COMM_LEN 16

struct trace_event {
	uint64_t time_ns;     /* CLOCK_MONOTONIC of the traced machine */
	uint64_t addr;        /* pointer, or pfn for events that have an order */
	uint64_t call_site;   /* MAP: offset in the file */
	uint32_t stack_id;    /* kernel stack id */
	uint32_t bytes_req;   /* EXTFRAG: order of the block; ZONE_LOCKED: per-CPU refill; MAP:
			     * pages; FORK: tgid of the other process; PAGE_MOVE: see
			     * trace_event_target()
			     */
	uint32_t bytes_alloc; /* EXTFRAG: migratetype of the block; MAP: file; FORK: 1 if they share
			       * their memory; DUP_MM: the original of mm, or 0
			       */
	uint32_t gfp;
	uint32_t tid;
	uint32_t
		tgid; /* of tid, for TASK events, and for all if there are user stacks; else 0; MAP,
			* EXEC and FORK: of the described process
			*/
	uint32_t cpu;
	uint32_t user_stack_id; /* 0: none */
	uint32_t mm;            /* MAP, EXEC, FORK and DUP_MM: identifies the memory; 0: unknown */
	uint16_t cache;         /* slab events only */
	uint8_t order;          /* only if trace_event_has_order() */
	uint8_t migratetype;    /* the same; 0xff: unknown */
	uint8_t node;
	uint8_t event;       /* enum kmemtrace_event */
	uint8_t context;     /* enum kmemtrace_context */
	uint8_t part, parts; /* MARK events only: number of the part, and of all parts */
	union {
		char comm[TRACE_COMM_LEN + 1];      /* TASK events only; zero-terminated */
		char text[KMEMTRACE_MARK_TEXT + 1]; /* MARK events only; zero-terminated */
	};
};

/* What an event does to memory, or what it describes. */
enum trace_action {
	TRACE_UNKNOWN, /* unknown event */
	TRACE_ALLOC,   /* begins an allocation, or reports a failed one */
	TRACE_FREE,    /* ends an allocation */
	TRACE_DEFER,   /* defers a free: kfree_rcu() */
	TRACE_RESIZE,  /* changes the size of an object */
	TRACE_MIGRATE, /* moves an allocation to other pages */
	TRACE_BUDDY,   /* concerns the lists of free pages: begins and ends no allocation */
	TRACE_SPACE,   /* concerns the address space of a process, not kernel memory */
	TRACE_NAME,    /* names a thread */
	TRACE_MARKED,  /* names a time */
};

/* The printed fields of an event, in this order. */
enum trace_field {
	TRACE_FIELD_END,
	TRACE_FIELD_PTR,
	TRACE_FIELD_PFN,
	TRACE_FIELD_ADDR,
	TRACE_FIELD_TARGET, /* trace_event_target() */
	TRACE_FIELD_ORDER,
	TRACE_FIELD_OUTSIDE, /* of a migration: which side is outside the sample */
	TRACE_FIELD_BYTES_REQ,
	TRACE_FIELD_BYTES_ALLOC,
	TRACE_FIELD_BYTES_ALL_CPUS,
	TRACE_FIELD_MIGRATETYPE,
	TRACE_FIELD_BLOCK, /* of EXTFRAG: order and migratetype of the block */
	TRACE_FIELD_REFILL,
	TRACE_FIELD_GFP,
	TRACE_FIELD_GFP_IF_DONE, /* not of a failed allocation */
	TRACE_FIELD_CACHE,
	TRACE_FIELD_CALL_SITE,
	TRACE_FIELD_TGID,
	TRACE_FIELD_COMM,
	TRACE_FIELD_MAPPING, /* of MAP: address, pages, offset and file */
	TRACE_FIELD_PARENT,  /* of FORK: and whether the memory is shared */
	TRACE_FIELD_MM,
	TRACE_FIELD_ORIGINAL, /* of DUP_MM: the copied memory */
	TRACE_FIELDS,
};

/* The table of event types, by enum kmemtrace_event. */
struct trace_event_type {
	const char *name;  /* NULL: no such event */
	uint8_t action;    /* enum trace_action */
	uint8_t kind;      /* enum trace_kind; TRACE_KINDS: none */
	uint8_t fields[8]; /* enum trace_field, up to TRACE_FIELD_END; [0] is the meaning of addr */
};

extern const struct trace_event_type trace_event_types[KMEMTRACE_TYPE_EVENT_MASK + 1];

static inline enum trace_action trace_event_action(unsigned int event)
{
	return (enum trace_action)trace_event_types[event & KMEMTRACE_TYPE_EVENT_MASK].action;
}

static inline enum trace_kind trace_event_kind(unsigned int event)
{
	return (enum trace_kind)trace_event_types[event & KMEMTRACE_TYPE_EVENT_MASK].kind;
}

/* Returns true for page events: they have order and migratetype, and addr is a pfn or 0. */
static inline bool trace_event_has_order(unsigned int event)
{
	unsigned int first = trace_event_types[event & KMEMTRACE_TYPE_EVENT_MASK].fields[0];

	return first == TRACE_FIELD_PFN || first == TRACE_FIELD_ORDER;
}

/* Returns the first destination pfn of a PAGE_MOVE event; addr is the source. */
static inline uint64_t trace_event_target(const struct trace_event *event)
{
	return (uint64_t)event->bytes_alloc << 32 | event->bytes_req;
}

/* Returns true if events of that type have @field, which is not TRACE_FIELD_END. */
bool trace_event_tells(unsigned int event, enum trace_field field);

/* Returns the name of an event ("kmalloc", "page_free"…), or NULL if there is no such event. */
const char *trace_event_name(unsigned int event);

/*
 * Returns the name of a loss reason ("buffer_full", …), as in "stats" of debugfs; "missing" for
 * TRACE_LOSS_MISSING, "reason_6" for an unknown one: a newer kernel part may count some below
 * KMEMTRACE_LOSS_MAX. NULL for a number above.
 */
const char *trace_loss_name(unsigned int reason);

#endif
