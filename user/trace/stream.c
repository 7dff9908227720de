// SPDX-License-Identifier: GPL-2.0-or-later
#include "trace/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/cursor.h"
#include "trace/index.h"

struct trace_stream {
	struct trace_reader *reader;
	uint32_t cpu;
	const struct trace_chunk **chunks;	/* this CPU's, in order of session and sequence */
	size_t chunk_count, next_chunk;

	uint8_t *bytes;			/* of the sub-buffer being read */
	size_t room;
	struct trace_subbuf subbuf;	/* its header */
	const uint8_t *record, *end;	/* the next record; behind the last whole one */

	bool has_header;		/* a header came before: loss can be told from it */
	struct trace_subbuf previous;	/* that header */

	struct trace_stream_stats stats;
	struct trace_loss_window *losses;
	size_t loss_count, loss_room;
};

/* ---- which chunks ---- */

static int compare_chunks(const void *a, const void *b)
{
	const struct trace_chunk *x = *(const struct trace_chunk *const *)a;
	const struct trace_chunk *y = *(const struct trace_chunk *const *)b;

	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

static bool is_duplicate(const struct trace_chunk *chunk, const struct trace_chunk *before)
{
	return chunk->session == before->session && chunk->seq == before->seq;
}

static int list_chunks(struct trace_stream *stream, struct trace_error *err)
{
	const struct trace_reader *reader = stream->reader;
	size_t kept = 0;

	stream->chunks = malloc((reader->chunk_count + 1) * sizeof(*stream->chunks));
	if (!stream->chunks)
		return trace_error_set(err, ENOMEM, "%s: out of memory", reader->path);
	for (size_t i = 0; i < reader->chunk_count; i++) {
		const struct trace_chunk *chunk = &reader->chunks[i];

		if (chunk->type == KMEMTRACE_CHUNK_DATA && chunk->cpu == stream->cpu)
			stream->chunks[stream->chunk_count++] = chunk;
	}
	qsort(stream->chunks, stream->chunk_count, sizeof(*stream->chunks), compare_chunks);
	for (size_t i = 0; i < stream->chunk_count; i++) {
		if (!i || !is_duplicate(stream->chunks[i], stream->chunks[kept - 1]))
			stream->chunks[kept++] = stream->chunks[i];
	}
	stream->chunk_count = kept;
	return 0;
}

int trace_stream_open(struct trace_reader *reader, uint32_t cpu, struct trace_stream **out,
		      struct trace_error *err)
{
	struct trace_stream *stream = calloc(1, sizeof(*stream));
	int ret;

	if (!stream)
		return trace_error_set(err, ENOMEM, "%s: out of memory", reader->path);
	stream->reader = reader;
	stream->cpu = cpu;
	ret = list_chunks(stream, err);
	if (ret) {
		trace_stream_close(stream);
		return ret;
	}
	*out = stream;
	return 0;
}

void trace_stream_close(struct trace_stream *stream)
{
	if (!stream)
		return;
	free(stream->chunks);
	free(stream->bytes);
	free(stream->losses);
	free(stream);
}

/* ---- losses ---- */

static int add_loss(struct trace_stream *stream, unsigned int reason, uint64_t from_ns, uint64_t count,
		    struct trace_error *err)
{
	if (stream->loss_count == stream->loss_room) {
		size_t room = stream->loss_room ? 2 * stream->loss_room : 16;
		void *losses = reallocarray(stream->losses, room, sizeof(*stream->losses));

		if (!losses)
			return trace_error_set(err, ENOMEM, "%s: out of memory", stream->reader->path);
		stream->losses = losses;
		stream->loss_room = room;
	}
	stream->losses[stream->loss_count++] = (struct trace_loss_window){
		.cpu = stream->cpu,
		.reason = reason,
		.from_ns = from_ns,
		.to_ns = stream->subbuf.time_ns,
		.count = count,
	};
	return 0;
}

/* What the new header tells of the time since the one before. */
static int find_losses(struct trace_stream *stream, struct trace_error *err)
{
	const struct trace_subbuf *now = &stream->subbuf, *before = &stream->previous;
	bool same_session = stream->has_header && now->session == before->session;
	uint64_t next_seq = same_session ? before->seq + 1 : 0;
	uint64_t from_ns = same_session ? before->time_ns : now->time_ns;
	int ret = 0;

	if (now->seq > next_seq)
		ret = add_loss(stream, TRACE_LOSS_MISSING, from_ns, now->seq - next_seq, err);
	for (unsigned int i = 0; !ret && i < KMEMTRACE_LOSS_NR; i++) {
		uint64_t lost = now->lost[i] - (same_session ? before->lost[i] : 0);

		if (lost)
			ret = add_loss(stream, i, from_ns, lost, err);
	}
	stream->stats.ignored += now->ignored - (same_session ? before->ignored : 0);
	stream->previous = *now;
	stream->has_header = true;
	return ret;
}

/* ---- sub-buffers ---- */

static int load_subbuf(struct trace_stream *stream, const struct trace_chunk *chunk, struct trace_error *err)
{
	size_t records;
	int ret;

	if (chunk->len > stream->room) {
		void *bytes = realloc(stream->bytes, chunk->len);

		if (!bytes)
			return trace_error_set(err, ENOMEM, "%s: out of memory", stream->reader->path);
		stream->bytes = bytes;
		stream->room = chunk->len;
	}
	ret = trace_reader_payload(stream->reader, chunk, stream->bytes, err);
	if (!ret)
		ret = trace_subbuf_parse(stream->bytes, chunk->len, &stream->subbuf, stream->reader->path,
					 chunk->offset, err);
	if (ret)
		return ret;
	records = (chunk->len - stream->subbuf.header_len) / stream->subbuf.record_len;
	stream->record = stream->bytes + stream->subbuf.header_len;
	stream->end = stream->record + records * stream->subbuf.record_len;
	stream->stats.subbufs++;
	stream->stats.bytes += chunk->len;
	return find_losses(stream, err);
}

/* ---- records ---- */

#define FIELD(name)	(record + offsetof(struct kmemtrace_record, name))

static void decode(const uint8_t *record, bool swap, struct trace_event *event)
{
	event->time_ns = trace_load_u64(FIELD(time_ns), swap);
	event->addr = trace_load_u64(FIELD(addr), swap);
	event->call_site = trace_load_u64(FIELD(call_site), swap);
	event->stack_id = trace_load_u32(FIELD(stack_id), swap);
	event->bytes_req = trace_load_u32(FIELD(bytes_req), swap);
	event->bytes_alloc = trace_load_u32(FIELD(bytes_alloc), swap);
	event->gfp = trace_load_u32(FIELD(gfp), swap);
	event->tid = trace_load_u32(FIELD(tid), swap);
	event->cache = trace_load_u16(FIELD(cache), swap);
	event->order = *FIELD(page.order);
	event->migratetype = *FIELD(page.migratetype);
	event->node = *FIELD(node);
}

static void decode_task(const uint8_t *record, struct trace_event *event)
{
	memcpy(event->comm, FIELD(comm), TRACE_COMM_LEN);
	event->comm[TRACE_COMM_LEN] = 0;
	event->tgid = event->gfp;
	event->addr = event->call_site = 0;
	event->gfp = 0;
}

static void count_event(struct trace_stream_stats *stats, const struct trace_event *event)
{
	stats->events[event->event]++;
	if (event->time_ns < stats->last_ns)
		stats->backward++;
	if (!stats->first_ns)
		stats->first_ns = event->time_ns;
	stats->last_ns = event->time_ns;
}

/* Decodes the next record. False if it is to be skipped, and why is counted. */
static bool take_record(struct trace_stream *stream, struct trace_event *event)
{
	const uint8_t *record = stream->record;
	uint8_t type = *FIELD(type);

	stream->record += stream->subbuf.record_len;
	event->event = type & KMEMTRACE_TYPE_EVENT_MASK;
	event->context = type >> KMEMTRACE_TYPE_CONTEXT_SHIFT;
	if (event->event == KMEMTRACE_EVENT_NONE) {
		stream->stats.unfinished++;
		return false;
	}
	if (event->event >= KMEMTRACE_EVENT_NR) {
		stream->stats.unknown++;
		return false;
	}
	event->cpu = stream->cpu;
	if (stream->subbuf.swap)
		decode(record, true, event);
	else
		decode(record, false, event);
	if (event->event == KMEMTRACE_EVENT_TASK)
		decode_task(record, event);
	count_event(&stream->stats, event);
	return true;
}

int trace_stream_next(struct trace_stream *stream, struct trace_event *event, struct trace_error *err)
{
	for (;;) {
		while (stream->record < stream->end) {
			if (take_record(stream, event))
				return 1;
		}
		if (stream->next_chunk == stream->chunk_count)
			return 0;
		int ret = load_subbuf(stream, stream->chunks[stream->next_chunk++], err);

		if (ret) {
			stream->record = stream->end = NULL;
			return ret;
		}
	}
}

const struct trace_stream_stats *trace_stream_stats(const struct trace_stream *stream)
{
	return &stream->stats;
}

size_t trace_stream_losses(const struct trace_stream *stream, const struct trace_loss_window **windows)
{
	*windows = stream->losses;
	return stream->loss_count;
}
