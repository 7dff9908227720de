// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The header of a sub-buffer. It is decoded twice: for the index, from its first bytes, and with
 * the whole sub-buffer. Records need no further checks: their number is limited by the checked
 * length.
 */
#include <errno.h>
#include <inttypes.h>

#include "trace/file/cursor.h"
#include "trace/file/index.h"

/* Reads the fields after record_len. */
static void read_fields(struct trace_cursor *cursor, struct trace_subbuf *out)
{
	trace_cursor_u8(cursor); /* byte_order: known from the magic */
	trace_cursor_u8(cursor); /* word_size */
	out->cpu = trace_cursor_u32(cursor);
	out->seq = trace_cursor_u64(cursor);
	out->time_ns = trace_cursor_u64(cursor);
	out->session = trace_cursor_u64(cursor);
	out->written = trace_cursor_u64(cursor);
	out->ignored = trace_cursor_u64(cursor);
	trace_cursor_u64(cursor); /* reserved */
	for (unsigned int i = 0; i < KMEMTRACE_LOSS_MAX; i++)
		out->lost[i] = trace_cursor_u64(cursor);
}

static int check_fields(const struct trace_subbuf *subbuf, size_t len, const char *path,
			uint64_t offset, struct trace_error *err)
{
	const size_t header_min = sizeof(struct kmemtrace_subbuf_header);
	const size_t record_min = sizeof(struct kmemtrace_record);

	if (subbuf->header_len < header_min || subbuf->header_len > len)
		return trace_error_set(err, EBADMSG,
				       "%s: sub-buffer at offset %" PRIu64 " of %zu bytes has a "
				       "header of %u, expected %zu or more, inside it",
				       path, offset, len, subbuf->header_len, header_min);
	if (subbuf->record_len < record_min || subbuf->record_len > KMEMTRACE_RECORD_MAX)
		return trace_error_set(err, EBADMSG,
				       "%s: sub-buffer at offset %" PRIu64 " has records of %u "
				       "bytes, expected %zu to %u",
				       path, offset, subbuf->record_len, record_min,
				       KMEMTRACE_RECORD_MAX);
	if (subbuf->cpu >= KMEMTRACE_CPUS_MAX)
		return trace_error_set(err, EBADMSG,
				       "%s: sub-buffer at offset %" PRIu64 " is of CPU %" PRIu32
				       ", expected 0 to %u",
				       path, offset, subbuf->cpu, KMEMTRACE_CPUS_MAX - 1);
	return 0;
}

int trace_subbuf_parse(const uint8_t *bytes, size_t len, struct trace_subbuf *out, const char *path,
		       uint64_t offset, struct trace_error *err)
{
	struct trace_cursor cursor =
		trace_cursor_init(bytes, sizeof(struct kmemtrace_subbuf_header), false);
	uint16_t version;
	uint32_t magic;

	if (len < sizeof(struct kmemtrace_subbuf_header))
		return trace_error_set(err, EBADMSG,
				       "%s: sub-buffer at offset %" PRIu64 " has %zu bytes, "
				       "expected a header of %zu",
				       path, offset, len, sizeof(struct kmemtrace_subbuf_header));
	magic = trace_cursor_u32(&cursor);
	out->swap = cursor.swap = magic == __builtin_bswap32(KMEMTRACE_SUBBUF_MAGIC);
	if (!out->swap && magic != KMEMTRACE_SUBBUF_MAGIC)
		return trace_error_set(err, EBADMSG,
				       "%s: no sub-buffer at offset %" PRIu64 ": magic 0x%08" PRIx32
				       ", expected 0x%08x",
				       path, offset, magic, KMEMTRACE_SUBBUF_MAGIC);
	version = trace_cursor_u16(&cursor);
	out->header_len = trace_cursor_u16(&cursor);
	out->record_len = trace_cursor_u16(&cursor);
	if (version == 0 || version > KMEMTRACE_ABI_VERSION)
		return trace_error_set(err, EPROTONOSUPPORT,
				       "%s: sub-buffer at offset %" PRIu64
				       " has ABI version %u, this tool reads 1 to %u: a newer "
				       "kmemtrace-user is needed",
				       path, offset, version, KMEMTRACE_ABI_VERSION);
	read_fields(&cursor, out);
	return check_fields(out, len, path, offset, err);
}
