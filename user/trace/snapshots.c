// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The named texts of a trace. Names are in the index, so only the text that is asked for is read.
 * But "there is none of that name" is said only when no name can be damaged: a trace must not lose
 * its counters of lost events to a flipped bit without a word.
 */
#include "trace/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/index.h"

/* The last one of that name and phase, or NULL. */
static struct trace_snapshot *find_snapshot(struct trace_reader *reader, const char *name,
					    enum kmemtrace_phase phase)
{
	for (size_t i = reader->snapshot_count; i-- > 0;) {
		struct trace_snapshot *snapshot = &reader->snapshots[i];

		if (snapshot->phase == phase && strcmp(snapshot->name, name) == 0)
			return snapshot;
	}
	return NULL;
}

static int verify_all(struct trace_reader *reader, struct trace_error *err)
{
	for (size_t i = 0; i < reader->snapshot_count; i++) {
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

int trace_reader_snapshot(struct trace_reader *reader, const char *name, enum kmemtrace_phase phase,
			  char **text, size_t *len, uint64_t *time_ns, struct trace_error *err)
{
	struct trace_snapshot *snapshot = find_snapshot(reader, name, phase);
	const struct trace_chunk *chunk;
	uint8_t *bytes;
	int ret;

	if (!snapshot) {
		ret = verify_all(reader, err);
		return ret ? ret
			   : trace_error_set(err, ENOENT, "%s: has no snapshot '%s' of its %s",
					     reader->path, name,
					     phase == KMEMTRACE_PHASE_START ? "start" : "end");
	}
	chunk = &reader->chunks[snapshot->chunk];
	ret = trace_reader_load(reader, chunk, &bytes, err);
	if (ret)
		return ret;
	snapshot->intact = true;
	*len = chunk->len - snapshot->text_at;
	memmove(bytes, bytes + snapshot->text_at, *len + 1);
	*text = (char *)bytes;
	if (time_ns)
		*time_ns = snapshot->time_ns;
	return 0;
}
