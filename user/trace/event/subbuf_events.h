/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of one sub-buffer as the tracer writes it, without a file, in the order in which they
 * were written.
 */
#ifndef KMT_TRACE_EVENT_SUBBUF_EVENTS_H
#define KMT_TRACE_EVENT_SUBBUF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "event.h"
#include "trace/file/error.h"

struct trace_subbuf_events {
	const uint8_t *next, *end; /* the next record; end of the last whole one */
	uint32_t cpu;
	uint16_t record_len;
	bool swap; /* it is in the other byte order */
};

/*
 * Begins with the @len bytes at @bytes, which must outlive @piece. Errors name it @name. Returns 0
 * or -errno.
 */
int trace_subbuf_events_begin(struct trace_subbuf_events *piece, const void *bytes, size_t len,
			      const char *name, struct trace_error *err);

/* Reads the next event. Returns false at the end. Skips unfinished and unknown records. */
bool trace_subbuf_events_next(struct trace_subbuf_events *piece, struct trace_event *event);

#endif
