// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens .kmt files. Parts of one recording are read as one file, in the order of their start times,
 * whatever their names.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "trace/file/cursor.h"
#include "trace/file/index.h"
#include "trace/file/pack.h"
#include "trace/file/reader.h"

#define FILES_MAX UINT16_MAX

/* ---- one file ---- */

static int open_file(struct trace_file *file, const char *path, struct trace_error *err)
{
	int ret = trace_file_open(file, path, err);

	if (ret)
		return ret;
	file->path = strdup(path);
	if (!file->path)
		return trace_error_set(err, ENOMEM, "can't open %s: out of memory", path);
	return 0;
}

static int read_header(struct trace_file *file, struct trace_error *err)
{
	uint8_t bytes[TRACE_FILE_HEADER_LEN];
	size_t len = file->size < sizeof(bytes) ? file->size : sizeof(bytes);
	int ret = trace_file_read(file, 0, bytes, len, err);

	if (ret)
		return ret;
	ret = trace_file_header_parse(bytes, len, &file->header, file->path, err);
	if (len < sizeof(bytes) ||
	    memcmp(bytes, KMEMTRACE_FILE_MAGIC, KMEMTRACE_FILE_MAGIC_LEN) != 0)
		return ret; /* not a trace */
	return trace_error_advise(err, ret);
}

/*
 * Rejects a damaged header length, which would hide the first chunks: the header has no CRC. No
 * field of a longer header looks like a whole chunk header.
 */
static int check_header_len(const struct trace_file *file, struct trace_error *err)
{
	uint8_t bytes[TRACE_CHUNK_HEADER_LEN];
	struct trace_chunk_header chunk;
	uint16_t len = file->header.header_len;

	if (len == TRACE_FILE_HEADER_LEN)
		return 0;
	if (len > file->size)
		return trace_error_advise(
			err, trace_error_set(err, EBADMSG,
					     "%s: header length %u at offset 14, expected %" PRIu64
					     " at most, the bytes of the file",
					     file->path, len, file->size));
	if (trace_file_read(file, TRACE_FILE_HEADER_LEN, bytes, sizeof(bytes), NULL) ||
	    trace_chunk_header_parse(bytes, file->header.swap, &chunk, file->path,
				     TRACE_FILE_HEADER_LEN, NULL))
		return 0;
	return trace_error_advise(
		err,
		trace_error_set(err, EBADMSG,
				"%s: header length %u at offset 14, expected %zu, where a chunk is",
				file->path, len, TRACE_FILE_HEADER_LEN));
}

/* Reads the time of the text that begins each file. The index reports its errors. */
static void find_beginning(struct trace_file *file)
{
	uint8_t bytes[TRACE_CHUNK_HEADER_LEN + sizeof(struct kmemtrace_chunk_zstd) +
		      sizeof(struct kmemtrace_chunk_snapshot)];
	struct trace_chunk_header header;
	struct trace_cursor cursor;

	if (trace_file_read(file, file->header.header_len, bytes, sizeof(bytes), NULL) ||
	    trace_chunk_header_parse(bytes, file->header.swap, &header, file->path,
				     file->header.header_len, NULL))
		return;
	cursor = trace_cursor_init(bytes, sizeof(bytes), file->header.swap);
	trace_cursor_bytes(&cursor, TRACE_CHUNK_HEADER_LEN);
	if (header.type == KMEMTRACE_CHUNK_ZSTD) {
		header.type = trace_cursor_u16(&cursor);
		trace_cursor_u16(&cursor);
		trace_cursor_u32(&cursor);
	}
	if (header.type == KMEMTRACE_CHUNK_SNAPSHOT)
		file->begun_ns = trace_cursor_u64(&cursor);
}

/* ---- all files ---- */

static int compare_files(const void *a, const void *b)
{
	const struct trace_file *x = a, *y = b;

	return COMPARE(x->begun_ns, y->begun_ns);
}

static int open_files(struct trace_reader *reader, const char *const *paths, size_t count,
		      struct trace_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		struct trace_file *file = &reader->files[reader->file_count++];

		ret = open_file(file, paths[i], err);
		if (!ret)
			ret = read_header(file, err);
		if (!ret)
			ret = check_header_len(file, err);
		if (!ret)
			find_beginning(file);
	}
	if (!ret && count > 1)
		qsort(reader->files, count, sizeof(*reader->files), compare_files);
	return ret;
}

size_t trace_reader_file_count(const struct trace_reader *reader)
{
	return reader->file_count;
}

char *trace_reader_host(struct trace_reader *reader, size_t index, const char *key)
{
	size_t len = strlen(key);
	char *text, *value = NULL;

	if (trace_reader_file_snapshot(reader, index, "host", KMEMTRACE_PHASE_START, &text, NULL))
		return NULL;
	for (char *at = text; at && !value; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, "command=", strlen("command=")) == 0)
			break; /* the last key: its value may have lines that look like keys */
		if (strncmp(at, key, len) == 0 && at[len] == '=')
			value = strndup(at + len + 1, strcspn(at + len + 1, "\n"));
	}
	free(text);
	return value;
}

static bool has_text(struct trace_reader *reader, size_t index, const char *name,
		     enum kmemtrace_phase phase)
{
	char *text;
	bool has = trace_reader_file_snapshot(reader, index, name, phase, &text, NULL) == 0;

	if (has)
		free(text);
	return has;
}

/*
 * Rejects one of several files that does not describe its recording: recorders begin each file so,
 * and its other texts would count for all. A cut or recovered file may lack that, but then the
 * trace is not complete.
 */
static int check_host(struct trace_reader *reader, size_t index, struct trace_error *err)
{
	const struct trace_file *file = &reader->files[index];

	if (trace_file_is_cut(file) || has_text(reader, index, "host", KMEMTRACE_PHASE_START) ||
	    has_text(reader, index, "recovered", KMEMTRACE_PHASE_END))
		return 0;
	return trace_error_set(err, EINVAL,
			       "%s has no text 'host': only parts of one recording can be read "
			       "together",
			       file->path);
}

/*
 * Rejects files of different boots, as their times and addresses cannot be compared. A file without
 * a boot id goes with any.
 */
static int check_boots(struct trace_reader *reader, struct trace_error *err)
{
	const char *first_path = NULL;
	char *first = NULL;
	int ret = 0;

	for (size_t i = 0; !ret && i < reader->file_count; i++) {
		const char *path = reader->files[i].path;
		char *id = trace_reader_host(reader, i, "boot_id");

		if (id && !first) {
			first = id;
			first_path = path;
			continue;
		}
		if (id && strcmp(first, id) != 0)
			ret = trace_error_set(err, EINVAL,
					      "%s and %s are of different boots: only parts of one "
					      "recording can be read together",
					      first_path, path);
		free(id);
	}
	free(first);
	return ret;
}

static bool drops_oldest(struct trace_reader *reader)
{
	char *text;
	size_t len;
	bool drops;

	if (trace_reader_snapshot(reader, "overwrite", KMEMTRACE_PHASE_START, &text, &len, NULL,
				  NULL))
		return false;
	drops = text[0] == '1';
	free(text);
	return drops;
}

/* Returns the part number of the file @index, from 1 on; 0: not a part. */
static uint64_t part_of(struct trace_reader *reader, size_t index)
{
	char *text = trace_reader_host(reader, index, "part");
	uint64_t part = 0;

	if (text && *text >= '1' && *text <= '9')
		part = strtoull(text, NULL, 10);
	free(text);
	return part;
}

/*
 * Returns the number of the last part, which is stored at its end; 0: that part is not among the
 * files.
 */
static uint64_t last_part(struct trace_reader *reader)
{
	uint64_t part;
	char *text;

	if (trace_reader_outer_snapshot(reader, "last_part", KMEMTRACE_PHASE_END, &text, NULL))
		return 0;
	part = strtoull(text, NULL, 10);
	free(text);
	return part;
}

/* Returns how many gaps there are between the numbers of the parts. */
static size_t count_gaps(struct trace_reader *reader)
{
	uint64_t before = 0;
	size_t gaps = 0;

	for (size_t i = 0; i < reader->file_count; i++) {
		uint64_t part = part_of(reader, i);

		gaps += before && part > before && part - before > 1;
		before = part;
	}
	return gaps;
}

/*
 * Reads how the trace was recorded. A trace begins late if sub-buffers before its first ones were
 * dropped on purpose, or are in another file: in a flight recording, a later part, or if another
 * recorder had read them.
 */
static void read_mode(struct trace_reader *reader)
{
	char *mode = trace_reader_host(reader, 0, "mode");
	uint64_t part = part_of(reader, 0), last = part_of(reader, reader->file_count - 1);
	bool continues = mode && strcmp(mode, "continue") == 0;

	reader->missing_chunks += count_gaps(reader); /* at least one in each */
	reader->lacks_parts = part > 1;
	reader->begins_late = part > 1 || continues || drops_oldest(reader);
	reader->ends_early = last && last_part(reader) != last;
	reader->is_joined = continues || (mode && strcmp(mode, "extract") == 0);
	free(mode);
}

/* Returns the column @name of the line @head; 0: none. */
static unsigned int find_column(const char *head, const char *name)
{
	size_t len = strlen(name);
	unsigned int column = 0;

	for (const char *at = head; *at && *at != '\n'; column++) {
		size_t word = strcspn(at, " \n");

		if (word == len && memcmp(at, name, len) == 0)
			return column;
		at += word;
		at += *at == ' ';
	}
	return 0;
}

/* Reads the decimal number at @column of @line. Returns false if there is none. */
static bool read_number(const char *line, unsigned int column, uint64_t *number)
{
	for (; column; column--) {
		line += strcspn(line, " \n");
		if (*line != ' ')
			return false;
		line++;
	}
	if (*line < '0' || *line > '9')
		return false;
	errno = 0;
	*number = strtoull(line, NULL, 10);
	return errno == 0;
}

/*
 * Reads how many sub-buffers of each CPU were read or dropped before the first file began, and so
 * are in an earlier one. An older tracer does not report it. The first line of a CPU counts.
 */
static void take_consumed(struct trace_reader *reader, const char *text)
{
	unsigned int column = find_column(text, "consumed"), records = find_column(text, "written");

	for (const char *line = strchr(text, '\n'); column && line; line = strchr(line, '\n')) {
		uint64_t cpu, subbufs;

		line++;
		if (!read_number(line, 0, &cpu) || !read_number(line, column, &subbufs) ||
		    cpu >= KMEMTRACE_CPUS_MAX || reader->consumed[cpu])
			continue;
		reader->consumed[cpu] = subbufs;
		if (!records || !read_number(line, records, &reader->written[cpu]))
			reader->written[cpu] = 0;
	}
}

static int read_consumed(struct trace_reader *reader, struct trace_error *err)
{
	char *text;

	if (!reader->is_joined ||
	    trace_reader_outer_snapshot(reader, "stats", KMEMTRACE_PHASE_START, &text, NULL))
		return 0;
	reader->consumed = calloc(KMEMTRACE_CPUS_MAX, sizeof(*reader->consumed));
	reader->written = calloc(KMEMTRACE_CPUS_MAX, sizeof(*reader->written));
	if (reader->consumed && reader->written)
		take_consumed(reader, text);
	free(text);
	return reader->consumed && reader->written
		       ? 0
		       : trace_error_set(err, ENOMEM, "%s: out of memory for its CPUs",
					 reader->path);
}

static int compare_data(const void *a, const void *b)
{
	const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
	const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

	/* by file and offset, as in the index */
	return COMPARE(x->cpu, y->cpu)
		       ?: COMPARE(x->session, y->session)
		       ?: COMPARE(x->seq, y->seq)
		       ?: COMPARE(x, y);
}

static void split_by_cpu(struct trace_reader *reader, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i && reader->data[i]->cpu == reader->data[i - 1]->cpu)
			continue;
		reader->cpu_data[reader->cpu_count] = i;
		reader->cpus[reader->cpu_count++] = reader->data[i]->cpu;
	}
	reader->cpu_data[reader->cpu_count] = count;
	for (size_t i = 1; i < count; i++)
		reader->mixes_sessions |= reader->data[i]->session != reader->data[0]->session;
}

/* Lists the CPUs by one sort of all sub-buffers: there may be as many CPUs as sub-buffers. */
static int list_cpus(struct trace_reader *reader, struct trace_error *err)
{
	size_t count = 0, at = 0;

	for (size_t i = 0; i < reader->chunk_count; i++)
		count += reader->chunks[i].type == KMEMTRACE_CHUNK_DATA;
	reader->data = malloc((count + 1) * sizeof(*reader->data));
	reader->cpus = malloc((count + 1) * sizeof(*reader->cpus));
	reader->cpu_data = malloc((count + 1) * sizeof(*reader->cpu_data));
	if (!reader->data || !reader->cpus || !reader->cpu_data)
		return trace_error_set(err, ENOMEM, "%s: out of memory for its CPUs", reader->path);
	for (size_t i = 0; i < reader->chunk_count; i++) {
		if (reader->chunks[i].type == KMEMTRACE_CHUNK_DATA)
			reader->data[at++] = &reader->chunks[i];
	}
	qsort(reader->data, count, sizeof(*reader->data), compare_data);
	split_by_cpu(reader, count);
	return 0;
}

static int index_files(struct trace_reader *reader, struct trace_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < reader->file_count; i++)
		ret = trace_index_add(reader, i, err);
	for (size_t i = 0; !ret && reader->file_count > 1 && i < reader->file_count; i++)
		ret = check_host(reader, i, err);
	if (!ret)
		ret = check_boots(reader, err);
	if (!ret)
		ret = list_cpus(reader, err);
	if (ret)
		return ret;
	read_mode(reader);
	return read_consumed(reader, err);
}

int trace_reader_open_all(const char *const *paths, size_t count, struct trace_reader **out,
			  struct trace_error *err)
{
	struct trace_reader *reader = calloc(1, sizeof(*reader));
	int ret;

	if (count < 1 || count > FILES_MAX) {
		free(reader);
		return trace_error_set(err, EINVAL,
				       "%zu files can't be read together, expected 1 to %u", count,
				       FILES_MAX);
	}
	if (reader) {
		reader->path = strdup(paths[0]);
		reader->files = calloc(count, sizeof(*reader->files));
	}
	if (!reader || !reader->path || !reader->files)
		ret = trace_error_set(err, ENOMEM, "can't open %s: out of memory", paths[0]);
	else
		ret = open_files(reader, paths, count, err);
	if (!ret)
		ret = index_files(reader, err);
	if (ret) {
		trace_reader_close(reader);
		return ret;
	}
	*out = reader;
	return 0;
}

int trace_reader_open(const char *path, struct trace_reader **out, struct trace_error *err)
{
	return trace_reader_open_all(&path, 1, out, err);
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	for (size_t i = 0; i < reader->file_count; i++) {
		if (reader->files[i].fd >= 0)
			close(reader->files[i].fd);
		free(reader->files[i].path);
	}
	trace_unpacker_free(reader->unpacker);
	free(reader->files);
	free(reader->consumed);
	free(reader->written);
	free(reader->data);
	free(reader->cpus);
	free(reader->cpu_data);
	free(reader->spare.bytes);
	free(reader->snapshots);
	free(reader->chunks);
	free(reader->path);
	free(reader);
}
