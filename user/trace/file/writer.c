// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Appends chunks to a .kmt file, or to a pipe or a connection. Compression and CRCs, the most
 * expensive steps, are done outside the lock, so threads wait only for each other's write. After
 * the first error nothing more is written: a file then ends with a whole chunk and reads as cut,
 * and every later call returns that error.
 */
#include "trace/file/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "kmemtrace_abi.h"
#include "trace/file/chunk.h"
#include "trace/file/pack.h"
#include "trace/file/peer.h"

#define PARTS_MAX 4   /* of a payload */
#define PACK_MIN  512 /* bytes; shorter payloads are not compressed */

/* The destination of chunks. */
struct output {
	char *name; /* for messages */
	int fd;
	bool is_file;      /* created by us: a partial write can be truncated */
	bool has_name;     /* is_file only: it has a directory entry, unlike one in memory */
	bool has_peer;     /* a connection: wait until the peer has received everything */
	int hurry;         /* if readable, do not wait; -1: none */
	uint64_t bytes;    /* written, in whole chunks */
	uint64_t unpacked; /* unpacked bytes of packed chunks */
	uint32_t number;   /* of the next chunk; 0: not numbered */
	int failed;        /* errno of the first failed write */
};

/* A packer that no thread uses now. */
struct idle_packer {
	struct trace_packer *packer;
	struct idle_packer *next;
};

struct trace_writer {
	pthread_mutex_t lock; /* guards the following fields, and appending to the output */
	struct output output;
	bool swap; /* write numbers in the other byte order */
	int level; /* 0: no compression */
	struct idle_packer *idle;
};

/*
 * Waits after an EAGAIN: an inherited pipe may be non-blocking for its other users. Returns 0 or an
 * errno.
 */
static int wait_for_room(const struct output *output)
{
	struct pollfd fds[] = {
		{ .fd = output->fd, .events = POLLOUT },
		{ .fd = output->hurry, .events = POLLIN },
	};
	int flags = fcntl(output->fd, F_GETFL);

	if (flags < 0 || !(flags & O_NONBLOCK))
		return ETIMEDOUT; /* the socket's send timeout expired */
	if (output->has_peer)
		return trace_peer_wait_room(output->fd, output->hurry, &trace_peer_patience);
	poll(fds, 2, -1);
	return fds[1].revents ? ECANCELED : 0;
}

/* Writes all of @parts. Returns 0 or an errno. */
static int write_all(const struct output *output, struct iovec *parts, int count)
{
	while (count) {
		ssize_t len = writev(output->fd, parts, count);
		int failed = len >= 0 ? 0 : errno == EAGAIN ? wait_for_room(output) : errno;

		if (failed && failed != EINTR)
			return failed;
		if (len < 0)
			continue;
		if (len == 0) /* only the last part is never empty: no progress */
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

static int fail_write(const struct output *output, int failed, struct trace_error *err)
{
	const char *why = strerror(failed);

	if (failed == ECANCELED)
		why = "stopped by a second signal";
	if (failed == ETIME)
		why = "it may not have the whole trace, as it did not confirm that";
	if (failed == ENODATA)
		why = "it closed the connection, and did not confirm that it has the whole trace";
	return trace_error_set(err, failed, "can't write to %s: %s", output->name, why);
}

static size_t sum_lengths(const struct iovec *parts, int count)
{
	size_t len = 0;

	for (int i = 0; i < count; i++)
		len += parts[i].iov_len;
	return len;
}

/*
 * Returns whether a packed chunk whose payload ends @len bytes further on may have @unpacked bytes.
 */
static bool may_hold(const struct output *output, size_t len, size_t unpacked)
{
	uint64_t most = KMEMTRACE_UNPACKED_FREE + KMEMTRACE_UNPACKED_RATIO * (output->bytes + len);

	return output->unpacked + unpacked <= most;
}

/*
 * Appends contiguously. A partial write into our file is truncated, so that it ends with a whole
 * chunk. An inherited descriptor is never truncated: a pipe can't be, and a file may have had
 * contents. Its reader sees a cut last chunk. @unpacked: unpacked bytes of a packed chunk,
 * otherwise 0. @header: of a chunk, numbered and encoded here as the first of @parts; NULL: @parts
 * are written as they are. Returns -E2BIG, with nothing written, if @unpacked exceeds the limit for
 * the length of this file.
 */
static int append(struct trace_writer *writer, struct trace_chunk_header *header,
		  struct iovec *parts, int count, size_t len, size_t unpacked,
		  struct trace_error *err)
{
	struct output *output = &writer->output;
	int ret = 0;

	pthread_mutex_lock(&writer->lock);
	if (unpacked && !may_hold(output, sum_lengths(parts, count - 1), unpacked)) {
		pthread_mutex_unlock(&writer->lock);
		return -E2BIG;
	}
	if (header) {
		header->number = output->number;
		trace_chunk_header_make(header, writer->swap, parts[0].iov_base);
	}
	if (!output->failed) {
		output->failed = write_all(output, parts, count);
		if (!output->failed) {
			if (header && output->number)
				output->number = trace_chunk_number_next(output->number);
			output->bytes += len;
			output->unpacked += unpacked;
		} else if (output->is_file && ftruncate(output->fd, output->bytes) == 0) {
			lseek(output->fd, output->bytes, SEEK_SET);
		}
	}
	if (output->failed)
		ret = fail_write(output, output->failed, err);
	pthread_mutex_unlock(&writer->lock);
	return ret;
}

static int write_file_header(struct trace_writer *writer, struct trace_error *err)
{
	uint8_t header[TRACE_FILE_HEADER_LEN];
	struct iovec part = { header, sizeof(header) };

	trace_file_header_make(header, writer->swap);
	return append(writer, NULL, &part, 1, sizeof(header), 0, err);
}

/* ---- packers ---- */

/* Returns NULL without compression, or if memory is short. */
static struct idle_packer *take_packer(struct trace_writer *writer)
{
	struct idle_packer *taken;
	int level;

	pthread_mutex_lock(&writer->lock);
	level = writer->level;
	taken = level ? writer->idle : NULL;
	if (taken)
		writer->idle = taken->next;
	pthread_mutex_unlock(&writer->lock);
	if (taken || !level)
		return taken;
	taken = calloc(1, sizeof(*taken));
	if (taken)
		taken->packer = trace_packer_new(level);
	if (taken && !taken->packer) {
		free(taken);
		taken = NULL;
	}
	return taken;
}

static void give_back(struct trace_writer *writer, struct idle_packer *taken)
{
	if (!taken)
		return;
	pthread_mutex_lock(&writer->lock);
	taken->next = writer->idle;
	writer->idle = taken;
	pthread_mutex_unlock(&writer->lock);
}

static void free_packers(struct trace_writer *writer)
{
	while (writer->idle) {
		struct idle_packer *next = writer->idle->next;

		trace_packer_free(writer->idle->packer);
		free(writer->idle);
		writer->idle = next;
	}
}

void trace_writer_pack(struct trace_writer *writer, int level)
{
	pthread_mutex_lock(&writer->lock);
	free_packers(writer);
	writer->level = level;
	pthread_mutex_unlock(&writer->lock);
}

/* ---- opening ---- */

static void writer_free(struct trace_writer *writer)
{
	if (writer->output.fd >= 0)
		close(writer->output.fd);
	free_packers(writer);
	pthread_mutex_destroy(&writer->lock);
	free(writer->output.name);
	free(writer);
}

/* Returns the number of a file's first chunk. */
static uint32_t first_number(void)
{
	uint32_t file = 0;
	struct timespec now;

	if (getrandom(&file, sizeof(file), GRND_NONBLOCK) != sizeof(file)) {
		clock_gettime(CLOCK_REALTIME, &now);
		file = (uint32_t)now.tv_nsec << 12;
	}
	file &= KMEMTRACE_CHUNK_FILE;
	return (file ? file : KMEMTRACE_CHUNK_FILE) | 1;
}

/* Takes over @fd, also on failure. If it is below 0, opening it failed with errno. */
static int begin(int fd, const char *name, bool is_file, bool swap, struct trace_writer **out,
		 struct trace_error *err)
{
	int failed = fd < 0 ? errno : 0;
	struct trace_writer *writer = calloc(1, sizeof(*writer));
	struct stat st;
	int ret;

	if (!writer) {
		if (fd >= 0)
			close(fd);
		return trace_error_set(err, ENOMEM, "can't create %s: out of memory", name);
	}
	pthread_mutex_init(&writer->lock, NULL);
	writer->swap = swap;
	writer->output.fd = fd;
	writer->output.has_name = !fstat(fd, &st) && st.st_nlink;
	writer->output.is_file = is_file;
	writer->output.hurry = -1;
	writer->output.number = first_number();
	writer->output.name = strdup(name);
	if (!failed && !writer->output.name)
		failed = ENOMEM;
	if (failed)
		ret = trace_error_set(err, failed, "can't create %s: %s", name, strerror(failed));
	else
		ret = write_file_header(writer, err);
	if (ret) {
		writer_free(writer);
		return ret;
	}
	*out = writer;
	return 0;
}

int trace_writer_create(const char *path, struct trace_writer **out, struct trace_error *err)
{
	return trace_writer_attach_file(open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
					path, false, out, err);
}

int trace_writer_attach_file(int fd, const char *name, bool swap, struct trace_writer **out,
			     struct trace_error *err)
{
	return begin(fd, name, true, swap, out, err);
}

int trace_writer_attach(int fd, const char *name, struct trace_writer **out,
			struct trace_error *err)
{
	return begin(fd, name, false, false, out, err);
}

void trace_writer_await_peer(struct trace_writer *writer)
{
	writer->output.has_peer = true;
}

void trace_writer_hurry_by(struct trace_writer *writer, int hurry)
{
	writer->output.hurry = hurry;
}

void trace_writer_exchange(struct trace_writer *writer, struct trace_writer *other)
{
	struct output output;

	pthread_mutex_lock(&writer->lock);
	output = writer->output;
	writer->output = other->output;
	other->output = output;
	pthread_mutex_unlock(&writer->lock);
}

/* ---- chunks ---- */

static uint16_t swapped16(const struct trace_writer *writer, uint16_t value)
{
	return writer->swap ? __builtin_bswap16(value) : value;
}

static uint32_t swapped32(const struct trace_writer *writer, uint32_t value)
{
	return writer->swap ? __builtin_bswap32(value) : value;
}

static uint64_t swapped64(const struct trace_writer *writer, uint64_t value)
{
	return writer->swap ? __builtin_bswap64(value) : value;
}

/* Contents of a chunk: its head, and the rest. */
struct payload {
	uint16_t type;        /* enum kmemtrace_chunk_type */
	struct iovec head[2]; /* never compressed */
	int head_count;
	struct iovec body;
};

/*
 * Writes a chunk with the payload @parts, at most PARTS_MAX. @unpacked and -E2BIG as in append().
 */
static int write_parts(struct trace_writer *writer, uint16_t type, const struct iovec *parts,
		       int count, size_t unpacked, struct trace_error *err)
{
	static const char fill[KMEMTRACE_CHUNK_ALIGN];
	uint8_t bytes[TRACE_CHUNK_HEADER_LEN];
	struct iovec all[PARTS_MAX + 2] = { { bytes, sizeof(bytes) } };
	size_t len = sum_lengths(parts, count);
	struct trace_chunk_header header = { .type = type, .len = len };

	if (len > KMEMTRACE_CHUNK_MAX)
		return trace_error_set(err, EFBIG,
				       "can't write to %s: a chunk of %zu bytes is too long",
				       writer->output.name, len);
	for (int i = 0; i < count; i++) {
		all[1 + i] = parts[i];
		header.payload_crc =
			trace_crc(header.payload_crc, parts[i].iov_base, parts[i].iov_len);
	}
	all[1 + count] = (struct iovec){ (void *)fill, -len % KMEMTRACE_CHUNK_ALIGN };
	return append(writer, &header, all, count + 2, trace_chunk_span(len), unpacked, err);
}

static int write_plain(struct trace_writer *writer, const struct payload *payload,
		       struct trace_error *err)
{
	struct iovec parts[PARTS_MAX];
	int count = payload->head_count;

	memcpy(parts, payload->head, count * sizeof(*parts));
	parts[count++] = payload->body;
	return write_parts(writer, payload->type, parts, count, 0, err);
}

/* Compresses the payload if it gets shorter. */
static int write_packed(struct trace_writer *writer, const struct payload *payload,
			struct trace_error *err)
{
	struct idle_packer *packer = payload->body.iov_len < PACK_MIN ? NULL : take_packer(writer);
	size_t head_len = sum_lengths(payload->head, payload->head_count);
	struct kmemtrace_chunk_zstd zstd = {
		.type = swapped16(writer, payload->type),
		.head_len = swapped16(writer, head_len),
		.raw_len = swapped32(writer, head_len + payload->body.iov_len),
	};
	struct iovec parts[PARTS_MAX] = { { &zstd, sizeof(zstd) } };
	int count = 1 + payload->head_count, ret = -E2BIG;
	const void *packed;
	size_t len = 0;

	if (packer && head_len + payload->body.iov_len <= KMEMTRACE_CHUNK_MAX)
		len = trace_packer_pack(packer->packer, payload->body.iov_base,
					payload->body.iov_len, &packed);
	if (len) {
		memcpy(parts + 1, payload->head, payload->head_count * sizeof(*parts));
		parts[count++] = (struct iovec){ (void *)packed, len };
		ret = write_parts(writer, KMEMTRACE_CHUNK_ZSTD, parts, count,
				  head_len + payload->body.iov_len, err);
	}
	if (ret == -E2BIG)
		ret = write_plain(writer, payload, err);
	give_back(writer, packer);
	return ret;
}

static struct payload data_payload(const void *subbuf, size_t len)
{
	size_t head = sizeof(struct kmemtrace_subbuf_header);

	head = len < head ? len : head;
	return (struct payload){
		.type = KMEMTRACE_CHUNK_DATA,
		.head = { { (void *)subbuf, head } },
		.head_count = 1,
		.body = { (char *)subbuf + head, len - head },
	};
}

int trace_writer_data(struct trace_writer *writer, const void *subbuf, size_t len,
		      struct trace_error *err)
{
	struct payload payload = data_payload(subbuf, len);

	return write_packed(writer, &payload, err);
}

int trace_writer_data_plain(struct trace_writer *writer, const void *subbuf, size_t len,
			    struct trace_error *err)
{
	struct payload payload = data_payload(subbuf, len);

	return write_plain(writer, &payload, err);
}

int trace_writer_stacks(struct trace_writer *writer, uint64_t offset, const void *bytes, size_t len,
			struct trace_error *err)
{
	struct kmemtrace_chunk_stacks place = { .offset = swapped64(writer, offset) };
	size_t head = offset ? 0 : sizeof(struct kmemtrace_stack_table);
	struct payload payload = {
		.type = KMEMTRACE_CHUNK_STACKS,
		.head = { { &place, sizeof(place) } },
		.head_count = 2,
	};

	head = len < head ? len : head;
	payload.head[1] = (struct iovec){ (void *)bytes, head };
	payload.body = (struct iovec){ (char *)bytes + head, len - head };
	return write_packed(writer, &payload, err);
}

int trace_writer_snapshot(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
			  uint64_t time_ns, const char *text, size_t len, struct trace_error *err)
{
	return trace_writer_piece(writer, name, phase, time_ns, 0, text, len, err);
}

int trace_writer_piece(struct trace_writer *writer, const char *name, enum kmemtrace_phase phase,
		       uint64_t time_ns, uint32_t text_at, const char *text, size_t len,
		       struct trace_error *err)
{
	struct kmemtrace_chunk_snapshot snapshot = {
		.time_ns = swapped64(writer, time_ns),
		.phase = swapped16(writer, phase),
		.name_len = swapped16(writer, strlen(name)),
		.text_at = swapped32(writer, text_at),
	};
	struct payload payload = {
		.type = KMEMTRACE_CHUNK_SNAPSHOT,
		.head = { { &snapshot, sizeof(snapshot) }, { (void *)name, strlen(name) } },
		.head_count = 2,
		.body = { (void *)text, len },
	};

	if (strlen(name) > KMEMTRACE_SNAPSHOT_NAME_MAX)
		return trace_error_set(err, EINVAL,
				       "can't write to %s: snapshot name '%s' is longer than %u "
				       "bytes",
				       writer->output.name, name, KMEMTRACE_SNAPSHOT_NAME_MAX);
	return write_packed(writer, &payload, err);
}

void trace_writer_number(struct trace_writer *writer, uint32_t number)
{
	pthread_mutex_lock(&writer->lock);
	writer->output.number = number;
	pthread_mutex_unlock(&writer->lock);
}

int trace_writer_copy(struct trace_writer *writer, const void *chunk, uint32_t len,
		      struct trace_error *err)
{
	static const char fill[KMEMTRACE_CHUNK_ALIGN];
	size_t bytes = TRACE_CHUNK_HEADER_LEN + (size_t)len;
	struct iovec parts[] = {
		{ (void *)chunk, bytes },
		{ (void *)fill, -bytes % KMEMTRACE_CHUNK_ALIGN },
	};
	struct trace_chunk_header header;
	int ret =
		trace_chunk_header_parse(chunk, writer->swap, &header, writer->output.name, 0, err);

	if (!ret)
		ret = append(writer, NULL, parts, 2, trace_chunk_span(len), 0, err);
	if (!ret)
		trace_writer_number(writer,
				    header.number ? trace_chunk_number_next(header.number) : 0);
	return ret;
}

uint64_t trace_writer_bytes(const struct trace_writer *writer)
{
	struct trace_writer *mutable_writer = (struct trace_writer *)writer;
	uint64_t bytes;

	pthread_mutex_lock(&mutable_writer->lock);
	bytes = writer->output.bytes;
	pthread_mutex_unlock(&mutable_writer->lock);
	return bytes;
}

/* Returns false if the file was truncated meanwhile: bytes written later then follow a hole. */
static bool has_beginning(const struct output *output)
{
	char magic[KMEMTRACE_FILE_MAGIC_LEN];
	ssize_t got = pread(output->fd, magic, sizeof(magic), 0);

	return got < 0 || (got == sizeof(magic) && !memcmp(magic, KMEMTRACE_FILE_MAGIC, got));
}

/* Detects that our file was changed or removed by others: write() does not report that. */
static int check_file(const struct output *output, struct trace_error *err)
{
	struct stat st;

	if (!output->is_file || fstat(output->fd, &st))
		return 0;
	if (!st.st_nlink && output->has_name)
		return trace_error_set(err, ESTALE,
				       "%s was removed or replaced while it was written",
				       output->name);
	if (!has_beginning(output))
		return trace_error_set(err, ESTALE,
				       "%s was changed while it was written: its beginning is gone",
				       output->name);
	if ((uint64_t)st.st_size == output->bytes)
		return 0;
	return trace_error_set(err, ESTALE,
			       "%s was changed while it was written: it has %" PRIu64
			       " bytes, expected %" PRIu64,
			       output->name, (uint64_t)st.st_size, output->bytes);
}

int trace_writer_close(struct trace_writer *writer, int complete, struct trace_error *err)
{
	struct output *output = &writer->output;
	int ret = 0, fd = output->fd;

	if (complete)
		ret = write_parts(writer, KMEMTRACE_CHUNK_END, NULL, 0, 0, err);
	else if (output->failed)
		ret = fail_write(output, output->failed, err);
	if (complete && !ret && output->has_peer)
		output->failed = trace_peer_wait_confirmed(fd, output->hurry, output->bytes,
							   &trace_peer_patience);
	if (!ret && output->failed)
		ret = fail_write(output, output->failed, err);
	if (!ret)
		ret = check_file(output, err);
	output->fd = -1;
	if (close(fd) && !ret) /* networks and quotas may report errors only here */
		ret = fail_write(output, errno, err);
	writer_free(writer);
	return ret;
}
