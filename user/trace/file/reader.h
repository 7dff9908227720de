/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a .kmt file. Opening it walks the chunk headers once and keeps an index of them, a few
 * words per chunk; payloads are read, and their CRCs checked, on demand. A file that ends in the
 * middle of a chunk, lacks its END chunk, or has incompletely written chunks at its end can be
 * opened: trace_reader_cut() returns where it ends. A bad chunk in the middle is an error with its
 * offset.
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
 * Opens @count files, parts of one recording in any order, as one trace. -EINVAL if they are of
 * different boots.
 */
int trace_reader_open_all(const char *const *paths, size_t count, struct trace_reader **out,
			  struct trace_error *err);
void trace_reader_close(struct trace_reader *reader); /* NULL is allowed */

/* Returns the first path. */
const char *trace_reader_path(const struct trace_reader *reader);

/* Returns the bytes of all files. */
uint64_t trace_reader_size(const struct trace_reader *reader);

/*
 * Returns how many chunks are missing or out of order, by their numbers, except after the last
 * chunk of each file. 0 if the chunks have no numbers.
 */
uint64_t trace_reader_missing_chunks(const struct trace_reader *reader);

/* Returns how many of the texts read so far have a missing part. */
uint64_t trace_reader_torn_texts(const struct trace_reader *reader);

/* Returns true if there are several sessions of the tracer, between which nothing was traced. */
bool trace_reader_mixes_sessions(const struct trace_reader *reader);

/* Returns true if the first file is a later part of a recording, as record --rotate makes them. */
bool trace_reader_lacks_parts(const struct trace_reader *reader);

/*
 * Returns true if the last file is a part, and not known to be the last one: the tracer may have
 * continued after its final counters were read.
 */
bool trace_reader_ends_early(const struct trace_reader *reader);

/*
 * Returns true if the session had begun before the recorder, as with extract and record --continue:
 * then the tracer's counters at the start are of this session, otherwise of an earlier one.
 */
bool trace_reader_is_joined(const struct trace_reader *reader);

/*
 * Returns whether a CPU had sub-buffers that were read or dropped before the first file, as far as
 * that file shows. Sets *@records to the number of records that the CPU had written until then; 0:
 * unknown.
 */
bool trace_reader_has_earlier(const struct trace_reader *reader, uint32_t cpu, uint64_t *records);

/*
 * Returns true if a file lacks its END chunk or its last chunk is cut, with *@path the first such
 * file, owned by @reader, and *@offset the byte offset after its last complete chunk.
 */
bool trace_reader_cut(const struct trace_reader *reader, const char **path, uint64_t *offset);

/* Returns the number of CPUs that have DATA chunks, and lists them ascending. Owned by @reader. */
size_t trace_reader_cpus(const struct trace_reader *reader, const uint32_t **cpus);

/*
 * Reads the last snapshot @name of @phase, zero-terminated, for the caller to free(). Zeros in it
 * are replaced by question marks. Returns 0, -ENOENT if there is none, or another -errno. @time_ns
 * may be NULL.
 */
int trace_reader_snapshot(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			  char **text, size_t *len, uint64_t *time_ns, struct trace_error *err);

/* The same for the file @index, from 0 on. */
int trace_reader_file_snapshot(struct trace_reader *reader, size_t index, const char *name,
			       enum kmemtrace_phase phase, char **text, struct trace_error *err);

/*
 * The same for the start of the first file, or the end of the last one, which are those of the
 * whole recording.
 */
int trace_reader_outer_snapshot(struct trace_reader *reader, const char *name,
				enum kmemtrace_phase phase, char **text, struct trace_error *err);

size_t trace_reader_file_count(const struct trace_reader *reader);

/*
 * Returns the value of "key=" in the text "host" of the file @index, for the caller to free; NULL:
 * none.
 */
char *trace_reader_host(struct trace_reader *reader, size_t index, const char *key);

/* Concatenates all texts of that name and phase in all files. *@text is NULL if there are none. */
int trace_reader_every_snapshot(struct trace_reader *reader, const char *name,
				enum kmemtrace_phase phase, char **text, struct trace_error *err);

/* Stands for the outer frames of a stack that the tracer cut. It is not an address of code. */
#define TRACE_STACK_CUT      1
#define TRACE_STACK_CUT_NAME "… (cut)"
#define TRACE_STACK_MAX      (KMEMTRACE_STACK_DEPTH_MAX + 1) /* addresses, with TRACE_STACK_CUT */

/*
 * Calls @visit for each complete stack of the table, in order of id; @addrs innermost first, valid
 * during the call. The last address of a cut stack is TRACE_STACK_CUT. @visit returns 0 or -errno,
 * which ends the walk and is returned. A trace without stacks is no error.
 */
typedef int (*trace_stack_visitor)(void *data, uint32_t id, const uint64_t *addrs,
				   unsigned int depth);
int trace_reader_stacks(struct trace_reader *reader, trace_stack_visitor visit, void *data,
			struct trace_error *err);

#endif
