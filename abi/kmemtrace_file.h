/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The .kmt trace file: a header, then chunks, appended and never changed, so that a crash costs the
 * last chunk and never the file. Documentation/kmt-file.rst is the specification.
 *
 * All numbers are in the byte order of the machine that recorded (byte_order in the header); the
 * contents of a DATA or STACKS chunk are in the byte order of the traced machine, according to
 * their magic.
 */
#ifndef KMEMTRACE_FILE_H
#define KMEMTRACE_FILE_H

#include <linux/types.h>

/* The first byte is not text; CR LF and the lone LF reveal a transfer that changed line ends. */
#define KMEMTRACE_FILE_MAGIC		"\x89KMT\r\n\x1a\n"
#define KMEMTRACE_FILE_MAGIC_LEN	8
#define KMEMTRACE_FILE_BYTE_ORDER	0x01020304U
#define KMEMTRACE_FILE_VERSION		2	/* 2: ZSTD chunks, and texts in pieces */

struct kmemtrace_file_header {
	__u8 magic[KMEMTRACE_FILE_MAGIC_LEN];
	__u32 byte_order; /* KMEMTRACE_FILE_BYTE_ORDER; a reader that sees it swapped swaps all */
	__u16 version;		/* KMEMTRACE_FILE_VERSION; a reader refuses a higher one */
	__u16 header_len;	/* bytes from the file's start to the first chunk */
};

#define KMEMTRACE_CHUNK_MAGIC	0x4b4e4843U	/* "CHNK" as bytes on a little-endian machine */
#define KMEMTRACE_CHUNK_ALIGN	8		/* chunks start at multiples of this */
#define KMEMTRACE_CHUNK_MAX	(1U << 30)	/* no payload is longer, in bytes */
#define KMEMTRACE_SNAPSHOT_MAX	(1U << 28)	/* nor, unpacked, one of SNAPSHOT, */
#define KMEMTRACE_DATA_MAX	(1U << 24)	/* of DATA (no sub-buffer is longer), */
#define KMEMTRACE_STACKS_MAX	(1U << 24)	/* and of STACKS */
#define KMEMTRACE_CPUS_MAX	8192		/* no CPU has this number, or a higher one */
#define KMEMTRACE_RECORD_MAX	1024		/* bytes; no record is longer */

/* Chunk types. A reader skips a type that it does not know if KMEMTRACE_CHUNK_OPTIONAL is set. */
enum kmemtrace_chunk_type {
	KMEMTRACE_CHUNK_SNAPSHOT	= 1,	/* a named text, see below */
	KMEMTRACE_CHUNK_DATA		= 2,	/* one sub-buffer as the kernel gave it */
	KMEMTRACE_CHUNK_STACKS		= 3,	/* a piece of the stack table, see below */
	KMEMTRACE_CHUNK_END		= 4,	/* empty; the recording ended properly */
	KMEMTRACE_CHUNK_ZSTD		= 5,	/* one of the others, compressed, see below */
};

#define KMEMTRACE_CHUNK_OPTIONAL	1U	/* flag: a reader may skip it */

/* The number of a chunk: */
#define KMEMTRACE_CHUNK_PLACE	0x000fffffU	/* 1, 2, … to END; after the last one comes 0 */
#define KMEMTRACE_CHUNK_FILE	0xfff00000U	/* random, not 0, and the same in the whole file */

struct kmemtrace_chunk_header {
	__u32 magic;		/* KMEMTRACE_CHUNK_MAGIC */
	__u16 type;		/* enum kmemtrace_chunk_type */
	__u16 flags;		/* KMEMTRACE_CHUNK_OPTIONAL */
	__u32 len;		/* bytes of payload; zeros fill up to KMEMTRACE_CHUNK_ALIGN */
	__u32 payload_crc;	/* CRC-32 (zlib's, IEEE 802.3) of the payload without the fill */
	__u32 number;		/* KMEMTRACE_CHUNK_FILE | KMEMTRACE_CHUNK_PLACE; 0: not numbered */
	__u32 header_crc;	/* CRC-32 of the fields before this one */
};

#define KMEMTRACE_SNAPSHOT_NAME_MAX	64	/* bytes; no name is longer */

/*
 * SNAPSHOT: this, then the name, then the text up to the chunk's end, or a piece of it: the pieces
 * of a text have the same name and phase, and follow each other in the file in order.
 */
struct kmemtrace_chunk_snapshot {
	__u64 time_ns;		/* CLOCK_MONOTONIC when it was taken */
	__u16 phase;		/* enum kmemtrace_phase */
	__u16 name_len;		/* bytes of the name that follows, without a zero */
	__u32 text_at;		/* bytes of the text in earlier pieces; 0 begins a text */
};

enum kmemtrace_phase {
	KMEMTRACE_PHASE_START	= 0,	/* before tracing was enabled */
	KMEMTRACE_PHASE_END	= 1,	/* after it was disabled */
};

/*
 * STACKS: this, then bytes of the kernel's stack table from that offset on. All pieces of a file
 * are of one table, so of one session.
 */
struct kmemtrace_chunk_stacks {
	__u64 offset;		/* bytes from the table's start */
};

/*
 * ZSTD: this, then the first head_len bytes of another chunk's payload, then one zstd frame of the
 * other raw_len - head_len bytes. The head identifies the chunk without unpacking it.
 */
struct kmemtrace_chunk_zstd {
	__u16 type;		/* of the other chunk: SNAPSHOT, DATA or STACKS */
	__u16 head_len;		/* bytes of its payload that are not compressed */
	__u32 raw_len;		/* total bytes of its payload */
};

/*
 * A small file must not unpack to an arbitrary size. In each file, the raw_len of all ZSTD chunks
 * up to an offset add up to at most KMEMTRACE_UNPACKED_FREE + KMEMTRACE_UNPACKED_RATIO * offset.
 */
#define KMEMTRACE_UNPACKED_FREE		(1U << 24)	/* bytes */
#define KMEMTRACE_UNPACKED_RATIO	64

#define KMEMTRACE_FILE_ASSERT(what)	_Static_assert(what, #what)
KMEMTRACE_FILE_ASSERT(sizeof(struct kmemtrace_file_header) == 16);
KMEMTRACE_FILE_ASSERT(sizeof(struct kmemtrace_chunk_header) == 24);
KMEMTRACE_FILE_ASSERT(sizeof(struct kmemtrace_chunk_snapshot) == 16);
KMEMTRACE_FILE_ASSERT(sizeof(struct kmemtrace_chunk_stacks) == 8);
KMEMTRACE_FILE_ASSERT(sizeof(struct kmemtrace_chunk_zstd) == 8);

#endif /* KMEMTRACE_FILE_H */
