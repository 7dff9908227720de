/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds small .kmt files for tests: the test adds events, and the builder makes sub-buffers and a
 * stack table as the kernel would, and writes them with the real writer. Options select what the
 * real writer and kernel never do: another byte order, longer structures, gaps, a file without an
 * end.
 *
 * A builder never fails: an error in it is a bug of the test, and aborts.
 *
 * 	struct builder *b = builder_new(path);
 * 	uint32_t stack = builder_stack(b, (uint64_t[]){ 0x1000, 0x2000 }, 2);
 *
 * 	builder_event(b, 0, (struct trace_event){ .event = KMEMTRACE_EVENT_KMALLOC, .time_ns = 100,
 * 						  .addr = 0xffff888000001000, .bytes_req = 100,
 * 						  .bytes_alloc = 128, .stack_id = stack });
 * 	builder_snapshot(b, "caches", KMEMTRACE_PHASE_END, "1 192 kmalloc-192\n");
 * 	builder_finish(b);
 */
#ifndef KMT_TESTS_TRACE_BUILDER_H
#define KMT_TESTS_TRACE_BUILDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "trace/event/event.h"
#include "trace/file/reader.h"
#include "trace/file/writer.h"

/* The addresses of the linear map and of functions in the kernel of these traces. */
#define BASE	UINT64_C(0xffff888000000000)
#define TEXT	UINT64_C(0xffffffff81000000)

struct builder;

/* Differences from the traces that the kernel and the writer of this machine make. */
struct builder_options {
	bool swap_data;			/* sub-buffers and stack table in the other byte order */
	bool swap_file;			/* the file's own numbers in the other byte order */
	uint16_t subbuf_header_len;	/* bytes; 0: as in the ABI. More is filled with 0xa5 */
	uint16_t record_len;	/* bytes; 0: as in the ABI, without user stacks. What is behind
				 * struct kmemtrace_record_user is filled with 0xa5
				 */
	uint16_t stack_header_len;	/* bytes; 0: as in the ABI. More is filled with 0xa5 */
	size_t subbuf_records;		/* records that complete a sub-buffer; 0: 100 */
	uint64_t session;		/* 0: 1 */
};

/* Creates @path. builder_finish() or builder_finish_cut() frees the builder. */
struct builder *builder_new(const char *path);
struct builder *builder_new_with(const char *path, const struct builder_options *options);

/*
 * Adds one record on @cpu. event.cpu is ignored. TASK events use comm and tgid; MARK events text,
 * part and parts; page events order and migratetype, others cache. Only longer records have
 * user_stack_id and, except for TASK and the events about processes' memory, tgid.
 */
void builder_event(struct builder *b, uint32_t cpu, struct trace_event event);

/* A record as it is, in the host's byte order; type 0 makes an unfinished one. */
void builder_record(struct builder *b, uint32_t cpu, const struct kmemtrace_record *record);

/* Short forms, all in thread @tid in task context. Pages have 4096 bytes. */
void builder_kmalloc(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint64_t addr,
		     uint32_t bytes_req, uint32_t bytes_alloc, uint32_t stack_id);
void builder_kfree(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint64_t addr);
void builder_page_alloc(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid,
			uint64_t pfn, unsigned int order, uint32_t stack_id);
void builder_page_free(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid,
		       uint64_t pfn, unsigned int order);
void builder_task(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint32_t tgid,
		  const char *comm);

/* A mark, in as many records as it takes. */
void builder_mark(struct builder *b, uint32_t cpu, uint64_t time_ns, uint32_t tid,
		  const char *text);

/*
 * The id of a stack of @depth return addresses, innermost first; the same for the same stack. If
 * the last one is TRACE_STACK_CUT, the stack was cut after the others.
 */
uint32_t builder_stack(struct builder *b, const uint64_t *addrs, unsigned int depth);

/* The same by @offsets from TEXT, with 0 after the last; TRACE_STACK_CUT is kept. */
uint32_t builder_text_stack(struct builder *b, const unsigned int *offsets);

/* Adds to the counters of @cpu, which the header of its next sub-buffer will contain. */
void builder_lose(struct builder *b, uint32_t cpu, enum kmemtrace_loss reason, uint64_t count);
void builder_ignore(struct builder *b, uint32_t cpu, uint64_t count);

/* Completes the sub-buffer of @cpu, as if it were full. Nothing happens if none is open. */
void builder_flush(struct builder *b, uint32_t cpu);

/*
 * Opens a sub-buffer of @cpu, as the next record otherwise would; flushed at once, it has no
 * records.
 */
void builder_open(struct builder *b, uint32_t cpu, uint64_t time_ns);

/* Completes the sub-buffer of @cpu; its next @count sub-buffers are not in the file. */
void builder_skip_subbufs(struct builder *b, uint32_t cpu, uint64_t count);

/* The same, but the missing ones held @records: the next header counts them. */
void builder_overwrite(struct builder *b, uint32_t cpu, uint64_t count, uint64_t records);

/* Completes all; later events belong to another session, with counters from 0. Stacks stay. */
void builder_new_session(struct builder *b, uint64_t session);

/* Writes the new part of the stack table; builder_finish() does it too. */
void builder_flush_stacks(struct builder *b);

/* A text of the trace; its time is that of the latest event so far. */
void builder_snapshot(struct builder *b, const char *name, enum kmemtrace_phase phase,
		      const char *text);

/* The snapshot "stats" of the end, with the counters as they are now. */
void builder_stats(struct builder *b);

/* The writer, for other chunks that a test adds to the file. */
struct trace_writer *builder_writer(struct builder *b);

/*
 * Completes everything, writes "stats" of the end unless it's there, and END, closes and frees.
 * _uncounted: the same without "stats". _cut: the same without both.
 */
void builder_finish(struct builder *b);
void builder_finish_uncounted(struct builder *b);
void builder_finish_cut(struct builder *b);

#endif
