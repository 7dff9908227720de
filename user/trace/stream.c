// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One CPU's events. Bounds are checked once for each sub-buffer: trace_subbuf_parse() has seen that
 * its header fits, and the records are those that fit behind it. A record is then decoded where it
 * lies.
 *
 * What was lost is told by headers alone: each counts from the start of its session, so what a gap
 * hides is the difference to the header before, also when sub-buffers in between are missing.
 */
#include "trace/stream.h"

#include <errno.h>
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
	uint32_t stack_mask; /* 0 if the file doesn't hold this session's stacks; else all ones */
	const uint8_t *record, *end;	/* the next record; behind the last whole one */
	uint64_t latest_ns;		/* of the last record in it, or of its header */

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
	return x < y ? -1 : 1;	/* in order of file and offset, as in the index */
}

static bool is_duplicate(const struct trace_chunk *chunk, const struct trace_chunk *before)
{
	return chunk->session == before->session && chunk->seq == before->seq;
}

static bool is_of_stream(const struct trace_stream *stream, const struct trace_chunk *chunk)
{
	return chunk->type == KMEMTRACE_CHUNK_DATA && chunk->cpu == stream->cpu;
}

/*
 * A sub-buffer that is there twice counts once. But one with a damaged number may only look like
 * another, and is never read then: its CRC is checked here.
 */
static int sort_chunks(struct trace_stream *stream, struct trace_error *err)
{
	size_t kept = 0;
	int ret = 0;

	qsort(stream->chunks, stream->chunk_count, sizeof(*stream->chunks), compare_chunks);
	for (size_t i = 0; !ret && i < stream->chunk_count; i++) {
		if (!i || !is_duplicate(stream->chunks[i], stream->chunks[kept - 1]))
			stream->chunks[kept++] = stream->chunks[i];
		else
			ret = trace_reader_verify(stream->reader, stream->chunks[i], err);
	}
	stream->chunk_count = kept;
	return ret;
}

static int list_chunks(struct trace_stream *stream, struct trace_error *err)
{
	const struct trace_reader *reader = stream->reader;
	size_t count = 0;

	for (size_t i = 0; i < reader->chunk_count; i++)
		count += is_of_stream(stream, &reader->chunks[i]);
	stream->chunks = malloc((count + 1) * sizeof(*stream->chunks));
	if (!stream->chunks)
		return trace_error_set(err, ENOMEM, "%s: out of memory for CPU %u", reader->path,
				       stream->cpu);
	for (size_t i = 0; i < reader->chunk_count; i++) {
		if (is_of_stream(stream, &reader->chunks[i]))
			stream->chunks[stream->chunk_count++] = &reader->chunks[i];
	}
	return sort_chunks(stream, err);
}

int trace_stream_open(struct trace_reader *reader, uint32_t cpu, struct trace_stream **out,
		      struct trace_error *err)
{
	struct trace_stream *stream = calloc(1, sizeof(*stream));
	int ret;

	if (!stream)
		return trace_error_set(err, ENOMEM, "%s: out of memory for CPU %u", reader->path,
				       cpu);
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

static int add_loss(struct trace_stream *stream, unsigned int reason, uint64_t from_ns,
		    uint64_t count, struct trace_error *err)
{
	uint64_t to_ns = stream->subbuf.time_ns;
	void *losses = trace_grow(stream->losses, stream->loss_count, &stream->loss_room,
				  sizeof(*stream->losses));

	if (!losses)
		return trace_error_set(err, ENOMEM, "%s: out of memory for losses",
				       stream->reader->path);
	stream->losses = losses;
	stream->losses[stream->loss_count++] = (struct trace_loss_window){
		.cpu = stream->cpu,
		.reason = reason,
		.from_ns = from_ns < to_ns ? from_ns : to_ns,
		.to_ns = to_ns,
		.count = count,
	};
	return 0;
}

/*
 * Where a loss of @reason can have begun, which the new header tells. A full buffer and missing
 * sub-buffers lose all that comes behind the last record that is there; what else is lost may be
 * lost in between records, from the last header on.
 */
static uint64_t loss_start(const struct trace_stream *stream, unsigned int reason)
{
	if (reason == KMEMTRACE_LOSS_BUFFER_FULL || reason == TRACE_LOSS_MISSING)
		return stream->latest_ns;
	return stream->previous.time_ns;
}

/* What the new header tells of the time since the one before. Of the first one all may be older. */
static int find_losses(struct trace_stream *stream, struct trace_error *err)
{
	static const struct trace_subbuf nothing;
	const struct trace_subbuf *now = &stream->subbuf;
	bool continues = stream->has_header && now->session == stream->previous.session;
	const struct trace_subbuf *before = continues ? &stream->previous : &nothing;
	uint64_t next_seq = continues ? before->seq + 1 : 0;
	int ret = 0;

	if (!continues && stream->reader->begins_late)
		stream->stats.earlier += now->seq;
	else if (now->seq > next_seq)
		ret = add_loss(stream, TRACE_LOSS_MISSING,
			       continues ? loss_start(stream, TRACE_LOSS_MISSING) : now->time_ns,
			       now->seq - next_seq, err);
	for (unsigned int i = 0; !ret && i < KMEMTRACE_LOSS_MAX; i++) {
		if (now->lost[i] > before->lost[i])
			ret = add_loss(stream, i, continues ? loss_start(stream, i) : now->time_ns,
				       now->lost[i] - before->lost[i], err);
	}
	if (now->ignored > before->ignored)
		stream->stats.ignored += now->ignored - before->ignored;
	memcpy(stream->stats.lost, now->lost, sizeof(now->lost));
	stream->previous = *now;
	stream->has_header = true;
	return ret;
}

/* ---- sub-buffers ---- */

static int read_subbuf(struct trace_stream *stream, const struct trace_chunk *chunk,
		       struct trace_error *err)
{
	int ret;

	if (chunk->len > stream->room) {
		void *bytes = realloc(stream->bytes, chunk->len);

		if (!bytes)
			return trace_error_set(err, ENOMEM, "%s: out of memory for a sub-buffer",
					       stream->reader->path);
		stream->bytes = bytes;
		stream->room = chunk->len;
	}
	ret = trace_reader_payload(stream->reader, chunk, stream->bytes, err);
	if (ret)
		return ret;
	return trace_subbuf_parse(stream->bytes, chunk->len, &stream->subbuf,
				  trace_chunk_file(stream->reader, chunk)->path,
				  chunk->offset + sizeof(struct kmemtrace_chunk_header), err);
}

static int load_subbuf(struct trace_stream *stream, const struct trace_chunk *chunk,
		       struct trace_error *err)
{
	const struct trace_reader *reader = stream->reader;
	const struct trace_subbuf *subbuf = &stream->subbuf;
	size_t records;
	int ret = read_subbuf(stream, chunk, err);

	if (!ret)
		ret = find_losses(stream, err);
	if (ret)
		return ret;
	records = (chunk->len - subbuf->header_len) / subbuf->record_len;
	stream->record = stream->bytes + subbuf->header_len;
	stream->end = stream->record + records * subbuf->record_len;
	stream->stack_mask =
		reader->has_stacks && reader->stack_session != subbuf->session ? 0 : ~0U;
	stream->latest_ns = subbuf->time_ns;
	stream->stats.opened_ns = subbuf->time_ns;
	stream->stats.subbufs++;
	stream->stats.bytes += chunk->len;
	return 0;
}

/* ---- records ---- */

#define FIELD(name)	(record + offsetof(struct kmemtrace_record, name))

/* Inlined once for each byte order, so that neither asks for every field. */
static inline __attribute__((always_inline))
void decode(const uint8_t *record, bool swap, struct trace_event *event)
{
	event->time_ns = trace_load_u64(FIELD(time_ns), swap);
	event->addr = trace_load_u64(FIELD(addr), swap);
	event->call_site = trace_load_u64(FIELD(call_site), swap);
	event->stack_id = trace_load_u32(FIELD(stack_id), swap);
	event->bytes_req = trace_load_u32(FIELD(bytes_req), swap);
	event->bytes_alloc = trace_load_u32(FIELD(bytes_alloc), swap);
	event->gfp = trace_load_u32(FIELD(gfp), swap);
	event->tid = trace_load_u32(FIELD(tid), swap);
	event->tgid = 0;
	event->cache = trace_load_u16(FIELD(cache), swap);
	event->order = event->migratetype = 0;
	event->node = *FIELD(node);
	event->comm[0] = 0;
}

static void decode_page(const uint8_t *record, struct trace_event *event)
{
	event->order = *FIELD(page.order);
	event->migratetype = *FIELD(page.migratetype);
}

static void decode_task(const uint8_t *record, struct trace_event *event)
{
	memcpy(event->comm, FIELD(comm), TRACE_COMM_LEN);
	event->comm[TRACE_COMM_LEN] = 0;
	event->tgid = event->gfp;
	event->addr = event->call_site = 0;
	event->gfp = 0;
}

/* All but slab events: what they have in place of a cache. */
static void decode_special(const uint8_t *record, struct trace_event *event)
{
	event->cache = KMEMTRACE_CACHE_NONE;
	if (event->event == KMEMTRACE_EVENT_TASK)
		decode_task(record, event);
	else if (trace_event_has_order(event->event))
		decode_page(record, event);
}

static void count_event(struct trace_stream *stream, const struct trace_event *event)
{
	struct trace_stream_stats *stats = &stream->stats;

	stats->events[event->event]++;
	if (event->time_ns < stats->last_ns)
		stats->backward++;
	if (!stats->first_ns)
		stats->first_ns = event->time_ns;
	stats->last_ns = stream->latest_ns = event->time_ns;
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
	if (event->event >= KMEMTRACE_EVENT_NR || event->context >= KMEMTRACE_CONTEXT_NR) {
		stream->stats.unknown++;
		return false;
	}
	event->cpu = stream->cpu;
	if (stream->subbuf.swap)
		decode(record, true, event);
	else
		decode(record, false, event);
	event->stack_id &= stream->stack_mask;
	if (event->event >= KMEMTRACE_EVENT_PAGE_ALLOC)
		decode_special(record, event);
	count_event(stream, event);
	return true;
}

int trace_stream_next(struct trace_stream *stream, struct trace_event *event,
		      struct trace_error *err)
{
	for (;;) {
		int ret;

		while (stream->record < stream->end) {
			if (take_record(stream, event))
				return 1;
		}
		if (stream->next_chunk == stream->chunk_count)
			return 0;
		ret = load_subbuf(stream, stream->chunks[stream->next_chunk++], err);
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

size_t trace_stream_losses(const struct trace_stream *stream,
			   const struct trace_loss_window **windows)
{
	*windows = stream->losses;
	return stream->loss_count;
}
