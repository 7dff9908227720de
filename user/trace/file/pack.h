/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses chunk payloads into ZSTD chunks, and decompresses them. The header inside a chunk
 * stays uncompressed in front; the rest is one zstd frame. Private to the trace layer.
 */
#ifndef KMT_TRACE_FILE_PACK_H
#define KMT_TRACE_FILE_PACK_H

#include <stddef.h>
#include <stdint.h>

/* Memory for compression in one thread. */
struct trace_packer;

/*
 * Returns NULL if memory is short. @level: 1 to 19; higher ones need more memory for decompression.
 */
struct trace_packer *trace_packer_new(int level);
void trace_packer_free(struct trace_packer *packer); /* NULL is allowed */

/*
 * Compresses @len bytes. Returns the length of the result at *@out, owned by the packer until its
 * next use; 0 if it would not be shorter or memory is short: then store the bytes uncompressed.
 */
size_t trace_packer_pack(struct trace_packer *packer, const void *bytes, size_t len,
			 const void **out);

/* Memory for decompression in one thread. */
struct trace_unpacker;

struct trace_unpacker *trace_unpacker_new(void);
void trace_unpacker_free(struct trace_unpacker *unpacker); /* NULL is allowed */

/*
 * Returns room for @len compressed bytes, owned by the unpacker until the next call, or NULL if
 * memory is short.
 */
uint8_t *trace_unpacker_room(struct trace_unpacker *unpacker, size_t len);

/*
 * Decompresses the @len bytes at @packed, which must give @out_len bytes. Returns 0, or -EBADMSG
 * with *@why, a static text.
 */
int trace_unpacker_unpack(struct trace_unpacker *unpacker, const void *packed, size_t len,
			  void *out, size_t out_len, const char **why);

#endif
