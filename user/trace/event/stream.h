/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of one CPU in time order. Holds one sub-buffer in memory, and the newest records of
 * the previous one. Losses are kept as time windows.
 */
#ifndef KMT_TRACE_EVENT_STREAM_H
#define KMT_TRACE_EVENT_STREAM_H

#include "event.h"
#include "trace/file/reader.h"

/* A loss on a CPU between two times. */
struct trace_loss_window {
	uint32_t cpu;
	uint32_t reason;  /* enum kmemtrace_loss, or a TRACE_LOSS_… below */
	uint64_t from_ns; /* the last time before the loss; unknown if equal to to_ns */
	uint64_t to_ns;   /* the first time after the loss */
	uint64_t count;   /* records (sub-buffers for TRACE_LOSS_MISSING) */
};

/*
 * Records of a session that are late by at most this much are sorted: a writer read the clock, was
 * interrupted, and wrote after the interrupt's records. The tracer writes with interrupts off, so
 * it never does this; other writers may. A later record is counted as backward and keeps its
 * position, and sorting starts anew from it.
 */
#define TRACE_TOLERANCE_NS 100000

/* Losses found by the reader, not reported by the kernel: */
#define TRACE_LOSS_MISSING KMEMTRACE_LOSS_MAX       /* whole sub-buffers */
#define TRACE_LOSS_SHORT   (KMEMTRACE_LOSS_MAX + 1) /* records at the end of a sub-buffer */
#define TRACE_LOSS_NR      (KMEMTRACE_LOSS_MAX + 2)

/* The state of a stream so far. All counters are of this CPU. */
struct trace_stream_stats {
	uint64_t events[KMEMTRACE_EVENT_NR]; /* by enum kmemtrace_event */
	uint64_t unknown; /* records of an event or context that this version does not know; skipped
			   */
	uint64_t unfinished;     /* records that their writer had not finished; skipped */
	uint64_t reordered;      /* late records that were sorted */
	uint64_t backward;       /* records later than TRACE_TOLERANCE_NS */
	uint64_t surplus;        /* records beyond the next header's count: unknown which ones */
	uint64_t without_stacks; /* records whose stacks the file doesn't hold: see below */
	uint64_t subbufs;
	uint64_t earlier;         /* sub-buffers before the first, in another file or dropped, */
	uint64_t earlier_records; /* and their records, */
	bool earlier_unknown;     /* whose number is unknown, as the next sub-buffers are missing */
	uint64_t begins_ns;       /* only if earlier: the first time with all events */
	uint64_t first_ns;        /* of the first record; 0: none */
	uint64_t last_ns;         /* of the last record */
	uint64_t bytes;           /* of sub-buffers, headers included */
	uint64_t ignored;         /* of all sessions, from the last header */
	uint64_t opened_ns;       /* of the last header: no header has later losses */
	uint64_t lost[KMEMTRACE_LOSS_MAX]; /* of the last session, from the last header */
	uint64_t next_seq;                 /* of the sub-buffer after the last one, */
	uint64_t next_written;             /* and the record count in its header */
};

struct trace_stream;

int trace_stream_open(struct trace_reader *reader, uint32_t cpu, struct trace_stream **out,
		      struct trace_error *err);
void trace_stream_close(struct trace_stream *stream);

/*
 * Reads the next event. Returns 1, 0 at the end, or -errno if a sub-buffer can't be read; the next
 * call continues after it, and it counts as missing. stack_id is 0 in events of a session whose
 * stacks the file doesn't hold.
 */
int trace_stream_next(struct trace_stream *stream, struct trace_event *event,
		      struct trace_error *err);

const struct trace_stream_stats *trace_stream_stats(const struct trace_stream *stream);

/*
 * Returns the windows found so far, in time order. They are owned by @stream, and valid until the
 * next call on it.
 */
size_t trace_stream_losses(const struct trace_stream *stream,
			   const struct trace_loss_window **windows);

#endif
