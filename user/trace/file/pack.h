/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses chunk payloads into ZSTD chunks, and decompresses them. The header inside a chunk
 * stays uncompressed in front; the rest is one zstd frame. Private to the trace layer.
 */
#ifndef KMT_TRACE_FILE_PACK_H
#define KMT_TRACE_FILE_PACK_H

#include <stddef.h>
#include <stdint.h>

/* One thread's memory for packing; not to be shared. */
struct trace_packer;

/* NULL if there is no memory. @level: 1 to 19; above, memory for unpacking grows. */
struct trace_packer *trace_packer_new(int level);
void trace_packer_free(struct trace_packer *packer); /* NULL is allowed */

/*
 * Packs @len bytes. Returns the length of what is at *@out, which is the packer's until its next
 * use; or 0 if that would not be shorter, or there is no memory: then they are better left alone.
 */
size_t trace_packer_pack(struct trace_packer *packer, const void *bytes, size_t len,
			 const void **out);

/* What unpacking needs, for one thread at a time. */
struct trace_unpacker;

struct trace_unpacker *trace_unpacker_new(void);
void trace_unpacker_free(struct trace_unpacker *unpacker); /* NULL is allowed */

/*
 * Room for @len packed bytes, the unpacker's until the next call; NULL if there is no memory.
 */
uint8_t *trace_unpacker_room(struct trace_unpacker *unpacker, size_t len);

/*
 * Unpacks the @len bytes at @packed, which must give @out_len bytes. Returns 0, or -EBADMSG with
 * *@why, a static text.
 */
int trace_unpacker_unpack(struct trace_unpacker *unpacker, const void *packed, size_t len,
			  void *out, size_t out_len, const char **why);

#endif
