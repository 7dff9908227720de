/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace as a list of chunks that can be changed one by one. The payloads of packed chunks are
 * unpacked; when the trace is written, they are packed again, and all CRCs are correct.
 */
#ifndef KMT_TESTS_FUZZ_CHUNKS_H
#define KMT_TESTS_FUZZ_CHUNKS_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kmemtrace_file.h"

#define CHUNK_AS_IT_IS	(-1)

struct chunk {
	uint16_t type;		/* of the chunk in it, if it is packed */
	uint16_t flags;
	uint32_t number;
	bool packed;		/* written as a ZSTD chunk; payload is still unpacked */
	uint16_t head_len;	/* bytes that stay unpacked; packed alone */
	int64_t len;		/* of the payload, by the header, or CHUNK_AS_IT_IS */
	int64_t raw_len;	/* the same of the unpacked length */
	GByteArray *payload;
};

struct trace {
	bool swap;		/* the file is in the other byte order */
	GByteArray *head;	/* its header */
	GPtrArray *chunks;
	GByteArray *rest;	/* bytes after the chunks */
	size_t cut;		/* bytes that are left out at the end */
	uint64_t random;	/* for the code that changes it; starts as 0 */
};

/*
 * Splits a file into chunks. Returns false if it is no trace. The caller must call chunks_clear()
 * on @trace in any case.
 */
bool chunks_parse(struct trace *trace, const uint8_t *data, size_t size);
void chunks_clear(struct trace *trace);

/* Writes it to @data. Returns its size in bytes; 0 if that exceeds @room. */
size_t chunks_write(const struct trace *trace, uint8_t *data, size_t room);

/* A copy for trace->chunks. */
struct chunk *chunks_copy(const struct chunk *chunk);

/* A number of @size bytes in the host's byte order, or in the other one if @swap. */
uint64_t bytes_get(const uint8_t *bytes, size_t size, bool swap);
void bytes_put(uint8_t *bytes, size_t size, bool swap, uint64_t value);

/* Replaces @len bytes at @at with the @new_len bytes at @new. */
void bytes_splice(GByteArray *bytes, size_t at, size_t len, const void *new, size_t new_len);

GByteArray *bytes_copy(const void *bytes, size_t len);

#endif
