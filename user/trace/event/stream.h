/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of one CPU in time order. Holds one sub-buffer in memory, and the newest records of
 * the previous one. Losses are kept as time windows.
 */
#ifndef KMT_TRACE_EVENT_STREAM_H
#define KMT_TRACE_EVENT_STREAM_H

#include "event.h"
#include "trace/file/reader.h"

/* Something was lost on a CPU between two times. */
struct trace_loss_window {
	uint32_t cpu;
	uint32_t reason; /* enum kmemtrace_loss; TRACE_LOSS_MISSING: whole sub-buffers are not there
			  */
	uint64_t from_ns; /* the last time at which all was still there; as to_ns: not known */
	uint64_t to_ns;   /* from here on all is there again */
	uint64_t count;   /* records (sub-buffers for TRACE_LOSS_MISSING) */
};

/*
 * Within a session order of time is restored exactly for records that come late by this much at
 * most: a writer that takes the time, is interrupted, and writes behind the interrupt's records.
 * The tracer doesn't do so (it writes with interrupts off), others may. What comes later than that
 * is counted and keeps its place; from it on order begins anew.
 */
#define TRACE_TOLERANCE_NS 100000

/* Found by the reader, not by the kernel: */
#define TRACE_LOSS_MISSING KMEMTRACE_LOSS_MAX       /* sub-buffers that are not there */
#define TRACE_LOSS_SHORT   (KMEMTRACE_LOSS_MAX + 1) /* records at the ends of others */
#define TRACE_LOSS_NR      (KMEMTRACE_LOSS_MAX + 2)

/* The state of a stream so far. All counters are of this CPU. */
struct trace_stream_stats {
	uint64_t events[KMEMTRACE_EVENT_NR]; /* by enum kmemtrace_event */
	uint64_t unknown; /* records of an event or context that this version does not know; skipped
			   */
	uint64_t unfinished;     /* records that their writer had not finished; skipped */
	uint64_t reordered;      /* records that came late and were put where they belong */
	uint64_t backward;       /* records too late for that: by more than TRACE_TOLERANCE_NS */
	uint64_t surplus;        /* records beyond the next header's count: unknown which */
	uint64_t without_stacks; /* records whose stacks the file doesn't hold: see below */
	uint64_t subbufs;
	uint64_t earlier;         /* sub-buffers before the first, in another file or dropped, */
	uint64_t earlier_records; /* and records in them, */
	bool earlier_unknown;     /* unknown, since the next ones are missing */
	uint64_t begins_ns;       /* earlier alone: from here on all is there */
	uint64_t first_ns;        /* of the first record; 0: none */
	uint64_t last_ns;         /* of the last record */
	uint64_t bytes;           /* of sub-buffers, headers included */
	uint64_t ignored;         /* as the last header says, of all sessions */
	uint64_t opened_ns;       /* of the last header: later losses are in no header */
	uint64_t lost[KMEMTRACE_LOSS_MAX]; /* as the last header says, of its session alone */
	uint64_t next_seq;                 /* that of a sub-buffer behind the last one, */
	uint64_t next_written;             /* and how many records its header would tell */
};

struct trace_stream;

int trace_stream_open(struct trace_reader *reader, uint32_t cpu, struct trace_stream **out,
		      struct trace_error *err);
void trace_stream_close(struct trace_stream *stream);

/*
 * The next event. Returns 1, 0 at the end, or -errno if a sub-buffer can't be read; the next call
 * continues after it, and it counts as missing. stack_id is 0 in events of a session whose stacks
 * the file doesn't hold.
 */
int trace_stream_next(struct trace_stream *stream, struct trace_event *event,
		      struct trace_error *err);

const struct trace_stream_stats *trace_stream_stats(const struct trace_stream *stream);

/* The windows seen so far, in order of time. Owned by @stream, valid until the next call on it. */
size_t trace_stream_losses(const struct trace_stream *stream,
			   const struct trace_loss_window **windows);

#endif
