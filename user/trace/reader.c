// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "kmemtrace_abi.h"
#include "trace/cursor.h"
#include "trace/index.h"

#define STACK_TABLE_MAX	(1U << 30)	/* bytes; the kernel part allows no more */

/* ---- bytes of the file ---- */

/* Reads exactly @len bytes at @offset. */
static int read_at(struct trace_reader *reader, uint64_t offset, void *bytes, size_t len,
		   struct trace_error *err)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(reader->fd, (char *)bytes + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return trace_error_set(err, errno, "%s: can't read at offset %" PRIu64 ": %s",
					       reader->path, offset + done, strerror(errno));
		if (got == 0)
			return trace_error_set(err, EBADMSG, "%s: ends at offset %" PRIu64
					       ", expected %zu more bytes", reader->path, offset + done,
					       len - done);
		done += got;
	}
	return 0;
}

int trace_reader_payload(struct trace_reader *reader, const struct trace_chunk *chunk, void *bytes,
			 struct trace_error *err)
{
	int ret = read_at(reader, chunk->offset + reader->chunk_header_len, bytes, chunk->len, err);
	uint32_t crc;

	if (ret)
		return ret;
	crc = crc32_z(0, bytes, chunk->len);
	if (crc != chunk->payload_crc)
		return trace_error_set(err, EBADMSG, "%s: chunk at offset %" PRIu64
				       " is damaged: CRC 0x%08" PRIx32 ", expected 0x%08" PRIx32,
				       reader->path, chunk->offset, crc, chunk->payload_crc);
	return 0;
}

/* ---- opening: the file header ---- */

static int read_file_header(struct trace_reader *reader, struct trace_error *err)
{
	uint8_t bytes[sizeof(struct kmemtrace_file_header)];
	struct trace_cursor cursor = trace_cursor_init(bytes, sizeof(bytes), false);
	uint16_t version;
	uint32_t order;

	if (reader->size < sizeof(bytes))
		return trace_error_set(err, EBADMSG, "%s: %" PRIu64
				       " bytes are no kmemtrace file: expected a header of %zu",
				       reader->path, reader->size, sizeof(bytes));
	if (read_at(reader, 0, bytes, sizeof(bytes), err))
		return -EIO;
	if (memcmp(trace_cursor_bytes(&cursor, KMEMTRACE_FILE_MAGIC_LEN), KMEMTRACE_FILE_MAGIC,
		   KMEMTRACE_FILE_MAGIC_LEN) != 0)
		return trace_error_set(err, EBADMSG, "%s: no kmemtrace file: wrong magic at offset 0",
				       reader->path);
	order = trace_cursor_u32(&cursor);
	reader->swap = cursor.swap = order == __builtin_bswap32(KMEMTRACE_FILE_BYTE_ORDER);
	if (!reader->swap && order != KMEMTRACE_FILE_BYTE_ORDER)
		return trace_error_set(err, EBADMSG, "%s: unknown byte order 0x%08" PRIx32
				       " at offset 8", reader->path, order);
	version = trace_cursor_u16(&cursor);
	reader->header_len = trace_cursor_u16(&cursor);
	if (version == 0 || version > KMEMTRACE_FILE_VERSION)
		return trace_error_set(err, EPROTONOSUPPORT, "%s: file version %u, this tool reads up to %u: "
				       "a newer kmemtrace-user is needed", reader->path, version,
				       KMEMTRACE_FILE_VERSION);
	if (reader->header_len < sizeof(bytes) || reader->header_len > reader->size)
		return trace_error_set(err, EBADMSG, "%s: header length %u at offset 14, expected %zu or more",
				       reader->path, reader->header_len, sizeof(bytes));
	return 0;
}

/* ---- opening: the index ---- */

/* Room for one more. Doubles, so a long file costs few copies. */
static int add_chunk(struct trace_reader *reader, const struct trace_chunk *chunk, struct trace_error *err)
{
	if (reader->chunk_count == reader->chunk_room) {
		size_t room = reader->chunk_room ? 2 * reader->chunk_room : 64;
		void *chunks = reallocarray(reader->chunks, room, sizeof(*reader->chunks));

		if (!chunks)
			return trace_error_set(err, ENOMEM, "%s: out of memory for %zu chunks",
					       reader->path, room);
		reader->chunks = chunks;
		reader->chunk_room = room;
	}
	reader->chunks[reader->chunk_count++] = *chunk;
	return 0;
}

/* What the index has to know of a sub-buffer: whose it is and where in its stream. */
static int index_data(struct trace_reader *reader, struct trace_chunk *chunk, const uint8_t *bytes,
		      struct trace_error *err)
{
	struct trace_subbuf subbuf;
	uint64_t at = chunk->offset + reader->chunk_header_len;

	if (chunk->len < sizeof(struct kmemtrace_subbuf_header))
		return trace_error_set(err, EBADMSG, "%s: sub-buffer at offset %" PRIu64 " has %" PRIu32
				       " bytes, expected a header of %zu", reader->path, at, chunk->len,
				       sizeof(struct kmemtrace_subbuf_header));
	if (trace_subbuf_parse(bytes, chunk->len, &subbuf, reader->path, at, err))
		return -EBADMSG;
	chunk->cpu = subbuf.cpu;
	chunk->session = subbuf.session;
	chunk->seq = subbuf.seq;
	return 0;
}

/* A chunk that is bad because the file ends in it is no error: the file is cut there. */
static bool is_cut(const struct trace_reader *reader, const struct trace_chunk *chunk)
{
	uint64_t left = reader->size - chunk->offset;

	return left < reader->chunk_header_len || left - reader->chunk_header_len < chunk->len;
}

static int parse_chunk_header(struct trace_reader *reader, const uint8_t *bytes, struct trace_chunk *chunk,
			      struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, reader->chunk_header_len, reader->swap);
	uint32_t magic = trace_cursor_u32(&cursor);
	uint32_t crc = crc32_z(0, bytes, offsetof(struct kmemtrace_chunk_header, header_crc));

	if (magic != KMEMTRACE_CHUNK_MAGIC)
		return trace_error_set(err, EBADMSG, "%s: no chunk at offset %" PRIu64 ": magic 0x%08" PRIx32
				       ", expected 0x%08x", reader->path, chunk->offset, magic,
				       KMEMTRACE_CHUNK_MAGIC);
	chunk->type = trace_cursor_u16(&cursor);
	chunk->flags = trace_cursor_u16(&cursor);
	chunk->len = trace_cursor_u32(&cursor);
	chunk->payload_crc = trace_cursor_u32(&cursor);
	trace_cursor_u32(&cursor);
	if (trace_cursor_u32(&cursor) != crc)
		return trace_error_set(err, EBADMSG, "%s: header of the chunk at offset %" PRIu64
				       " is damaged: its CRC is not 0x%08" PRIx32, reader->path,
				       chunk->offset, crc);
	if (chunk->len > KMEMTRACE_CHUNK_MAX)
		return trace_error_set(err, EBADMSG, "%s: chunk at offset %" PRIu64 " has %" PRIu32
				       " bytes, expected at most %u", reader->path, chunk->offset,
				       chunk->len, KMEMTRACE_CHUNK_MAX);
	return 0;
}

static int check_type(struct trace_reader *reader, struct trace_chunk *chunk, const uint8_t *payload,
		      struct trace_error *err)
{
	switch (chunk->type) {
	case KMEMTRACE_CHUNK_DATA:
		return index_data(reader, chunk, payload, err);
	case KMEMTRACE_CHUNK_SNAPSHOT:
	case KMEMTRACE_CHUNK_STACKS:
		return 0;
	case KMEMTRACE_CHUNK_END:
		reader->has_end = true;
		return 0;
	}
	if (chunk->flags & KMEMTRACE_CHUNK_OPTIONAL)
		return 0;
	return trace_error_set(err, EPROTONOSUPPORT, "%s: chunk at offset %" PRIu64 " is of unknown type %u: "
			       "a newer kmemtrace-user is needed", reader->path, chunk->offset, chunk->type);
}

/* Indexes the chunk at @chunk->offset. Returns 1, 0 if the file is cut there, or -errno. */
static int index_chunk(struct trace_reader *reader, struct trace_chunk *chunk, struct trace_error *err)
{
	uint8_t bytes[sizeof(struct kmemtrace_chunk_header) + sizeof(struct kmemtrace_subbuf_header)];
	uint64_t left = reader->size - chunk->offset;
	int ret;

	if (left < reader->chunk_header_len)
		return 0;
	memset(bytes, 0, sizeof(bytes));
	ret = read_at(reader, chunk->offset, bytes, left < sizeof(bytes) ? left : sizeof(bytes), err);
	if (!ret)
		ret = parse_chunk_header(reader, bytes, chunk, err);
	if (!ret && is_cut(reader, chunk))
		return 0;
	if (!ret)
		ret = check_type(reader, chunk, bytes + reader->chunk_header_len, err);
	if (!ret)
		ret = add_chunk(reader, chunk, err);
	return ret ? ret : 1;
}

static int index_chunks(struct trace_reader *reader, struct trace_error *err)
{
	struct trace_chunk chunk = { .offset = reader->header_len };
	int ret;

	while (chunk.offset < reader->size) {
		ret = index_chunk(reader, &chunk, err);
		if (ret <= 0) {
			reader->end = chunk.offset;
			return ret;
		}
		chunk.offset += reader->chunk_header_len;
		chunk.offset += ((uint64_t)chunk.len + KMEMTRACE_CHUNK_ALIGN - 1) &
				~(uint64_t)(KMEMTRACE_CHUNK_ALIGN - 1);
	}
	reader->end = chunk.offset < reader->size ? chunk.offset : reader->size;
	return 0;
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
		return trace_error_set(err, ENOMEM, "%s: out of memory", reader->path);
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

	reader->path = strdup(path);
	reader->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (reader->fd < 0 || !reader->path || fstat(reader->fd, &st))
		return trace_error_set(err, errno, "can't open %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return trace_error_set(err, EISDIR, "can't open %s: %s", path, strerror(EISDIR));
	reader->size = st.st_size;
	return 0;
}

int trace_reader_open(const char *path, struct trace_reader **out, struct trace_error *err)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (!reader)
		return trace_error_set(err, ENOMEM, "can't open %s: out of memory", path);
	reader->chunk_header_len = sizeof(struct kmemtrace_chunk_header);
	ret = open_file(reader, path, err);
	if (!ret)
		ret = read_file_header(reader, err);
	if (!ret)
		ret = index_chunks(reader, err);
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

/* ---- snapshots ---- */

/* Reads the payload of @chunk into new memory, with a zero behind it. */
static int load_payload(struct trace_reader *reader, const struct trace_chunk *chunk, uint8_t **out,
			struct trace_error *err)
{
	uint8_t *bytes = malloc((size_t)chunk->len + 1);
	int ret;

	if (!bytes)
		return trace_error_set(err, ENOMEM, "%s: out of memory for the %" PRIu32
				       " bytes of the chunk at offset %" PRIu64, reader->path, chunk->len,
				       chunk->offset);
	ret = trace_reader_payload(reader, chunk, bytes, err);
	if (ret) {
		free(bytes);
		return ret;
	}
	bytes[chunk->len] = 0;
	*out = bytes;
	return 0;
}

struct snapshot {
	uint64_t time_ns;
	uint16_t phase;
	const char *name;	/* name_len bytes, no zero behind */
	size_t name_len;
	size_t text_at;		/* offset in the payload */
};

static int parse_snapshot(struct trace_reader *reader, const struct trace_chunk *chunk,
			  const uint8_t *bytes, struct snapshot *out, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(bytes, chunk->len, reader->swap);

	out->time_ns = trace_cursor_u64(&cursor);
	out->phase = trace_cursor_u16(&cursor);
	out->name_len = trace_cursor_u16(&cursor);
	trace_cursor_u32(&cursor);
	out->name = trace_cursor_bytes(&cursor, out->name_len);
	out->text_at = cursor.pos;
	if (cursor.overrun)
		return trace_error_set(err, EBADMSG, "%s: snapshot at offset %" PRIu64
				       " ends inside its head or name", reader->path, chunk->offset);
	return 0;
}

/* Looks at one chunk. Returns 1 and gives its text away if it is the one, 0 if not, or -errno. */
static int match_snapshot(struct trace_reader *reader, const struct trace_chunk *chunk, const char *name,
			  enum kmemtrace_phase phase, char **text, size_t *len, uint64_t *time_ns,
			  struct trace_error *err)
{
	struct snapshot snapshot;
	uint8_t *bytes;
	int ret = load_payload(reader, chunk, &bytes, err);

	if (ret)
		return ret;
	ret = parse_snapshot(reader, chunk, bytes, &snapshot, err);
	if (!ret && snapshot.phase == phase && snapshot.name_len == strlen(name) &&
	    memcmp(snapshot.name, name, snapshot.name_len) == 0) {
		*len = chunk->len - snapshot.text_at;
		memmove(bytes, bytes + snapshot.text_at, *len + 1);
		*text = (char *)bytes;
		if (time_ns)
			*time_ns = snapshot.time_ns;
		return 1;
	}
	free(bytes);
	return ret;
}

int trace_reader_snapshot(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			  char **text, size_t *len, uint64_t *time_ns, struct trace_error *err)
{
	for (size_t i = reader->chunk_count; i-- > 0;) {
		int ret;

		if (reader->chunks[i].type != KMEMTRACE_CHUNK_SNAPSHOT)
			continue;
		ret = match_snapshot(reader, &reader->chunks[i], name, phase, text, len, time_ns, err);
		if (ret)
			return ret < 0 ? ret : 0;
	}
	return trace_error_set(err, ENOENT, "%s: has no snapshot '%s'", reader->path, name);
}

/* ---- stacks ---- */

struct stack_table {
	uint8_t *bytes;
	size_t len;		/* bytes that are there, from 0 without a hole */
	size_t room;
};

static int stack_table_put(struct trace_reader *reader, struct stack_table *table, uint64_t offset,
			   const uint8_t *bytes, size_t len, struct trace_error *err)
{
	if (offset > table->len)
		return trace_error_set(err, EBADMSG, "%s: the stack table has a hole from byte %zu to %" PRIu64,
				       reader->path, table->len, offset);
	if (len > STACK_TABLE_MAX - offset)
		return trace_error_set(err, EBADMSG, "%s: the stack table is larger than %u bytes",
				       reader->path, STACK_TABLE_MAX);
	if (offset + len > table->room) {
		size_t room = 2 * (offset + len);
		void *grown = realloc(table->bytes, room);

		if (!grown)
			return trace_error_set(err, ENOMEM, "%s: out of memory for stacks", reader->path);
		table->bytes = grown;
		table->room = room;
	}
	memcpy(table->bytes + offset, bytes, len);
	if (offset + len > table->len)
		table->len = offset + len;
	return 0;
}

static int stack_table_load(struct trace_reader *reader, struct stack_table *table, struct trace_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < reader->chunk_count; i++) {
		const struct trace_chunk *chunk = &reader->chunks[i];
		uint8_t *bytes;

		if (chunk->type != KMEMTRACE_CHUNK_STACKS)
			continue;
		if (chunk->len < sizeof(struct kmemtrace_chunk_stacks))
			return trace_error_set(err, EBADMSG, "%s: stacks at offset %" PRIu64
					       " end inside their head", reader->path, chunk->offset);
		ret = load_payload(reader, chunk, &bytes, err);
		if (ret)
			return ret;
		ret = stack_table_put(reader, table, trace_load_u64(bytes, reader->swap),
				      bytes + sizeof(struct kmemtrace_chunk_stacks),
				      chunk->len - sizeof(struct kmemtrace_chunk_stacks), err);
		free(bytes);
	}
	return ret;
}

/* Visits the entry at the cursor. Returns 1, 0 if the table ends there, or -errno. */
static int visit_stack(struct trace_reader *reader, struct trace_cursor *cursor,
		       trace_stack_visitor visit, void *data, struct trace_error *err)
{
	uint64_t addrs[KMEMTRACE_STACK_DEPTH_MAX];
	size_t start = cursor->pos;
	uint32_t hash = trace_cursor_u32(cursor);
	uint16_t depth = trace_cursor_u16(cursor);
	int ret;

	trace_cursor_u16(cursor);
	if (cursor->overrun || !hash)	/* cut, or not complete when it was read */
		return 0;
	if (depth < 1 || depth > KMEMTRACE_STACK_DEPTH_MAX)
		return trace_error_set(err, EBADMSG, "%s: the stack at byte %zu of the table has depth %u, "
				       "expected 1 to %u", reader->path, start, depth,
				       KMEMTRACE_STACK_DEPTH_MAX);
	for (unsigned int i = 0; i < depth; i++)
		addrs[i] = trace_cursor_u64(cursor);
	if (cursor->overrun)
		return 0;
	ret = visit(data, start / 8, addrs, depth);
	return ret ? ret : 1;
}

static int visit_stacks(struct trace_reader *reader, const struct stack_table *table,
			trace_stack_visitor visit, void *data, struct trace_error *err)
{
	struct trace_cursor cursor = trace_cursor_init(table->bytes, table->len, false);
	uint32_t magic = trace_cursor_u32(&cursor);
	uint16_t header_len;
	int ret = 1;

	cursor.swap = magic == __builtin_bswap32(KMEMTRACE_STACK_MAGIC);
	if (!cursor.swap && magic != KMEMTRACE_STACK_MAGIC)
		return trace_error_set(err, EBADMSG, "%s: the stack table has magic 0x%08" PRIx32
				       ", expected 0x%08x", reader->path, magic, KMEMTRACE_STACK_MAGIC);
	trace_cursor_u16(&cursor);
	header_len = trace_cursor_u16(&cursor);
	if (header_len < sizeof(struct kmemtrace_stack_table) || header_len % 8)
		return trace_error_set(err, EBADMSG, "%s: the stack table has a header of %u bytes, "
				       "expected %zu or more", reader->path, header_len,
				       sizeof(struct kmemtrace_stack_table));
	cursor.pos = header_len < table->len ? header_len : table->len;
	while (ret > 0)
		ret = visit_stack(reader, &cursor, visit, data, err);
	return ret;
}

int trace_reader_stacks(struct trace_reader *reader, trace_stack_visitor visit, void *data,
			struct trace_error *err)
{
	struct stack_table table = { 0 };
	int ret = stack_table_load(reader, &table, err);

	if (!ret && table.len)
		ret = visit_stacks(reader, &table, visit, data, err);
	free(table.bytes);
	return ret;
}
