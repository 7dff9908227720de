// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Appends chunks to a .kmt file. The CRC, which costs most, is computed outside the lock, so
 * threads only wait for each other's write. After the first error nothing is written any more: the
 * file then ends with a whole chunk and reads as cut, and every later call gives that error again.
 */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

#define PARTS_MAX	3	/* of a payload */

struct trace_writer {
	char *path;
	int fd;
	pthread_mutex_t lock;	/* guards what follows, and the file's end */
	uint64_t bytes;		/* written, in whole chunks */
	int failed; /* errno of the first write that failed; nothing is written after it */
};

/* Writes all of @parts. Returns 0 or an errno. */
static int write_all(int fd, struct iovec *parts, int count)
{
	while (count) {
		ssize_t len = writev(fd, parts, count);

		if (len < 0 && errno == EINTR)
			continue;
		if (len < 0)
			return errno;
		if (len == 0)	/* all parts but the last may be empty, never all: no progress */
			return EIO;
		while (count && (size_t)len >= parts->iov_len) {
			len -= parts->iov_len;
			parts++;
			count--;
		}
		if (count) {
			parts->iov_base = (char *)parts->iov_base + len;
			parts->iov_len -= len;
		}
	}
	return 0;
}

/*
 * Appends in one piece. When that fails half-way, the half is cut off again, so that the file ends
 * with a whole chunk; a pipe can't be cut, and its reader sees a cut last chunk.
 */
static int append(struct trace_writer *writer, struct iovec *parts, int count, size_t len,
		  struct trace_error *err)
{
	int failed;

	pthread_mutex_lock(&writer->lock);
	failed = writer->failed;
	if (!failed) {
		failed = write_all(writer->fd, parts, count);
		if (!failed)
			writer->bytes += len;
		else if (ftruncate(writer->fd, writer->bytes) == 0)
			lseek(writer->fd, writer->bytes, SEEK_SET);
		writer->failed = failed;
	}
	pthread_mutex_unlock(&writer->lock);
	if (!failed)
		return 0;
	return trace_error_set(err, failed, "can't write to %s: %s", writer->path,
			       strerror(failed));
}

static int write_file_header(struct trace_writer *writer, struct trace_error *err)
{
	struct kmemtrace_file_header header = {
		.byte_order = KMEMTRACE_FILE_BYTE_ORDER,
		.version = KMEMTRACE_FILE_VERSION,
		.header_len = sizeof(header),
	};
	struct iovec part = { &header, sizeof(header) };

	memcpy(header.magic, KMEMTRACE_FILE_MAGIC, sizeof(header.magic));
	return append(writer, &part, 1, sizeof(header), err);
}

static void writer_free(struct trace_writer *writer)
{
	if (writer->fd >= 0)
		close(writer->fd);
	pthread_mutex_destroy(&writer->lock);
	free(writer->path);
	free(writer);
}

int trace_writer_create(const char *path, struct trace_writer **out, struct trace_error *err)
{
	struct trace_writer *writer = calloc(1, sizeof(*writer));
	int ret;

	if (!writer)
		return trace_error_set(err, ENOMEM, "can't create %s: out of memory", path);
	pthread_mutex_init(&writer->lock, NULL);
	writer->path = strdup(path);
	writer->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (writer->fd < 0 || !writer->path)
		ret = trace_error_set(err, errno, "can't create %s: %s", path, strerror(errno));
	else
		ret = write_file_header(writer, err);
	if (ret) {
		writer_free(writer);
		return ret;
	}
	*out = writer;
	return 0;
}

static uint32_t crc_of(const struct iovec *parts, int count)
{
	uint32_t crc = crc32_z(0, NULL, 0);

	for (int i = 0; i < count; i++) {
		if (parts[i].iov_len)	/* NULL, as empty parts may have, would start a new CRC */
			crc = crc32_z(crc, parts[i].iov_base, parts[i].iov_len);
	}
	return crc;
}

/* A chunk whose payload is @parts, at most PARTS_MAX of them. */
static int write_chunk(struct trace_writer *writer, enum kmemtrace_chunk_type type,
		       const struct iovec *parts, int count, struct trace_error *err)
{
	static const char fill[KMEMTRACE_CHUNK_ALIGN];
	struct kmemtrace_chunk_header header = { .magic = KMEMTRACE_CHUNK_MAGIC, .type = type };
	struct iovec all[PARTS_MAX + 2] = { { &header, sizeof(header) } };
	size_t len = 0, pad;

	for (int i = 0; i < count; i++) {
		all[1 + i] = parts[i];
		len += parts[i].iov_len;
	}
	if (len > KMEMTRACE_CHUNK_MAX)
		return trace_error_set(err, EFBIG,
				       "can't write to %s: a chunk of %zu bytes is too long",
				       writer->path, len);
	pad = -len % KMEMTRACE_CHUNK_ALIGN;
	all[1 + count] = (struct iovec){ (void *)fill, pad };
	header.len = len;
	header.payload_crc = crc_of(parts, count);
	header.header_crc = crc32_z(0, (const void *)&header,
				    offsetof(struct kmemtrace_chunk_header, header_crc));
	return append(writer, all, count + 2, sizeof(header) + len + pad, err);
}

int trace_writer_data(struct trace_writer *writer, const void *subbuf, size_t len,
		      struct trace_error *err)
{
	struct iovec part = { (void *)subbuf, len };

	return write_chunk(writer, KMEMTRACE_CHUNK_DATA, &part, 1, err);
}

int trace_writer_stacks(struct trace_writer *writer, uint64_t offset, const void *bytes, size_t len,
			struct trace_error *err)
{
	struct kmemtrace_chunk_stacks head = { .offset = offset };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)bytes, len } };

	return write_chunk(writer, KMEMTRACE_CHUNK_STACKS, parts, 2, err);
}

int trace_writer_snapshot(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
			  uint64_t time_ns, const char *text, size_t len, struct trace_error *err)
{
	struct kmemtrace_chunk_snapshot head = {
		.time_ns = time_ns,
		.phase = phase,
		.name_len = strlen(name),
	};
	struct iovec parts[] = {
		{ &head, sizeof(head) },
		{ (void *)name, strlen(name) },
		{ (void *)text, len },
	};

	if (strlen(name) > KMEMTRACE_SNAPSHOT_NAME_MAX)
		return trace_error_set(err, EINVAL,
				       "can't write to %s: snapshot name '%s' is longer than %u "
				       "bytes",
				       writer->path, name, KMEMTRACE_SNAPSHOT_NAME_MAX);
	return write_chunk(writer, KMEMTRACE_CHUNK_SNAPSHOT, parts, 3, err);
}

uint64_t trace_writer_bytes(const struct trace_writer *writer)
{
	struct trace_writer *mutable_writer = (struct trace_writer *)writer;
	uint64_t bytes;

	pthread_mutex_lock(&mutable_writer->lock);
	bytes = writer->bytes;
	pthread_mutex_unlock(&mutable_writer->lock);
	return bytes;
}

int trace_writer_close(struct trace_writer *writer, int complete, struct trace_error *err)
{
	int ret = 0, fd = writer->fd;

	if (complete)
		ret = write_chunk(writer, KMEMTRACE_CHUNK_END, NULL, 0, err);
	else if (writer->failed)
		ret = trace_error_set(err, writer->failed, "can't write to %s: %s", writer->path,
				      strerror(writer->failed));
	writer->fd = -1;
	if (close(fd) && !ret)	/* where a network or quota tells its errors late */
		ret = trace_error_set(err, errno, "can't write to %s: %s", writer->path,
				      strerror(errno));
	writer_free(writer);
	return ret;
}
