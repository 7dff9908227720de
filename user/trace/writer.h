/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a .kmt file, chunk after chunk. Several threads may write chunks at the same time: each
 * chunk goes out whole, in one piece of the file. Nothing that was written is ever changed.
 */
#ifndef KMT_TRACE_WRITER_H
#define KMT_TRACE_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include "error.h"
#include "kmemtrace_file.h"

struct trace_writer;

/* Creates or empties @path and writes the file header. Returns 0 or -errno. */
int trace_writer_create(const char *path, struct trace_writer **out, struct trace_error *err);

/* One sub-buffer of @len bytes as the kernel gave it. */
int trace_writer_data(struct trace_writer *writer, const void *subbuf, size_t len,
		      struct trace_error *err);

/* A piece of the kernel's stack table from byte @offset of the table on. */
int trace_writer_stacks(struct trace_writer *writer, uint64_t offset, const void *bytes, size_t len,
			struct trace_error *err);

/* A named text. */
int trace_writer_snapshot(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
			  uint64_t time_ns, const char *text, size_t len, struct trace_error *err);

/* Bytes written so far, by any thread. */
uint64_t trace_writer_bytes(const struct trace_writer *writer);

/*
 * Writes the END chunk if @complete, and closes. The writer is gone afterwards, whatever is
 * returned: 0, or -errno if something (also an earlier chunk) could not be written.
 */
int trace_writer_close(struct trace_writer *writer, int complete, struct trace_error *err);

#endif
