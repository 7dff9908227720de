// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads payloads of .kmt files. Files are read, not mapped: they may be larger than the address
 * space or memory, and may shrink while they are read.
 */
#include "trace/file/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "trace/file/index.h"
#include "trace/file/pack.h"

#define VERIFY_AT_ONCE 8192 /* bytes */

int trace_file_open(struct trace_file *file, const char *path, struct trace_error *err)
{
	struct stat st;

	file->fd = regular_open(path, &st);
	if (file->fd < 0 && (errno == EISDIR || errno == EINVAL))
		return trace_error_set(err, errno, "can't open %s: it is not a regular file", path);
	if (file->fd < 0)
		return trace_error_set(err, errno, "can't open %s: %s", path, strerror(errno));
	file->size = st.st_size;
	return 0;
}

uint64_t trace_file_skip_hole(const struct trace_file *file, uint64_t offset)
{
	off_t data = lseek(file->fd, (off_t)offset, SEEK_DATA);

	if (data < 0) /* otherwise no holes are known, or @offset is too high */
		return errno == ENXIO && offset < file->size ? file->size : offset;
	return (uint64_t)data < file->size ? (uint64_t)data : file->size;
}

int trace_file_read(const struct trace_file *file, uint64_t offset, void *bytes, size_t len,
		    struct trace_error *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(file->fd, (char *)bytes + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return trace_error_set(err, errno,
					       "%s: can't read at offset %" PRIu64 ": %s",
					       file->path, offset + done, strerror(errno));
		if (got == 0)
			return trace_error_set(err, EBADMSG,
					       "%s: ends at offset %" PRIu64
					       ", expected %zu more bytes",
					       file->path, offset + done, len - done);
		done += got;
	}
	return 0;
}

static uint64_t payload_offset(const struct trace_chunk *chunk)
{
	return chunk->offset + TRACE_CHUNK_HEADER_LEN;
}

static int check_crc(struct trace_reader *reader, const struct trace_chunk *chunk, uint32_t crc,
		     struct trace_error *err)
{
	if (crc == chunk->payload_crc)
		return 0;
	return trace_error_advise(err, trace_error_set(err, EBADMSG,
						       "%s: chunk at offset %" PRIu64
						       " is damaged: CRC 0x%08" PRIx32
						       ", expected 0x%08" PRIx32,
						       trace_chunk_file(reader, chunk)->path,
						       chunk->offset, crc, chunk->payload_crc));
}

/* Reads the stored bytes of @chunk, and checks their CRC. */
static int read_stored(struct trace_reader *reader, const struct trace_chunk *chunk, void *bytes,
		       struct trace_error *err)
{
	int ret = trace_file_read(trace_chunk_file(reader, chunk), payload_offset(chunk), bytes,
				  chunk->stored_len, err);

	return ret ? ret : check_crc(reader, chunk, trace_crc(0, bytes, chunk->stored_len), err);
}

static int no_memory(struct trace_reader *reader, const struct trace_chunk *chunk, uint32_t len,
		     struct trace_error *err)
{
	return trace_error_set(err, ENOMEM,
			       "%s: out of memory for the %" PRIu32
			       " bytes of the chunk at offset %" PRIu64,
			       trace_chunk_file(reader, chunk)->path, len, chunk->offset);
}

static int unpack(struct trace_reader *reader, const struct trace_chunk *chunk,
		  const uint8_t *stored, uint8_t *bytes, struct trace_error *err)
{
	const uint8_t *head = stored + sizeof(struct kmemtrace_chunk_zstd);
	const uint8_t *packed = head + chunk->head_len;
	const char *why;
	int ret;

	memcpy(bytes, head, chunk->head_len);
	ret = trace_unpacker_unpack(reader->unpacker, packed, stored + chunk->stored_len - packed,
				    bytes + chunk->head_len, chunk->len - chunk->head_len, &why);
	if (!ret)
		return 0;
	return trace_error_set(
		err, EBADMSG,
		"%s: packed chunk at offset %" PRIu64 " can't be unpacked to %" PRIu32 " bytes: %s",
		trace_chunk_file(reader, chunk)->path, chunk->offset, chunk->len, why);
}

int trace_reader_payload(struct trace_reader *reader, const struct trace_chunk *chunk, void *bytes,
			 struct trace_error *err)
{
	uint8_t *stored;
	int ret;

	if (!chunk->packed)
		return read_stored(reader, chunk, bytes, err);
	if (!reader->unpacker)
		reader->unpacker = trace_unpacker_new();
	stored = reader->unpacker ? trace_unpacker_room(reader->unpacker, chunk->stored_len) : NULL;
	if (!stored)
		return no_memory(reader, chunk, chunk->stored_len, err);
	ret = read_stored(reader, chunk, stored, err);
	return ret ? ret : unpack(reader, chunk, stored, bytes, err);
}

int trace_reader_load(struct trace_reader *reader, const struct trace_chunk *chunk, uint8_t **out,
		      struct trace_error *err)
{
	uint8_t *bytes = malloc((size_t)chunk->len + 1);
	int ret;

	if (!bytes)
		return no_memory(reader, chunk, chunk->len, err);
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
	const struct trace_file *file = trace_chunk_file(reader, chunk);
	uint8_t bytes[VERIFY_AT_ONCE];
	uint32_t crc = 0;

	for (uint32_t done = 0; done < chunk->stored_len;) {
		uint32_t left = chunk->stored_len - done;
		uint32_t len = left < sizeof(bytes) ? left : sizeof(bytes);
		int ret = trace_file_read(file, payload_offset(chunk) + done, bytes, len, err);

		if (ret)
			return ret;
		crc = trace_crc(crc, bytes, len);
		done += len;
	}
	return check_crc(reader, chunk, crc, err);
}

const char *trace_reader_path(const struct trace_reader *reader)
{
	return reader->path;
}

uint64_t trace_reader_missing_chunks(const struct trace_reader *reader)
{
	return reader->missing_chunks;
}

uint64_t trace_reader_torn_texts(const struct trace_reader *reader)
{
	return reader->torn_texts;
}

bool trace_reader_mixes_sessions(const struct trace_reader *reader)
{
	return reader->mixes_sessions;
}

bool trace_reader_lacks_parts(const struct trace_reader *reader)
{
	return reader->lacks_parts;
}

bool trace_reader_ends_early(const struct trace_reader *reader)
{
	return reader->ends_early;
}

bool trace_reader_is_joined(const struct trace_reader *reader)
{
	return reader->is_joined;
}

bool trace_reader_has_earlier(const struct trace_reader *reader, uint32_t cpu, uint64_t *records)
{
	*records = 0;
	if (!reader->consumed || cpu >= KMEMTRACE_CPUS_MAX || !reader->consumed[cpu])
		return false;
	*records = reader->written[cpu];
	return true;
}

uint64_t trace_reader_size(const struct trace_reader *reader)
{
	uint64_t size = 0;

	for (size_t i = 0; i < reader->file_count; i++)
		size += reader->files[i].size;
	return size;
}

bool trace_reader_cut(const struct trace_reader *reader, const char **path, uint64_t *offset)
{
	for (size_t i = 0; i < reader->file_count; i++) {
		const struct trace_file *file = &reader->files[i];

		*path = file->path;
		*offset = file->end;
		if (trace_file_is_cut(file))
			return true;
	}
	return false;
}

size_t trace_reader_cpus(const struct trace_reader *reader, const uint32_t **cpus)
{
	*cpus = reader->cpus;
	return reader->cpu_count;
}
