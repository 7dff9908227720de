/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a .kmt file. Opening it walks the chunk headers once and keeps an index of them, a few
 * words per chunk; payloads are read, and their CRCs checked, on demand. A file that ends in the
 * middle of a chunk, lacks its END chunk, or has chunks that never reached the disk can be opened:
 * trace_reader_cut() returns where it ends. A bad chunk in the middle is an error with its offset.
 */
#ifndef KMT_TRACE_FILE_READER_H
#define KMT_TRACE_FILE_READER_H

#include "error.h"
#include "kmemtrace_file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_reader;

/*
 * Opens @path, a regular file. On success *@out is the caller's, for trace_reader_close(). Returns
 * 0 or -errno.
 */
int trace_reader_open(const char *path, struct trace_reader **out, struct trace_error *err);

/*
 * Opens @count files, parts of one recording in any order, to be read as if they were one. -EINVAL
 * if they are not of one boot.
 */
int trace_reader_open_all(const char *const *paths, size_t count, struct trace_reader **out,
			  struct trace_error *err);
void trace_reader_close(struct trace_reader *reader); /* NULL is allowed */

/* The path that was given first. */
const char *trace_reader_path(const struct trace_reader *reader);

/* Bytes of all files. */
uint64_t trace_reader_size(const struct trace_reader *reader);

/*
 * How many chunks the files lack in front of their last ones, and how many aren't in order, by the
 * numbers that a recorder gives them. 0 of files whose chunks have none.
 */
uint64_t trace_reader_missing_chunks(const struct trace_reader *reader);

/* How many of the texts that were read so far lack a piece. */
uint64_t trace_reader_torn_texts(const struct trace_reader *reader);

/* True if events are of several sessions of the tracer, between which nothing was traced. */
bool trace_reader_mixes_sessions(const struct trace_reader *reader);

/* True if the first file is a later part of a recording, as record --rotate makes them. */
bool trace_reader_lacks_parts(const struct trace_reader *reader);

/*
 * True if the last file is a part of a recording, and not known to be the last one: the tracer may
 * have continued after its final counters were read.
 */
bool trace_reader_ends_early(const struct trace_reader *reader);

/*
 * True if the session had begun before the recorder came, as with extract and record --continue:
 * then the tracer's counters of the start are of it, else of an earlier session.
 */
bool trace_reader_is_joined(const struct trace_reader *reader);

/*
 * True if a file lacks its END chunk or its last chunk is cut; then *@path is the first such file,
 * owned by @reader, and *@offset the byte offset behind its last complete chunk.
 */
bool trace_reader_cut(const struct trace_reader *reader, const char **path, uint64_t *offset);

/* The CPUs that have DATA chunks, ascending. Owned by @reader. */
size_t trace_reader_cpus(const struct trace_reader *reader, const uint32_t **cpus);

/*
 * The text of the snapshot @name of @phase, zero-terminated; the caller frees it with free(). Zeros
 * in it are question marks.
 * -ENOENT if the file has none. If there are several, the last one counts. @time_ns may be NULL.
 */
int trace_reader_snapshot(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			  char **text, size_t *len, uint64_t *time_ns, struct trace_error *err);

/* The same of the file @index alone, 0 being the first one, as it is there last. */
int trace_reader_file_snapshot(struct trace_reader *reader, size_t index, const char *name,
			       enum kmemtrace_phase phase, char **text, struct trace_error *err);

/* All texts of that name and phase in all files, one behind the other. NULL in *@text: none. */
int trace_reader_every_snapshot(struct trace_reader *reader, const char *name,
				enum kmemtrace_phase phase, char **text, struct trace_error *err);

/*
 * Stands for all frames of a stack that are farther out than those that the tracer kept. It's no
 * address of code.
 */
#define TRACE_STACK_CUT      1
#define TRACE_STACK_CUT_NAME "… (cut)"
#define TRACE_STACK_MAX      (KMEMTRACE_STACK_DEPTH_MAX + 1) /* addresses, with TRACE_STACK_CUT */

/*
 * Calls @visit for each complete stack of the table, in order of id; @addrs innermost first, valid
 * during the call. The last one of a stack that was cut is TRACE_STACK_CUT. @visit returns 0 or
 * -errno, which ends it and is returned. No stacks at all are no error.
 */
typedef int (*trace_stack_visitor)(void *data, uint32_t id, const uint64_t *addrs,
				   unsigned int depth);
int trace_reader_stacks(struct trace_reader *reader, trace_stack_visitor visit, void *data,
			struct trace_error *err);

#endif
