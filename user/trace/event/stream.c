// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events of one CPU. Bounds are checked once for each sub-buffer: trace_subbuf_parse() checks
 * its header, and only records that fit after it are decoded, in place.
 *
 * Records are returned in time order. A record whose time is before that of earlier records is
 * sorted in if it is late by at most TRACE_TOLERANCE_NS, so the newest records wait for those that
 * may precede them. A later one is a step of the clock: it keeps its position, sorting starts anew
 * from it, and it is counted.
 *
 * Losses are found by headers alone. They count from the start of the session, so the loss in a gap
 * is the difference to the previous header, even if sub-buffers in between are missing.
 */
#include "trace/event/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "trace/file/cursor.h"
#include "trace/file/index.h"

#define WAITING_MAX 2048 /* records that wait for earlier ones, at most */

struct trace_stream {
	struct trace_reader *reader;
	uint32_t cpu;
	const struct trace_chunk **chunks; /* this CPU's, in order of session and sequence */
	size_t chunk_count, next_chunk;

	struct trace_buffer buffer;  /* being read; the reader's spare is filled next */
	struct trace_subbuf subbuf;  /* header of the newest sub-buffer in it */
	bool knows_stacks;           /* the file has the stacks of this session */
	const uint8_t *record, *end; /* the next record; end of the last whole one */
	const uint8_t *safe;         /* records before it are final: no later one precedes them */
	const uint8_t *ordered;      /* start of the records that are in order, except new ones */
	uint64_t newest_ns;          /* latest time from there on */
	uint64_t gone_ns;   /* records before this time are too late, as too many waited; 0: none */
	uint64_t latest_ns; /* time of the last record in it, or of its header */
	int failed;         /* -errno, returned after the remaining records */
	struct trace_error error; /* only if failed */

	bool has_header;              /* there is a previous header: losses can be computed */
	struct trace_subbuf previous; /* the previous header */

	struct trace_stream_stats stats;
	struct trace_loss_window *losses;
	size_t loss_count, loss_room;
};

/* ---- chunks ---- */

static bool is_duplicate(const struct trace_chunk *chunk, const struct trace_chunk *before)
{
	return chunk->session == before->session && chunk->seq == before->seq;
}

/*
 * Lists the chunks of this CPU; @chunks are in order. A sub-buffer that occurs twice counts once.
 * The CRC of such a chunk is checked here, since a damaged number may make one look like another,
 * and the chunk is not read later.
 */
static int take_chunks(struct trace_stream *stream, const struct trace_chunk **chunks, size_t count,
		       struct trace_error *err)
{
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		if (!i || !is_duplicate(chunks[i], stream->chunks[kept - 1]))
			stream->chunks[kept++] = chunks[i];
		else
			ret = trace_reader_verify(stream->reader, chunks[i], err);
	}
	stream->chunk_count = kept;
	return ret;
}

static int compare_cpus(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return COMPARE(x, y);
}

static int list_chunks(struct trace_stream *stream, struct trace_error *err)
{
	const struct trace_reader *reader = stream->reader;
	const uint32_t *cpu = bsearch(&stream->cpu, reader->cpus, reader->cpu_count,
				      sizeof(*reader->cpus), compare_cpus);
	size_t first = cpu ? reader->cpu_data[cpu - reader->cpus] : 0;
	size_t count = cpu ? reader->cpu_data[cpu - reader->cpus + 1] - first : 0;

	stream->chunks = malloc((count + 1) * sizeof(*stream->chunks));
	if (!stream->chunks)
		return trace_error_set(err, ENOMEM, "%s: out of memory for CPU %u", reader->path,
				       stream->cpu);
	return take_chunks(stream, reader->data + first, count, err);
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
	free(stream->buffer.bytes);
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
 * Returns the earliest time of a loss of @reason that the new header reports. With a full buffer or
 * missing sub-buffers, everything after the last record is lost; other losses may be between
 * records since the last header.
 */
static uint64_t loss_start(const struct trace_stream *stream, unsigned int reason)
{
	if (reason == KMEMTRACE_LOSS_BUFFER_FULL || reason >= TRACE_LOSS_MISSING)
		return stream->latest_ns;
	return stream->previous.time_ns;
}

/* Returns how many sub-buffers before @first, the first of its session, are not lost. */
static uint64_t find_earlier(const struct trace_stream *stream, const struct trace_subbuf *first)
{
	const struct trace_reader *reader = stream->reader;

	if (reader->begins_late)
		return first->seq;
	if (stream->has_header || !reader->consumed || stream->cpu >= KMEMTRACE_CPUS_MAX)
		return 0;
	return reader->consumed[stream->cpu] < first->seq ? reader->consumed[stream->cpu]
							  : first->seq;
}

/* Notes how many records the earlier sub-buffers had; @first tells if it is the next one. */
static void note_earlier(struct trace_stream *stream, const struct trace_subbuf *first,
			 uint64_t earlier)
{
	if (!stream->has_header)
		stream->stats.begins_ns = first->time_ns;
	stream->stats.earlier += earlier;
	if (earlier == first->seq)
		stream->stats.earlier_records += first->written;
	else
		stream->stats.earlier_unknown = true;
}

/*
 * Adds the losses since the previous header. Those in the first header may be older than the file.
 * After earlier sub-buffers they all are, since those had reported them.
 */
static int find_losses(struct trace_stream *stream, struct trace_error *err)
{
	static const struct trace_subbuf nothing;
	const struct trace_subbuf *now = &stream->subbuf;
	bool continues = stream->has_header && now->session == stream->previous.session;
	const struct trace_subbuf *before = continues ? &stream->previous : &nothing;
	uint64_t earlier = continues ? 0 : find_earlier(stream, now);
	uint64_t next_seq = continues ? before->seq + 1 : earlier;
	uint64_t next_written = continues ? stream->stats.next_written : 0;
	int ret = 0;

	if (earlier) {
		note_earlier(stream, now, earlier);
		before = now;
	}
	if (now->seq > next_seq) {
		ret = add_loss(stream, TRACE_LOSS_MISSING,
			       continues ? loss_start(stream, TRACE_LOSS_MISSING) : now->time_ns,
			       now->seq - next_seq, err);
	} else if (!earlier && now->written > next_written) {
		ret = add_loss(stream, TRACE_LOSS_SHORT,
			       continues ? loss_start(stream, TRACE_LOSS_SHORT) : now->time_ns,
			       now->written - next_written, err);
	}
	if (continues && now->seq == next_seq && now->written < next_written)
		stream->stats.surplus += next_written - now->written;
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

/* ---- order ---- */

#define FIELD(name) (record + offsetof(struct kmemtrace_record, name))

/* Returns false for an unfinished or unknown record: it has no time. */
static bool is_known(const uint8_t *record)
{
	uint8_t event = *FIELD(type) & KMEMTRACE_TYPE_EVENT_MASK;

	return event != KMEMTRACE_EVENT_NONE && event < KMEMTRACE_EVENT_NR &&
	       *FIELD(type) >> KMEMTRACE_TYPE_CONTEXT_SHIFT < KMEMTRACE_CONTEXT_NR;
}

static uint64_t time_of(const struct trace_stream *stream, const uint8_t *record)
{
	return trace_load_u64(FIELD(time_ns), stream->subbuf.swap);
}

/* Sort key of a record: run of ascending times, then time, then position. */
struct place {
	uint64_t time_ns;
	uint32_t run, index;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return COMPARE(x->run, y->run)
		       ?: COMPARE(x->time_ns, y->time_ns)
		       ?: COMPARE(x->index, y->index);
}

/*
 * Computes the sort keys of all records, and counts those out of order. Records before @fresh are
 * sorted.
 */
static void find_places(struct trace_stream *stream, const uint8_t *fresh, struct place *places)
{
	uint64_t newest_ns = 0;
	uint32_t run = 0, index = 0;
	const uint8_t *record;

	for (record = stream->record; record < stream->end; record += stream->subbuf.record_len) {
		uint64_t time_ns = is_known(record) ? time_of(stream, record) : newest_ns;
		bool late = time_ns < newest_ns && record >= fresh;

		if (late && newest_ns - time_ns > TRACE_TOLERANCE_NS) {
			stream->stats.backward++;
			run++;
			newest_ns = 0;
		} else if (late && !run && time_ns < stream->gone_ns) {
			stream->stats.backward++;
		} else if (late) {
			stream->stats.reordered++;
		}
		if (time_ns >= newest_ns)
			newest_ns = time_ns;
		places[index] = (struct place){ time_ns, run, index };
		index++;
	}
	stream->newest_ns = newest_ns;
}

/* Moves the records to their positions. */
static int sort_records(struct trace_stream *stream, const uint8_t *fresh, struct trace_error *err)
{
	size_t len = stream->subbuf.record_len, bytes = stream->end - stream->record;
	struct place *places = malloc(bytes / len * sizeof(*places));
	uint8_t *copy = malloc(bytes), *to = (uint8_t *)stream->record;
	size_t count = bytes / len;

	if (!places || !copy) {
		free(places);
		free(copy);
		return trace_error_set(err, ENOMEM, "%s: out of memory for a sub-buffer's order",
				       stream->reader->path);
	}
	find_places(stream, fresh, places);
	qsort(places, count, sizeof(*places), compare_places);
	memcpy(copy, stream->record, bytes);
	for (size_t i = 0; i < count; i++) {
		memcpy(to + i * len, copy + places[i].index * len, len);
		if (i && places[i].run != places[i - 1].run)
			stream->ordered = to + i * len;
	}
	free(places);
	free(copy);
	return 0;
}

/* Sorts the records from @fresh on into those that waited. */
static int order_records(struct trace_stream *stream, const uint8_t *fresh, struct trace_error *err)
{
	uint64_t newest_ns = stream->newest_ns;

	for (const uint8_t *record = fresh; record < stream->end;
	     record += stream->subbuf.record_len) {
		uint64_t time_ns = time_of(stream, record);

		if (!is_known(record))
			continue;
		if (time_ns < newest_ns)
			return sort_records(stream, fresh, err);
		newest_ns = time_ns;
	}
	stream->newest_ns = newest_ns;
	return 0;
}

/* Finds the last record that can be returned. @last: no more records follow. */
static void find_safe(struct trace_stream *stream, bool last)
{
	size_t len = stream->subbuf.record_len, waiting = 0;

	stream->gone_ns = 0;
	stream->safe = stream->end;
	while (!last && stream->safe > stream->ordered && waiting++ < WAITING_MAX) {
		const uint8_t *record = stream->safe - len;

		if (is_known(record) &&
		    stream->newest_ns - time_of(stream, record) > TRACE_TOLERANCE_NS)
			break;
		stream->safe = record;
	}
	if (waiting > WAITING_MAX)
		stream->gone_ns = time_of(stream, stream->safe - len);
}

/* ---- sub-buffers ---- */

/* Reads @chunk after @waiting bytes of room. */
static int read_subbuf(struct trace_stream *stream, const struct trace_chunk *chunk, size_t waiting,
		       struct trace_error *err)
{
	struct trace_buffer *buffer = &stream->reader->spare;
	int ret;

	if (waiting + chunk->len > buffer->room) {
		void *bytes = realloc(buffer->bytes, waiting + chunk->len);

		if (!bytes)
			return trace_error_set(err, ENOMEM, "%s: out of memory for a sub-buffer",
					       stream->reader->path);
		buffer->bytes = bytes;
		buffer->room = waiting + chunk->len;
	}
	ret = trace_reader_payload(stream->reader, chunk, buffer->bytes + waiting, err);
	if (ret)
		return ret;
	return trace_subbuf_parse(buffer->bytes + waiting, chunk->len, &stream->subbuf,
				  trace_chunk_file(stream->reader, chunk)->path,
				  chunk->offset + sizeof(struct kmemtrace_chunk_header), err);
}

/* Notes the times of the header, and of the last record as written. */
static void note_latest(struct trace_stream *stream, const uint8_t *fresh)
{
	const uint8_t *record = stream->end;

	stream->latest_ns = stream->stats.opened_ns = stream->subbuf.time_ns;
	while (record > fresh) {
		record -= stream->subbuf.record_len;
		if (is_known(record)) {
			stream->latest_ns = time_of(stream, record);
			break;
		}
	}
}

/* Copies the waiting records in front of those of @chunk, which was read into the spare buffer. */
static int take_subbuf(struct trace_stream *stream, const struct trace_chunk *chunk, size_t waiting,
		       struct trace_error *err)
{
	struct trace_reader *reader = stream->reader;
	const struct trace_subbuf *subbuf = &stream->subbuf;
	size_t records = (chunk->len - subbuf->header_len) / subbuf->record_len;
	struct trace_buffer read = reader->spare;
	uint8_t *first = read.bytes + subbuf->header_len;

	if (waiting)
		memmove(first, stream->record, waiting);
	reader->spare = stream->buffer;
	stream->buffer = read;
	stream->record = stream->ordered = first;
	first += waiting;
	stream->end = first + records * subbuf->record_len;
	stream->knows_stacks = !reader->stack_heads || reader->stack_session == subbuf->session;
	stream->stats.subbufs++;
	stream->stats.next_seq = subbuf->seq + 1;
	stream->stats.next_written = subbuf->written + records;
	stream->stats.bytes += chunk->len;
	note_latest(stream, first);
	return order_records(stream, first, err);
}

/* Returns whether no later record can precede those that wait. */
static bool is_last_of_session(const struct trace_stream *stream)
{
	size_t next = stream->next_chunk;

	return next == stream->chunk_count ||
	       stream->chunks[next]->session != stream->chunks[next - 1]->session;
}

static int load_subbuf(struct trace_stream *stream, const struct trace_chunk *chunk,
		       struct trace_error *err)
{
	struct trace_subbuf before = stream->subbuf;
	size_t waiting = stream->end - stream->record;
	int ret = read_subbuf(stream, chunk, waiting, err);

	if (!ret && waiting &&
	    (stream->subbuf.record_len != before.record_len || stream->subbuf.swap != before.swap))
		ret = trace_error_set(err, EBADMSG,
				      "%s: sub-buffer at offset %" PRIu64
				      " has records of %u bytes, expected %u and the byte order "
				      "as before in its session",
				      trace_chunk_file(stream->reader, chunk)->path, chunk->offset,
				      stream->subbuf.record_len, before.record_len);
	if (ret) {
		stream->subbuf = before;
		return ret;
	}
	if (!waiting)
		stream->newest_ns = 0;
	ret = find_losses(stream, err);
	return ret ? ret : take_subbuf(stream, chunk, waiting, err);
}

/* ---- records ---- */

#define SAME_PLACE(name)                                                                           \
	_Static_assert(offsetof(struct trace_event, name) ==                                       \
			       offsetof(struct kmemtrace_record, name),                            \
		       "events and records share their first fields")

SAME_PLACE(time_ns);
SAME_PLACE(addr);
SAME_PLACE(call_site);
SAME_PLACE(stack_id);
SAME_PLACE(bytes_req);
SAME_PLACE(bytes_alloc);
SAME_PLACE(gfp);
SAME_PLACE(tid);
_Static_assert(offsetof(struct trace_event, cpu) == sizeof(struct kmemtrace_record),
	       "the fields after it are set later");

/*
 * Decodes the fields that events and records have at the same offsets, as one copy if possible:
 * after separate stores, a load of two fields at once would stall.
 */
static void decode_alike(const uint8_t *record, bool swap, struct trace_event *event)
{
	if (!swap) {
		memcpy(event, record, sizeof(struct kmemtrace_record));
		return;
	}
	event->time_ns = trace_load_u64(FIELD(time_ns), swap);
	event->addr = trace_load_u64(FIELD(addr), swap);
	event->call_site = trace_load_u64(FIELD(call_site), swap);
	event->stack_id = trace_load_u32(FIELD(stack_id), swap);
	event->bytes_req = trace_load_u32(FIELD(bytes_req), swap);
	event->bytes_alloc = trace_load_u32(FIELD(bytes_alloc), swap);
	event->gfp = trace_load_u32(FIELD(gfp), swap);
	event->tid = trace_load_u32(FIELD(tid), swap);
}

static void decode(const uint8_t *record, bool swap, struct trace_event *event)
{
	decode_alike(record, swap, event);
	event->tgid = event->user_stack_id = event->mm = 0;
	event->cache = trace_load_u16(FIELD(cache), swap);
	event->order = event->migratetype = 0;
	event->node = *FIELD(node);
	event->comm[0] = event->part = event->parts = 0;
}

/* Decodes the additional fields of a longer record. */
static void decode_user(const uint8_t *record, bool swap, struct trace_event *event)
{
	event->user_stack_id = trace_load_u32(
		record + offsetof(struct kmemtrace_record_user, user_stack_id), swap);
	event->tgid = trace_load_u32(record + offsetof(struct kmemtrace_record_user, tgid), swap);
}

static void decode_space(struct trace_event *event)
{
	event->tgid = event->gfp;
	event->mm = event->user_stack_id;
	event->user_stack_id = 0;
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

static void decode_mark(const uint8_t *record, struct trace_event *event)
{
	memcpy(event->text, FIELD(text), KMEMTRACE_MARK_TEXT);
	event->text[KMEMTRACE_MARK_TEXT] = 0;
	event->part = *FIELD(mark.part);
	event->parts = *FIELD(mark.parts);
	event->addr = event->call_site = 0;
	event->stack_id = event->user_stack_id = event->gfp = 0;
	event->bytes_req = event->bytes_alloc = 0;
}

/* Decodes the fields that other events have instead of a cache. */
static void decode_special(const uint8_t *record, struct trace_event *event)
{
	event->cache = KMEMTRACE_CACHE_NONE;
	if (trace_event_action(event->event) == TRACE_NAME)
		decode_task(record, event);
	else if (trace_event_action(event->event) == TRACE_SPACE)
		decode_space(event);
	else if (trace_event_action(event->event) == TRACE_MARKED)
		decode_mark(record, event);
	else if (trace_event_has_order(event->event))
		decode_page(record, event);
}

static void count_event(struct trace_stream *stream, const struct trace_event *event)
{
	struct trace_stream_stats *stats = &stream->stats;

	stats->events[event->event]++;
	if (!stats->first_ns)
		stats->first_ns = event->time_ns;
	stats->last_ns = event->time_ns;
}

/*
 * Decodes everything but the CPU. Returns false for a record that is not is_known(), with its
 * reason in event->event.
 */
static inline bool decode_record(const uint8_t *record, size_t len, bool swap,
				 struct trace_event *event)
{
	uint8_t type = *FIELD(type);

	event->event = type & KMEMTRACE_TYPE_EVENT_MASK;
	event->context = type >> KMEMTRACE_TYPE_CONTEXT_SHIFT;
	if (event->event == KMEMTRACE_EVENT_NONE || event->event >= KMEMTRACE_EVENT_NR ||
	    event->context >= KMEMTRACE_CONTEXT_NR)
		return false;
	decode(record, swap, event);
	if (len >= sizeof(struct kmemtrace_record_user))
		decode_user(record, swap, event);
	if (event->event >= KMEMTRACE_EVENT_PAGE_ALLOC)
		decode_special(record, event);
	return true;
}

bool trace_record_decode(const uint8_t *record, size_t len, bool swap, struct trace_event *event)
{
	return decode_record(record, len, swap, event);
}

/* Decodes the next record. Returns false, and counts why, if it is skipped. */
static bool take_record(struct trace_stream *stream, struct trace_event *event)
{
	const uint8_t *record = stream->record;

	stream->record += stream->subbuf.record_len;
	event->cpu = stream->cpu;
	if (!decode_record(record, stream->subbuf.record_len, stream->subbuf.swap, event)) {
		if (event->event == KMEMTRACE_EVENT_NONE)
			stream->stats.unfinished++;
		else
			stream->stats.unknown++;
		return false;
	}
	if (!stream->knows_stacks) {
		stream->stats.without_stacks += event->stack_id || event->user_stack_id;
		event->stack_id = event->user_stack_id = 0;
	}
	count_event(stream, event);
	return true;
}

/* Frees the buffer: of many CPUs, only those with remaining records need one. */
static void drop_buffer(struct trace_stream *stream)
{
	free(stream->buffer.bytes);
	stream->buffer = (struct trace_buffer){ NULL, 0 };
	stream->record = stream->end = stream->safe = stream->ordered = NULL;
}

/* Reads more records that can be returned. Returns 1, 0 if there are no more, or -errno. */
static int refill(struct trace_stream *stream, struct trace_error *err)
{
	int ret = stream->failed;

	if (ret) {
		stream->failed = 0;
		*err = stream->error;
		return ret;
	}
	if (stream->next_chunk == stream->chunk_count) {
		drop_buffer(stream);
		return 0;
	}
	stream->failed = load_subbuf(stream, stream->chunks[stream->next_chunk++], &stream->error);
	find_safe(stream, stream->failed || is_last_of_session(stream));
	return 1;
}

int trace_stream_next(struct trace_stream *stream, struct trace_event *event,
		      struct trace_error *err)
{
	for (;;) {
		int ret;

		while (stream->record < stream->safe) {
			if (take_record(stream, event))
				return 1;
		}
		ret = refill(stream, err);
		if (ret <= 0)
			return ret;
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
