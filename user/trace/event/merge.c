// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The merge: a binary heap of the streams by their next event. A stream advances only when the
 * event after its last one is requested, so an error in one stream is returned after all earlier
 * events.
 */
#include "trace/event/merge.h"

#include <errno.h>
#include <stdlib.h>

/* A stream and its next event. */
struct head {
	struct trace_stream *stream;
	uint32_t cpu;
	struct trace_event event;
};

struct trace_merge {
	const struct trace_reader *reader;
	struct head *heads; /* one for each CPU, ascending */
	size_t head_count;
	struct head **heap; /* heads with an event: a heap, the earliest first */
	size_t heap_count;
	bool primed;              /* the first events of all streams were read */
	bool given;               /* the event of heap[0] was returned */
	int failed;               /* the -errno that ended the merge; 0: none */
	struct trace_error error; /* only if failed */
};

static bool is_before(const struct head *a, const struct head *b)
{
	if (a->event.time_ns != b->event.time_ns)
		return a->event.time_ns < b->event.time_ns;
	return a->cpu < b->cpu;
}

/* Moves the head at @at down to its position. */
static void sift_down(struct trace_merge *merge, size_t at)
{
	struct head *moving = merge->heap[at];
	size_t child;

	while ((child = 2 * at + 1) < merge->heap_count) {
		if (child + 1 < merge->heap_count &&
		    is_before(merge->heap[child + 1], merge->heap[child]))
			child++;
		if (!is_before(merge->heap[child], moving))
			break;
		merge->heap[at] = merge->heap[child];
		at = child;
	}
	merge->heap[at] = moving;
}

static int open_streams(struct trace_merge *merge, struct trace_reader *reader,
			const uint32_t *cpus, size_t count, struct trace_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < count; i++) {
		merge->heads[i].cpu = cpus[i];
		ret = trace_stream_open(reader, cpus[i], &merge->heads[i].stream, err);
		if (!ret)
			merge->head_count++;
	}
	return ret;
}

int trace_merge_open(struct trace_reader *reader, struct trace_merge **out, struct trace_error *err)
{
	struct trace_merge *merge = calloc(1, sizeof(*merge));
	const uint32_t *cpus;
	size_t count = trace_reader_cpus(reader, &cpus);
	int ret;

	if (merge) {
		merge->reader = reader;
		merge->heads = calloc(count + 1, sizeof(*merge->heads));
		merge->heap = calloc(count + 1, sizeof(*merge->heap));
	}
	if (!merge || !merge->heads || !merge->heap)
		ret = trace_error_set(err, ENOMEM, "%s: out of memory for %zu CPUs",
				      trace_reader_path(reader), count);
	else
		ret = open_streams(merge, reader, cpus, count, err);
	if (ret) {
		trace_merge_close(merge);
		return ret;
	}
	*out = merge;
	return 0;
}

void trace_merge_close(struct trace_merge *merge)
{
	if (!merge)
		return;
	for (size_t i = 0; i < merge->head_count; i++)
		trace_stream_close(merge->heads[i].stream);
	free(merge->heads);
	free(merge->heap);
	free(merge);
}

/* Reads each stream's first event. Returns 0 or -errno. */
static int prime(struct trace_merge *merge)
{
	merge->primed = true;
	for (size_t i = 0; i < merge->head_count; i++) {
		struct head *head = &merge->heads[i];
		int ret = trace_stream_next(head->stream, &head->event, &merge->error);

		if (ret < 0)
			return ret;
		if (ret)
			merge->heap[merge->heap_count++] = head;
	}
	for (size_t i = merge->heap_count / 2; i-- > 0;)
		sift_down(merge, i);
	return 0;
}

/* Replaces the returned event by the next one of its stream. Returns 0 or -errno. */
static int advance(struct trace_merge *merge)
{
	struct head *head = merge->heap[0];
	int ret = trace_stream_next(head->stream, &head->event, &merge->error);

	merge->given = false;
	if (ret < 0)
		return ret;
	if (!ret)
		merge->heap[0] = merge->heap[--merge->heap_count];
	if (merge->heap_count)
		sift_down(merge, 0);
	return 0;
}

int trace_merge_next(struct trace_merge *merge, struct trace_event *event, struct trace_error *err)
{
	const struct trace_event *next;
	int ret = trace_merge_look(merge, &next, err);

	if (ret > 0)
		*event = *next;
	return ret;
}

int trace_merge_look(struct trace_merge *merge, const struct trace_event **event,
		     struct trace_error *err)
{
	if (merge->given)
		merge->failed = advance(merge);
	else if (!merge->primed)
		merge->failed = prime(merge);
	if (merge->failed) {
		if (err)
			*err = merge->error;
		return merge->failed;
	}
	if (!merge->heap_count)
		return 0;
	*event = &merge->heap[0]->event;
	merge->given = true;
	return 1;
}

size_t trace_merge_streams(const struct trace_merge *merge)
{
	return merge->head_count;
}

const struct trace_stream *trace_merge_stream(const struct trace_merge *merge, size_t index,
					      uint32_t *cpu)
{
	*cpu = merge->heads[index].cpu;
	return merge->heads[index].stream;
}

/* Returns the time of the first record; 0: there is none. */
static uint64_t first_time(const struct trace_merge *merge)
{
	uint64_t first_ns = 0;

	for (size_t i = 0; i < merge->head_count; i++) {
		uint64_t ns = trace_stream_stats(merge->heads[i].stream)->first_ns;

		if (ns && (!first_ns || ns < first_ns))
			first_ns = ns;
	}
	return first_ns;
}

/*
 * Adds the CPUs whose sub-buffers are all in an earlier file. Returns whether the number of their
 * records is known.
 */
static bool add_silent_cpus(const struct trace_merge *merge, struct trace_beginning *beginning)
{
	bool known = true, late = false;
	uint64_t records;
	size_t at = 0;

	for (uint32_t cpu = 0; cpu < KMEMTRACE_CPUS_MAX; cpu++) {
		while (at < merge->head_count && merge->heads[at].cpu < cpu)
			at++;
		if ((at < merge->head_count && merge->heads[at].cpu == cpu) ||
		    !trace_reader_has_earlier(merge->reader, cpu, &records))
			continue;
		late = true;
		known &= records > 0;
		beginning->missing += records;
	}
	if (late && !beginning->late)
		beginning->time_ns = first_time(merge);
	beginning->late |= late;
	return known;
}

struct trace_beginning trace_merge_beginning(const struct trace_merge *merge)
{
	struct trace_beginning beginning = { .late = false };
	bool unknown = false;

	for (size_t i = 0; i < merge->head_count; i++) {
		const struct trace_stream_stats *stats = trace_stream_stats(merge->heads[i].stream);

		if (!stats->begins_ns)
			continue;
		beginning.late = true;
		beginning.missing += stats->earlier_records;
		unknown |= stats->earlier_unknown;
		if (stats->begins_ns < beginning.time_ns)
			continue;
		beginning.cpu = merge->heads[i].cpu;
		beginning.time_ns = stats->begins_ns;
	}
	unknown |= !add_silent_cpus(merge, &beginning);
	if (unknown)
		beginning.missing = 0;
	return beginning;
}

uint64_t trace_merge_start(const struct trace_merge *merge, uint64_t first_ns)
{
	struct trace_beginning beginning = trace_merge_beginning(merge);

	return beginning.late && beginning.time_ns > first_ns ? beginning.time_ns : first_ns;
}

int trace_merge_first_time(struct trace_reader *reader, uint64_t *time_ns, struct trace_error *err)
{
	struct trace_merge *merge;
	struct trace_event event;
	int ret = trace_merge_open(reader, &merge, err);

	if (ret)
		return ret;
	ret = trace_merge_next(merge, &event, err);
	if (ret > 0)
		*time_ns = event.time_ns;
	trace_merge_close(merge);
	return ret;
}
