/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a .kmt file, or the same bytes to a pipe or a connection, chunk by chunk. Several threads
 * may write chunks concurrently; each chunk is contiguous in the file. Written bytes never change.
 */
#ifndef KMT_TRACE_FILE_WRITER_H
#define KMT_TRACE_FILE_WRITER_H

#include "error.h"
#include "kmemtrace_file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_writer;

/*
 * Writes the file header into @fd, which is the writer's from here on, also if that fails: a pipe,
 * a connection. @name stands for it in messages. Returns 0 or -errno.
 */
int trace_writer_attach(int fd, const char *name, struct trace_writer **out,
			struct trace_error *err);

/*
 * The same for a new and empty file. @swap: the file's numbers are in the other byte order than
 * this machine's.
 */
int trace_writer_attach_file(int fd, const char *name, bool swap, struct trace_writer **out,
			     struct trace_error *err);

/* Creates or empties @path. */
int trace_writer_create(const char *path, struct trace_writer **out, struct trace_error *err);

/* It writes into a connection: a whole trace is not closed before its other end has all of it. */
void trace_writer_await_peer(struct trace_writer *writer);

/*
 * Where writing would wait, for room in a pipe or for the other end of a connection, it fails
 * once @hurry, a descriptor that outlives the writer, is readable. -1: it waits.
 */
void trace_writer_hurry_by(struct trace_writer *writer, int hurry);

/* Packs what comes from now on: zstd's level, 1 to 19; 0: packs nothing, as at first. */
void trace_writer_pack(struct trace_writer *writer, int level);

/*
 * Exchanges the files of the two; packing of each continues as before. Others may use @writer
 * meanwhile, but not @other.
 */
void trace_writer_exchange(struct trace_writer *writer, struct trace_writer *other);

/* One sub-buffer of @len bytes as the kernel gave it. */
int trace_writer_data(struct trace_writer *writer, const void *subbuf, size_t len,
		      struct trace_error *err);

/* The same, and never packed: for those who have no time. */
int trace_writer_data_plain(struct trace_writer *writer, const void *subbuf, size_t len,
			    struct trace_error *err);

/* A piece of the kernel's stack table from byte @offset of the table on. */
int trace_writer_stacks(struct trace_writer *writer, uint64_t offset, const void *bytes, size_t len,
			struct trace_error *err);

/* A named text. */
int trace_writer_snapshot(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
			  uint64_t time_ns, const char *text, size_t len, struct trace_error *err);

/*
 * A piece of one, from byte @text_at of the text on. The first one has 0, the others come in order;
 * all have the same @time_ns.
 */
int trace_writer_piece(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
		       uint64_t time_ns, uint32_t text_at, const char *text, size_t len,
		       struct trace_error *err);

/* The next chunk has this number; 0: it and those behind it have none. */
void trace_writer_number(struct trace_writer *writer, uint32_t number);

/*
 * A chunk of another file of the same byte order as it is, with its number: its header, and @len
 * bytes of payload behind it.
 */
int trace_writer_copy(struct trace_writer *writer, const void *chunk, uint32_t len,
		      struct trace_error *err);

/* Bytes written so far, by any thread. */
uint64_t trace_writer_bytes(const struct trace_writer *writer);

/*
 * Writes the END chunk if @complete, closes and frees the writer. Returns 0, or -errno if a chunk,
 * even an earlier one, could not be written.
 */
int trace_writer_close(struct trace_writer *writer, int complete, struct trace_error *err);

#endif
