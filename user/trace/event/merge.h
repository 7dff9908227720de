/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All events of a trace in time order: a k-way merge of the CPUs' streams. Events of the same time
 * are ordered by CPU, and those of one CPU as they were written, so the same file always gives the
 * same order.
 */
#ifndef KMT_TRACE_EVENT_MERGE_H
#define KMT_TRACE_EVENT_MERGE_H

#include <stdbool.h>

#include "stream.h"

struct trace_merge;

/* @reader must outlive the merge. */
int trace_merge_open(struct trace_reader *reader, struct trace_merge **out,
		     struct trace_error *err);
void trace_merge_close(struct trace_merge *merge);

/* Reads the next event. Returns 1, 0 at the end, or -errno; after an error no more events come. */
int trace_merge_next(struct trace_merge *merge, struct trace_event *event, struct trace_error *err);

/*
 * Like trace_merge_next(), without a copy, in half the time. The event is valid until the next call
 * of either.
 */
int trace_merge_look(struct trace_merge *merge, const struct trace_event **event,
		     struct trace_error *err);

/* Sets *@time_ns to the time of the first event. Returns 1, 0 if there is none, or -errno. */
int trace_merge_first_time(struct trace_reader *reader, uint64_t *time_ns, struct trace_error *err);

/* The streams, for their statistics and losses: one for each CPU, ascending. */
size_t trace_merge_streams(const struct trace_merge *merge);
const struct trace_stream *trace_merge_stream(const struct trace_merge *merge, size_t index,
					      uint32_t *cpu);

/* The first time from which the events of all CPUs are present. */
struct trace_beginning {
	bool late;        /* some CPU's oldest events are missing */
	uint32_t cpu;     /* only if late: the CPU whose events begin last, */
	uint64_t time_ns; /* and their first time */
	uint64_t missing; /* older records of all CPUs that are missing; 0: unknown */
};

/* Valid after the first event was returned, and constant from then on. */
struct trace_beginning trace_merge_beginning(const struct trace_merge *merge);

/*
 * Returns the start of the trace: @first_ns, the time of the first event or, if the trace begins
 * late, its beginning if that is later. The beginning of an extract may be in the pause.
 */
uint64_t trace_merge_start(const struct trace_merge *merge, uint64_t first_ns);

#endif
