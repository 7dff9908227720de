/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the reader's files: the index of a file's chunks, and the headers inside chunks.
 * Private to the trace layer.
 *
 * Invariant of the index: each chunk in it is completely in the file, and the CRC of its header is
 * right. Only trace_reader_payload() checks the CRC of a payload.
 */
#ifndef KMT_TRACE_FILE_INDEX_H
#define KMT_TRACE_FILE_INDEX_H

#include "trace/file/chunk.h"
#include "trace/file/reader.h"

#include "kmemtrace_abi.h"

/* One of the files that are read as one. */
struct trace_file {
	char *path;
	int fd;
	uint64_t size;     /* bytes */
	uint64_t end;      /* offset after the last complete chunk */
	uint64_t unpacked; /* unpacked bytes of its packed chunks, from their headers */
	bool has_end;      /* the last chunk is END */
	struct trace_file_header header;
	uint64_t begun_ns; /* time of its first text; 0: none at the beginning */
};

/* Returns whether @file has no END, or more behind its last complete chunk. */
static inline bool trace_file_is_cut(const struct trace_file *file)
{
	return !file->has_end || file->end < file->size;
}

/* One chunk. A packed one has the data of the chunk in it. */
struct trace_chunk {
	uint64_t offset;      /* of its header in the file, bytes */
	uint32_t len;         /* bytes of payload, unpacked */
	uint32_t stored_len;  /* bytes of payload in the file */
	uint32_t payload_crc; /* of the stored payload */
	uint16_t head_len;    /* packed chunks only: bytes of payload stored uncompressed */
	uint16_t type;        /* enum kmemtrace_chunk_type, or an unknown type */
	uint16_t flags;
	uint16_t file;   /* index of its file */
	uint32_t number; /* 0: not numbered */
	bool packed;     /* stored as a ZSTD chunk */
	uint32_t cpu;    /* DATA only, as the next two */
	uint64_t session;
	uint64_t seq;
	uint64_t table_offset; /* STACKS only: offset in the stack table */
	bool begins_stacks;    /* STACKS only: contains the header of the stack table */
	bool damaged;          /* invalid payload; checking the CRC gives the reason */
};

/* A SNAPSHOT chunk. */
struct trace_snapshot {
	size_t chunk; /* index of the chunk */
	uint64_t time_ns;
	uint16_t phase;     /* enum kmemtrace_phase */
	uint16_t text_from; /* bytes of the payload before the text */
	uint32_t text_at;   /* bytes of the text in earlier chunks */
	bool intact;        /* its CRC was checked */
	bool torn;          /* its text was read, and the next part of it is missing */
	char name[KMEMTRACE_SNAPSHOT_NAME_MAX + 1];
};

/* A growable buffer. */
struct trace_buffer {
	uint8_t *bytes;
	size_t room;
};

struct trace_reader {
	char *path;               /* for messages about all files */
	struct trace_file *files; /* in order of time */
	size_t file_count;
	struct trace_unpacker *unpacker; /* NULL until needed */
	struct trace_chunk *chunks;      /* in order of file and offset */
	size_t chunk_count, chunk_room;
	uint64_t missing_chunks;          /* by their numbers, with misplaced ones */
	uint64_t torn_texts;              /* texts read so far with a missing part */
	struct trace_snapshot *snapshots; /* in order of file and offset */
	size_t snapshot_count, snapshot_room;
	size_t stack_heads;     /* chunks that begin the stack table */
	uint64_t stack_session; /* only if stack_heads: the session of these stacks, */
	const char *stack_path; /* and the last file with such stacks; owned by the file */
	bool begins_late;       /* missing sub-buffers before the first ones are not lost */
	bool lacks_parts;       /* the first file is a later part */
	bool ends_early;        /* it is a part, maybe not the last one */
	bool mixes_sessions;    /* has several sessions of the tracer, between which it was off */
	bool is_joined;         /* the session began before the recorder */
	uint64_t *consumed;     /* by CPU: sub-buffers consumed before the file; or NULL */
	uint64_t *written;      /* if consumed: by CPU: records written before the file */
	const struct trace_chunk **data; /* DATA by CPU, session, sequence and position */
	uint32_t *cpus;                  /* ascending */
	size_t *cpu_data; /* by index in cpus: its first chunk in data; one more at the end */
	size_t cpu_count;
	struct trace_buffer spare; /* for the stream that reads next */
};

/* Adds the chunks of the file @index, whose header was read. Returns 0 or -errno. */
int trace_index_add(struct trace_reader *reader, size_t index, struct trace_error *err);

/* Returns the file of @chunk. */
static inline struct trace_file *trace_chunk_file(const struct trace_reader *reader,
						  const struct trace_chunk *chunk)
{
	return &reader->files[chunk->file];
}

/* Opens the regular file @path and sets the descriptor and the size. Returns 0 or -errno. */
int trace_file_open(struct trace_file *file, const char *path, struct trace_error *err);

/*
 * Returns the first offset from @offset on that is not in a hole; the file's size if there is none.
 * Zeros in a hole take no disk space, but as much time to read as others.
 */
uint64_t trace_file_skip_hole(const struct trace_file *file, uint64_t offset);

/* Reads exactly @len bytes at @offset. Returns 0 or -errno. */
int trace_file_read(const struct trace_file *file, uint64_t offset, void *bytes, size_t len,
		    struct trace_error *err);

/* Reads the payload of @chunk, chunk->len bytes, and checks its CRC. Returns 0 or -errno. */
int trace_reader_payload(struct trace_reader *reader, const struct trace_chunk *chunk, void *bytes,
			 struct trace_error *err);

/* Reads the payload into memory that the caller free()s, zero-terminated. */
int trace_reader_load(struct trace_reader *reader, const struct trace_chunk *chunk, uint8_t **bytes,
		      struct trace_error *err);

/* Checks the CRC of @chunk's payload without keeping it. Returns 0 or -errno. */
int trace_reader_verify(struct trace_reader *reader, const struct trace_chunk *chunk,
			struct trace_error *err);

/*
 * Makes room for one more after @count items of @size bytes. Returns @items, maybe moved, or NULL.
 */
void *trace_grow(void *items, size_t count, size_t *room, size_t size);

/* A sub-buffer's header in the host's byte order. */
struct trace_subbuf {
	bool swap; /* it is in the other byte order */
	uint16_t header_len;
	uint16_t record_len;
	uint32_t cpu;
	uint64_t seq;
	uint64_t time_ns;
	uint64_t session;
	uint64_t written;
	uint64_t ignored;
	uint64_t lost[KMEMTRACE_LOSS_MAX];
};

/*
 * Checks and decodes the sub-buffer header at @bytes, of which min(@len, sizeof(struct
 * kmemtrace_subbuf_header)) are readable. @len: bytes of the whole sub-buffer. @path and @offset
 * (of the sub-buffer) are for the error.
 */
int trace_subbuf_parse(const uint8_t *bytes, size_t len, struct trace_subbuf *out, const char *path,
		       uint64_t offset, struct trace_error *err);

struct trace_event;

/*
 * Decodes a record of @len bytes, without event->cpu. Returns false if it is unfinished or unknown,
 * with only event->event set.
 */
bool trace_record_decode(const uint8_t *record, size_t len, bool swap, struct trace_event *event);

/* The stack table's header in the host's byte order. */
struct trace_stack_head {
	bool swap;
	uint16_t header_len;
	uint64_t session;
};

/* Checks and decodes the header in the first @len bytes of the stack table, likewise. */
int trace_stack_head_parse(const uint8_t *bytes, size_t len, struct trace_stack_head *out,
			   const char *path, struct trace_error *err);

#endif
