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
 * Writes the file header to @fd, a pipe or a connection, which the writer owns from now on, also on
 * failure. Messages name it @name. Returns 0 or -errno.
 */
int trace_writer_attach(int fd, const char *name, struct trace_writer **out,
			struct trace_error *err);

/* The same for a new and empty file. @swap: numbers are written in the other byte order. */
int trace_writer_attach_file(int fd, const char *name, bool swap, struct trace_writer **out,
			     struct trace_error *err);

/* Creates or truncates @path. */
int trace_writer_create(const char *path, struct trace_writer **out, struct trace_error *err);

/* Closing a complete trace waits until the peer of the connection has received everything. */
void trace_writer_await_peer(struct trace_writer *writer);

/*
 * Once @hurry, a descriptor that outlives the writer, is readable, writing fails instead of waiting
 * for room in a pipe or for the peer. -1: always wait.
 */
void trace_writer_hurry_by(struct trace_writer *writer, int hurry);

/* Compresses later chunks: zstd's level, 1 to 19; 0, the default: no compression. */
void trace_writer_pack(struct trace_writer *writer, int level);

/*
 * Exchanges the files of two writers, but not their compression. Other threads may use @writer
 * meanwhile, but not @other.
 */
void trace_writer_exchange(struct trace_writer *writer, struct trace_writer *other);

/* Writes a sub-buffer of @len bytes as read from the kernel. */
int trace_writer_data(struct trace_writer *writer, const void *subbuf, size_t len,
		      struct trace_error *err);

/* The same, never compressed: saves time. */
int trace_writer_data_plain(struct trace_writer *writer, const void *subbuf, size_t len,
			    struct trace_error *err);

/* Writes a part of the kernel's stack table, from byte @offset of the table on. */
int trace_writer_stacks(struct trace_writer *writer, uint64_t offset, const void *bytes, size_t len,
			struct trace_error *err);

/* Writes a named text. */
int trace_writer_snapshot(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
			  uint64_t time_ns, const char *text, size_t len, struct trace_error *err);

/*
 * Writes a part of a text, from byte @text_at on. Parts come in order, from 0 on; all have the same
 * @time_ns.
 */
int trace_writer_piece(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
		       uint64_t time_ns, uint32_t text_at, const char *text, size_t len,
		       struct trace_error *err);

/* Sets the number of the next chunk; 0: it and later ones have none. */
void trace_writer_number(struct trace_writer *writer, uint32_t number);

/*
 * Copies a chunk of another file of the same byte order, with its number: its header, followed by
 * @len bytes of payload.
 */
int trace_writer_copy(struct trace_writer *writer, const void *chunk, uint32_t len,
		      struct trace_error *err);

/* Returns the bytes written so far, by any thread. */
uint64_t trace_writer_bytes(const struct trace_writer *writer);

/*
 * Writes the END chunk if @complete, closes and frees the writer. Returns 0, or -errno if a chunk,
 * even an earlier one, could not be written, or -ESTALE if the file was removed or changed by
 * others.
 */
int trace_writer_close(struct trace_writer *writer, int complete, struct trace_error *err);

#endif
