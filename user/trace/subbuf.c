// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>

#include "trace/cursor.h"
#include "trace/index.h"

static void read_fields(struct trace_cursor *cursor, struct trace_subbuf *out)
{
	trace_cursor_u8(cursor);	/* byte_order: the magic has told */
	trace_cursor_u8(cursor);	/* word_size */
	out->cpu = trace_cursor_u32(cursor);
	out->seq = trace_cursor_u64(cursor);
	out->time_ns = trace_cursor_u64(cursor);
	out->session = trace_cursor_u64(cursor);
	trace_cursor_u64(cursor);	/* written */
	out->ignored = trace_cursor_u64(cursor);
	trace_cursor_u64(cursor);	/* reserved */
	for (unsigned int i = 0; i < KMEMTRACE_LOSS_MAX; i++)
		out->lost[i] = trace_cursor_u64(cursor);
}

int trace_subbuf_parse(const uint8_t *bytes, size_t len, struct trace_subbuf *out, const char *path,
		       uint64_t offset, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, sizeof(struct kmemtrace_subbuf_header), false);
	uint32_t magic = trace_cursor_u32(&cursor);
	uint16_t version;

	out->swap = cursor.swap = magic == __builtin_bswap32(KMEMTRACE_SUBBUF_MAGIC);
	if (!out->swap && magic != KMEMTRACE_SUBBUF_MAGIC)
		return trace_error_set(err, EBADMSG, "%s: no sub-buffer at offset %" PRIu64
				       ": magic 0x%08" PRIx32 ", expected 0x%08x", path, offset, magic,
				       KMEMTRACE_SUBBUF_MAGIC);
	version = trace_cursor_u16(&cursor);
	out->header_len = trace_cursor_u16(&cursor);
	out->record_len = trace_cursor_u16(&cursor);
	if (version == 0 || version > KMEMTRACE_ABI_VERSION)
		return trace_error_set(err, EPROTONOSUPPORT, "%s: sub-buffer at offset %" PRIu64
				       " has ABI version %u, this tool reads up to %u: a newer kmemtrace-user "
				       "is needed", path, offset, version, KMEMTRACE_ABI_VERSION);
	if (out->header_len < sizeof(struct kmemtrace_subbuf_header) || out->header_len > len ||
	    out->record_len < sizeof(struct kmemtrace_record))
		return trace_error_set(err, EBADMSG, "%s: sub-buffer at offset %" PRIu64
				       " has a header of %u and records of %u bytes, expected at least %zu and %zu",
				       path, offset, out->header_len, out->record_len,
				       sizeof(struct kmemtrace_subbuf_header),
				       sizeof(struct kmemtrace_record));
	read_fields(&cursor, out);
	return 0;
}
