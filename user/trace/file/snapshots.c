// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The named texts of a trace. The index has their names, so only requested texts are read. Before a
 * text is reported as missing, or as complete, all names are verified: a flipped bit must not
 * silently hide the counters of lost events.
 */
#include "trace/file/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/file/index.h"

/* A range of files to search. */
struct files {
	size_t first, end;
};

/* Finds the first part of the last text of that name and phase in @files; NULL: none. */
static struct trace_snapshot *find_snapshot(struct trace_reader *reader, struct files files,
					    const char *name, enum kmemtrace_phase phase)
{
	for (size_t i = reader->snapshot_count; i-- > 0;) {
		struct trace_snapshot *snapshot = &reader->snapshots[i];

		if (snapshot->text_at == 0 && snapshot->phase == phase &&
		    reader->chunks[snapshot->chunk].file >= files.first &&
		    reader->chunks[snapshot->chunk].file < files.end &&
		    strcmp(snapshot->name, name) == 0)
			return snapshot;
	}
	return NULL;
}

/* Checks the CRC of all texts from @first on. */
static int verify_from(struct trace_reader *reader, size_t first, struct trace_error *err)
{
	for (size_t i = first; i < reader->snapshot_count; i++) {
		struct trace_snapshot *snapshot = &reader->snapshots[i];
		int ret = 0;

		if (!snapshot->intact)
			ret = trace_reader_verify(reader, &reader->chunks[snapshot->chunk], err);
		if (ret)
			return ret;
		snapshot->intact = true;
	}
	return 0;
}

/*
 * Finds the part after @piece, at byte @len of its text; NULL: none. *@torn: later parts exist, but
 * not that one.
 */
static struct trace_snapshot *next_piece(struct trace_reader *reader,
					 const struct trace_snapshot *piece, size_t len, bool *torn)
{
	for (size_t i = piece - reader->snapshots + 1; i < reader->snapshot_count; i++) {
		struct trace_snapshot *next = &reader->snapshots[i];

		if (next->phase != piece->phase || strcmp(next->name, piece->name) != 0)
			continue;
		if (len && next->text_at == len)
			return next;
		*torn = next->text_at != 0;
		return NULL;
	}
	return NULL;
}

/* ---- limits of text lengths ---- */

/*
 * Limits of texts that are short on any kernel, as parsing takes several times their memory. Other
 * texts may be as long as a chunk.
 */
static const struct {
	const char *name;
	uint32_t most; /* bytes */
} limits[] = {
	{ "host", 1U << 24 },          { "abi", 1U << 24 },
	{ "stats", 1U << 24 },         { "caches", 1U << 24 },
	{ "cache_aliases", 1U << 24 }, { "events", 1U << 20 },
	{ "cpu_nodes", 1U << 20 },     { "overwrite", 1U << 20 },
	{ "paths", 1U << 20 },         { "kallsyms", 1U << 26 },
	{ "bpf_programs", 1U << 24 },  { "modules", 1U << 24 },
	{ "module_times", 1U << 26 },  { "module_functions", 1U << 26 },
	{ "build_ids", 1U << 24 },     { "meminfo", 1U << 20 },
	{ "slabinfo", 1U << 24 },      { "buddyinfo", 1U << 20 },
	{ "vmstat", 1U << 20 },        { "recovered", 1U << 20 },
};

static uint32_t longest(const char *name)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (strcmp(limits[i].name, name) == 0)
			return limits[i].most;
	}
	return KMEMTRACE_SNAPSHOT_MAX;
}

/* ---- one text ---- */

/* A text that is assembled from its parts. */
struct text {
	char *bytes; /* zero-terminated */
	size_t len, room;
};

/* Makes room for @more bytes and a zero, by doubling: parts may be as short as a byte. */
static int make_room(struct text *text, size_t more)
{
	size_t room = text->room * 2;
	char *bytes;

	if (text->len + more < text->room)
		return 0;
	if (room <= text->len + more)
		room = text->len + more + 1;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return -ENOMEM;
	text->bytes = bytes;
	text->room = room;
	return 0;
}

static int check_length(struct trace_reader *reader, const struct trace_snapshot *snapshot,
			uint64_t len, struct trace_error *err)
{
	const struct trace_chunk *chunk = &reader->chunks[snapshot->chunk];

	if (len <= longest(snapshot->name))
		return 0;
	return trace_error_set(err, EFBIG,
			       "%s: with the piece at offset %" PRIu64 " the text '%s' has %" PRIu64
			       " bytes, expected at most %" PRIu32,
			       trace_chunk_file(reader, chunk)->path, chunk->offset, snapshot->name,
			       len, longest(snapshot->name));
}

/* Appends the part @snapshot to @text. */
static int append_piece(struct trace_reader *reader, struct trace_snapshot *snapshot,
			struct text *text, struct trace_error *err)
{
	const struct trace_chunk *chunk = &reader->chunks[snapshot->chunk];
	size_t more = chunk->len - snapshot->text_from;
	uint8_t *bytes;
	int ret = check_length(reader, snapshot, text->len + more, err);

	if (!ret)
		ret = trace_reader_load(reader, chunk, &bytes, err);
	if (ret)
		return ret;
	snapshot->intact = true;
	if (make_room(text, more)) {
		free(bytes);
		return trace_error_set(err, ENOMEM, "%s: out of memory for the text '%s'",
				       reader->path, snapshot->name);
	}
	memcpy(text->bytes + text->len, bytes + snapshot->text_from, more + 1);
	free(bytes);
	text->len += more;
	return 0;
}

/*
 * Replaces zeros, which would hide the rest, such as counters of lost events, from string
 * functions.
 */
static void replace_zeros(char *text, size_t len)
{
	for (char *zero = memchr(text, 0, len); zero; zero = memchr(zero, 0, text + len - zero))
		*zero = '?';
}

static int read_snapshot(struct trace_reader *reader, struct files files, const char *name,
			 enum kmemtrace_phase phase, char **text, size_t *len, uint64_t *time_ns,
			 struct trace_error *err)
{
	struct trace_snapshot *snapshot = find_snapshot(reader, files, name, phase);
	struct trace_snapshot *piece;
	struct text read = { NULL };
	bool torn = false;
	int ret = 0;

	if (!snapshot) {
		ret = verify_from(reader, 0, err);
		return ret ? ret
			   : trace_error_set(err, ENOENT, "%s: has no snapshot '%s' of its %s",
					     reader->path, name,
					     phase == KMEMTRACE_PHASE_START ? "start" : "end");
	}
	*text = NULL;
	for (piece = snapshot; !ret && piece; piece = next_piece(reader, piece, read.len, &torn))
		ret = append_piece(reader, piece, &read, err);
	if (torn && !snapshot->torn)
		reader->torn_texts++;
	snapshot->torn = torn;
	if (!ret)
		ret = verify_from(reader, snapshot - reader->snapshots + 1, err);
	if (ret) {
		free(read.bytes);
		return ret;
	}
	replace_zeros(read.bytes, read.len);
	*text = read.bytes;
	*len = read.len;
	if (time_ns)
		*time_ns = snapshot->time_ns;
	return 0;
}

int trace_reader_snapshot(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			  char **text, size_t *len, uint64_t *time_ns, struct trace_error *err)
{
	const struct files all = { 0, reader->file_count };

	return read_snapshot(reader, all, name, phase, text, len, time_ns, err);
}

int trace_reader_file_snapshot(struct trace_reader *reader, size_t index, const char *name,
			       enum kmemtrace_phase phase, char **text, struct trace_error *err)
{
	const struct files one = { index, index + 1 };
	size_t len;

	return read_snapshot(reader, one, name, phase, text, &len, NULL, err);
}

int trace_reader_outer_snapshot(struct trace_reader *reader, const char *name,
				enum kmemtrace_phase phase, char **text, struct trace_error *err)
{
	size_t index = phase == KMEMTRACE_PHASE_START ? 0 : reader->file_count - 1;

	return trace_reader_file_snapshot(reader, index, name, phase, text, err);
}

int trace_reader_every_snapshot(struct trace_reader *reader, const char *name,
				enum kmemtrace_phase phase, char **text, struct trace_error *err)
{
	struct text read = { NULL };
	int ret = 0;

	for (size_t i = 0; !ret && i < reader->snapshot_count; i++) {
		struct trace_snapshot *snapshot = &reader->snapshots[i];

		if (snapshot->phase == phase && !strcmp(snapshot->name, name))
			ret = append_piece(reader, snapshot, &read, err);
	}
	if (ret) {
		free(read.bytes);
		return ret;
	}
	if (read.bytes)
		replace_zeros(read.bytes, read.len);
	*text = read.bytes;
	return 0;
}
