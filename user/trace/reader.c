// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens a .kmt file and reads payloads of it. Files may be larger than the address space or the
 * memory allows to map, and may shrink while they are read, so bytes are read and never mapped.
 */
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "trace/cursor.h"
#include "trace/index.h"

#define VERIFY_AT_ONCE	65536	/* bytes */

/* ---- bytes of the file ---- */

int trace_reader_read(struct trace_reader *reader, uint64_t offset, void *bytes, size_t len,
		      struct trace_error *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(reader->fd, (char *)bytes + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return trace_error_set(err, errno,
					       "%s: can't read at offset %" PRIu64 ": %s",
					       reader->path, offset + done, strerror(errno));
		if (got == 0)
			return trace_error_set(err, EBADMSG,
					       "%s: ends at offset %" PRIu64
					       ", expected %zu more bytes",
					       reader->path, offset + done, len - done);
		done += got;
	}
	return 0;
}

static uint64_t payload_offset(const struct trace_chunk *chunk)
{
	return chunk->offset + sizeof(struct kmemtrace_chunk_header);
}

static int check_crc(struct trace_reader *reader, const struct trace_chunk *chunk, uint32_t crc,
		     struct trace_error *err)
{
	if (crc == chunk->payload_crc)
		return 0;
	return trace_error_set(err, EBADMSG,
			       "%s: chunk at offset %" PRIu64 " is damaged: CRC 0x%08" PRIx32
			       ", expected 0x%08" PRIx32,
			       reader->path, chunk->offset, crc, chunk->payload_crc);
}

int trace_reader_payload(struct trace_reader *reader, const struct trace_chunk *chunk, void *bytes,
			 struct trace_error *err)
{
	int ret = trace_reader_read(reader, payload_offset(chunk), bytes, chunk->len, err);

	return ret ? ret : check_crc(reader, chunk, crc32_z(0, bytes, chunk->len), err);
}

int trace_reader_load(struct trace_reader *reader, const struct trace_chunk *chunk, uint8_t **out,
		      struct trace_error *err)
{
	uint8_t *bytes = malloc((size_t)chunk->len + 1);
	int ret;

	if (!bytes)
		return trace_error_set(err, ENOMEM,
				       "%s: out of memory for the %" PRIu32
				       " bytes of the chunk at offset %" PRIu64,
				       reader->path, chunk->len, chunk->offset);
	ret = trace_reader_payload(reader, chunk, bytes, err);
	if (ret) {
		free(bytes);
		return ret;
	}
	bytes[chunk->len] = 0;
	*out = bytes;
	return 0;
}

int trace_reader_verify(struct trace_reader *reader, const struct trace_chunk *chunk,
			struct trace_error *err)
{
	uint32_t crc = crc32_z(0, NULL, 0);
	uint8_t bytes[VERIFY_AT_ONCE];

	for (uint32_t done = 0; done < chunk->len;) {
		uint32_t left = chunk->len - done;
		uint32_t len = left < sizeof(bytes) ? left : sizeof(bytes);
		int ret = trace_reader_read(reader, payload_offset(chunk) + done, bytes, len, err);

		if (ret)
			return ret;
		crc = crc32_z(crc, bytes, len);
		done += len;
	}
	return check_crc(reader, chunk, crc, err);
}

/* ---- opening: the file header ---- */

/* The header's fields behind the magic; the cursor gets the file's byte order. */
static int parse_file_header(struct trace_reader *reader, struct trace_cursor *cursor,
			     struct trace_error *err)
{
	uint32_t order = trace_cursor_u32(cursor);
	uint16_t version;

	reader->swap = cursor->swap = order == __builtin_bswap32(KMEMTRACE_FILE_BYTE_ORDER);
	if (!reader->swap && order != KMEMTRACE_FILE_BYTE_ORDER)
		return trace_error_set(err, EBADMSG, "%s: byte order mark 0x%08" PRIx32
				       " at offset 8, expected 0x%08x", reader->path, order,
				       KMEMTRACE_FILE_BYTE_ORDER);
	version = trace_cursor_u16(cursor);
	reader->header_len = trace_cursor_u16(cursor);
	if (version == 0 || version > KMEMTRACE_FILE_VERSION)
		return trace_error_set(err, EPROTONOSUPPORT,
				       "%s: file version %u, this tool reads 1 to %u: "
				       "a newer kmemtrace-user is needed",
				       reader->path, version, KMEMTRACE_FILE_VERSION);
	if (reader->header_len < sizeof(struct kmemtrace_file_header) ||
	    reader->header_len % KMEMTRACE_CHUNK_ALIGN)
		return trace_error_set(err, EBADMSG,
				       "%s: header length %u at offset 14, expected %zu or more, "
				       "in steps of %u",
				       reader->path, reader->header_len,
				       sizeof(struct kmemtrace_file_header), KMEMTRACE_CHUNK_ALIGN);
	return 0;
}

static int read_file_header(struct trace_reader *reader, struct trace_error *err)
{
	uint8_t bytes[sizeof(struct kmemtrace_file_header)];
	struct trace_cursor cursor = trace_cursor_init(bytes, sizeof(bytes), false);
	int ret;

	if (reader->size < sizeof(bytes))
		return trace_error_set(err, EBADMSG,
				       "%s: no kmemtrace trace: %" PRIu64
				       " bytes, expected a header of %zu",
				       reader->path, reader->size, sizeof(bytes));
	ret = trace_reader_read(reader, 0, bytes, sizeof(bytes), err);
	if (ret)
		return ret;
	if (memcmp(trace_cursor_bytes(&cursor, KMEMTRACE_FILE_MAGIC_LEN), KMEMTRACE_FILE_MAGIC,
		   KMEMTRACE_FILE_MAGIC_LEN) != 0)
		return trace_error_set(err, EBADMSG,
				       "%s: no kmemtrace trace: wrong magic at offset 0",
				       reader->path);
	return parse_file_header(reader, &cursor, err);
}

/* ---- opening: the CPUs ---- */

static int compare_cpus(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int list_cpus(struct trace_reader *reader, struct trace_error *err)
{
	size_t kept = 0;

	reader->cpus = malloc((reader->chunk_count + 1) * sizeof(*reader->cpus));
	if (!reader->cpus)
		return trace_error_set(err, ENOMEM, "%s: out of memory for its CPUs", reader->path);
	for (size_t i = 0; i < reader->chunk_count; i++) {
		if (reader->chunks[i].type == KMEMTRACE_CHUNK_DATA)
			reader->cpus[reader->cpu_count++] = reader->chunks[i].cpu;
	}
	qsort(reader->cpus, reader->cpu_count, sizeof(*reader->cpus), compare_cpus);
	for (size_t i = 0; i < reader->cpu_count; i++) {
		if (!i || reader->cpus[i] != reader->cpus[i - 1])
			reader->cpus[kept++] = reader->cpus[i];
	}
	reader->cpu_count = kept;
	return 0;
}

/* ---- what is public ---- */

static int open_file(struct trace_reader *reader, const char *path, struct trace_error *err)
{
	struct stat st;

	reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0 || fstat(reader->fd, &st))
		return trace_error_set(err, errno, "can't open %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return trace_error_set(err, S_ISDIR(st.st_mode) ? EISDIR : EINVAL,
				       "can't open %s: it is no regular file", path);
	reader->size = st.st_size;
	reader->path = strdup(path);
	if (!reader->path)
		return trace_error_set(err, ENOMEM, "can't open %s: out of memory", path);
	return 0;
}

int trace_reader_open(const char *path, struct trace_reader **out, struct trace_error *err)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return trace_error_set(err, ENOMEM, "can't open %s: out of memory", path);
	ret = open_file(reader, path, err);
	if (!ret)
		ret = read_file_header(reader, err);
	if (!ret)
		ret = trace_index_build(reader, err);
	if (!ret)
		ret = list_cpus(reader, err);
	if (ret) {
		trace_reader_close(reader);
		return ret;
	}
	*out = reader;
	return 0;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	free(reader->cpus);
	free(reader->snapshots);
	free(reader->chunks);
	free(reader->path);
	free(reader);
}

const char *trace_reader_path(const struct trace_reader *reader)
{
	return reader->path;
}

uint64_t trace_reader_size(const struct trace_reader *reader)
{
	return reader->size;
}

bool trace_reader_cut(const struct trace_reader *reader, uint64_t *offset)
{
	*offset = reader->end;
	return !reader->has_end || reader->end < reader->size;
}

size_t trace_reader_cpus(const struct trace_reader *reader, const uint32_t **cpus)
{
	*cpus = reader->cpus;
	return reader->cpu_count;
}
