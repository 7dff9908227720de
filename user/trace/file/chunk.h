/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Encodes, decodes and checks the file header and chunk headers, for the reader, the receiver and
 * recovery.
 */
#ifndef KMT_TRACE_FILE_CHUNK_H
#define KMT_TRACE_FILE_CHUNK_H

#include "error.h"
#include "kmemtrace_file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_FILE_HEADER_LEN  sizeof(struct kmemtrace_file_header)
#define TRACE_CHUNK_HEADER_LEN sizeof(struct kmemtrace_chunk_header)

/* A file header in the host's byte order. */
struct trace_file_header {
	bool swap; /* the file is in the other byte order */
	uint16_t version;
	uint16_t header_len;
};

/*
 * Checks and decodes the file header in the first @len bytes of a file; TRACE_FILE_HEADER_LEN are
 * needed. Returns 0 or -errno, with an error that names @path.
 */
int trace_file_header_parse(const void *bytes, size_t len, struct trace_file_header *out,
			    const char *path, struct trace_error *err);

/* Encodes a file header in this machine's byte order, or in the other one if @swap. */
void trace_file_header_make(void *bytes, bool swap);

/* A chunk header in the host's byte order. */
struct trace_chunk_header {
	uint16_t type; /* enum kmemtrace_chunk_type, or an unknown type */
	uint16_t flags;
	uint32_t len; /* bytes of payload */
	uint32_t payload_crc;
	uint32_t number; /* 0: not numbered */
};

/*
 * Checks and decodes the TRACE_CHUNK_HEADER_LEN bytes of a header. @swap: they are in the other
 * byte order. Returns -EBADMSG for no header or a damaged one; *@out is filled in nevertheless.
 * @path and @offset are for the error.
 */
int trace_chunk_header_parse(const void *bytes, bool swap, struct trace_chunk_header *out,
			     const char *path, uint64_t offset, struct trace_error *err);

/* Encodes a chunk header. */
void trace_chunk_header_make(const struct trace_chunk_header *header, bool swap, void *bytes);

/* Returns the bytes from a chunk with a payload of @len to the next one. */
uint64_t trace_chunk_span(uint32_t len);

/* Continues the CRC of a payload; the initial value is 0. */
uint32_t trace_crc(uint32_t crc, const void *bytes, size_t len);

/* Returns the number of the chunk after number @number. */
static inline uint32_t trace_chunk_number_next(uint32_t number)
{
	return (number & KMEMTRACE_CHUNK_FILE) | ((number + 1) & KMEMTRACE_CHUNK_PLACE);
}

#endif
