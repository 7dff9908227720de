/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the reader and the streams share: the index of a file's chunks, and the header of a sub-buffer.
 * Private to the trace layer.
 */
#ifndef KMT_TRACE_INDEX_H
#define KMT_TRACE_INDEX_H

#include "trace/reader.h"

#include "kmemtrace_abi.h"

/* One chunk of the file. */
struct trace_chunk {
	uint64_t offset;	/* of its header, bytes */
	uint32_t len;		/* bytes of payload */
	uint32_t payload_crc;
	uint16_t type;		/* enum kmemtrace_chunk_type, or one that we don't know */
	uint16_t flags;
	uint32_t cpu;		/* DATA alone, as the next two */
	uint64_t session;
	uint64_t seq;
};

struct trace_reader {
	char *path;
	int fd;
	uint64_t size;		/* of the file, bytes */
	uint64_t end;		/* offset behind the last complete chunk */
	bool swap;		/* the file is in the other byte order */
	bool has_end;		/* an END chunk was seen */
	uint16_t header_len;
	size_t chunk_header_len;
	struct trace_chunk *chunks;	/* in order of offset */
	size_t chunk_count, chunk_room;
	uint32_t *cpus;			/* ascending */
	size_t cpu_count;
};

/* Reads the payload of @chunk, chunk->len bytes, and checks its CRC. */
int trace_reader_payload(struct trace_reader *reader, const struct trace_chunk *chunk, void *bytes,
			 struct trace_error *err);

/* A sub-buffer's header in the host's byte order. */
struct trace_subbuf {
	bool swap;		/* it is in the other byte order */
	uint16_t header_len;
	uint16_t record_len;
	uint32_t cpu;
	uint64_t seq;
	uint64_t time_ns;
	uint64_t session;
	uint64_t ignored;
	uint64_t lost[KMEMTRACE_LOSS_MAX];
};

/*
 * Checks and decodes the header at @bytes, of which at least sizeof(struct kmemtrace_subbuf_header)
 * are there; @len: bytes of the whole sub-buffer. @path and @offset are for the error.
 */
int trace_subbuf_parse(const uint8_t *bytes, size_t len, struct trace_subbuf *out, const char *path,
		       uint64_t offset, struct trace_error *err);

#endif
