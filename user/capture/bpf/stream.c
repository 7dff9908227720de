// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/stream.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/monotonic.h"

#define LOOK_NS                                                                                    \
	(20 * 1000 * 1000) /* a ring of 4 MiB is filled in 40 ms by 2 million events a second */
#define FLUSH_US G_USEC_PER_SEC /* an interrupted program ends within that time */

typedef struct {
	ControlStream base;
	BpfRings *rings;
	guint cpu;
} BpfStream;

/* ---- rings ---- */

static guint64 load(const __u64 *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

BpfRings *bpf_rings_continue(const BpfMaps *maps, BpfReader *readers, guint64 *flushed,
			     gboolean overwrite)
{
	BpfRings *rings = g_new0(BpfRings, 1);

	rings->maps = maps;
	rings->overwrite = overwrite;
	rings->readers = readers;
	rings->flushed = flushed;
	rings->is_read = g_new0(gboolean, maps->cpus);
	rings->is_kept = TRUE;
	return rings;
}

BpfRings *bpf_rings_new(const BpfMaps *maps, guint64 session, gboolean overwrite)
{
	BpfReader *readers = g_new0(BpfReader, maps->cpus);
	guint64 *flushed = g_new0(guint64, (gsize)maps->cpus * maps->subbuf_count);
	BpfRings *rings = bpf_rings_continue(maps, readers, flushed, overwrite);

	rings->is_kept = FALSE;
	for (guint i = 0; i < maps->cpus; i++)
		readers[i].session = session;
	return rings;
}

void bpf_rings_free(BpfRings *rings)
{
	if (!rings)
		return;
	if (!rings->is_kept) {
		g_free(rings->readers);
		g_free(rings->flushed);
	}
	g_free(rings->is_read);
	g_free(rings);
}

static guint64 *flushed_at(const BpfRings *rings, guint cpu, guint64 number)
{
	guint64 count = rings->maps->subbuf_count;

	return &rings->flushed[cpu * count + number % count];
}

/* Returns the number of records of a sub-buffer before the current one. */
static guint64 count_records(const BpfRings *rings, guint cpu, guint64 number)
{
	guint64 flushed = *flushed_at(rings, cpu, number);

	return flushed >> KMT_BPF_HEAD_SHIFT == number && flushed & KMT_BPF_HEAD_USED
		       ? MIN(flushed & KMT_BPF_HEAD_USED, rings->maps->records)
		       : rings->maps->records;
}

/* Returns the number of records before the sub-buffer @number, which is not overwritten yet. */
static guint64 count_before(const BpfRings *rings, guint cpu, guint64 number)
{
	const BpfMaps *maps = rings->maps;
	guint64 last = load(&maps->rings[cpu].head) >> KMT_BPF_HEAD_SHIFT;
	guint64 skipped = rings->readers[cpu].skipped;

	for (guint64 later = number; later < last; later++)
		skipped -= maps->records - count_records(rings, cpu, later);
	return number * maps->records - skipped;
}

/* Returns how many sub-buffers have or had records. */
static guint64 count_begun(const BpfRings *rings, guint cpu)
{
	guint64 head = load(&rings->maps->rings[cpu].head);

	return (head >> KMT_BPF_HEAD_SHIFT) + (head & KMT_BPF_HEAD_USED ? 1 : 0);
}

/* Returns the oldest sub-buffer that no later one has begun to overwrite. */
static guint64 find_oldest(const BpfRings *rings, guint cpu)
{
	guint64 begun = count_begun(rings, cpu);

	return begun - MIN(begun, rings->maps->subbuf_count);
}

void bpf_rings_count(const BpfRings *rings, guint cpu, guint64 *written, guint64 *overwritten)
{
	const BpfMaps *maps = rings->maps;
	const BpfReader *reader = &rings->readers[cpu];
	guint64 head = load(&maps->rings[cpu].head);
	guint64 oldest = find_oldest(rings, cpu);

	*written = (head >> KMT_BPF_HEAD_SHIFT) * maps->records + (head & KMT_BPF_HEAD_USED) -
		   reader->skipped;
	*overwritten = reader->overwritten;
	if (rings->overwrite && oldest > reader->number)
		*overwritten += count_before(rings, cpu, oldest) - reader->written;
}

static guint8 *subbuf_of(const BpfRings *rings, guint cpu, guint64 number)
{
	const BpfMaps *maps = rings->maps;

	return maps->subbufs +
	       (cpu * maps->subbuf_count + number % maps->subbuf_count) * maps->subbuf_bytes;
}

static gsize bytes_of(const BpfMaps *maps, guint64 records)
{
	return sizeof(struct kmemtrace_subbuf_header) + records * maps->record_bytes;
}

static struct kmemtrace_record *record_of(const BpfMaps *maps, guint8 *subbuf, guint64 i)
{
	return (struct kmemtrace_record *)(subbuf + bytes_of(maps, i));
}

/* Returns whether all of the first @count records are published. */
static gboolean is_complete(const BpfMaps *maps, guint8 *subbuf, guint64 count)
{
	/* From the end: the programs that were interrupted last finish first. */
	for (guint64 i = count; i-- > 0;) {
		if (!__atomic_load_n(&record_of(maps, subbuf, i)->type, __ATOMIC_ACQUIRE))
			return FALSE;
	}
	return TRUE;
}

static gboolean wait_complete(const BpfMaps *maps, guint8 *subbuf, guint64 count)
{
	gint64 until = g_get_monotonic_time() + FLUSH_US;

	while (!is_complete(maps, subbuf, count)) {
		if (g_get_monotonic_time() > until)
			return FALSE;
		sched_yield();
	}
	return TRUE;
}

/*
 * The same for all sub-buffers before the current one that were not read: a program that was
 * preempted may have a record in any of them.
 */
static gboolean wait_all_complete(const BpfRings *rings, guint cpu)
{
	guint64 current = load(&rings->maps->rings[cpu].head) >> KMT_BPF_HEAD_SHIFT;

	for (guint64 number = rings->readers[cpu].number; number < current; number++) {
		if (!wait_complete(rings->maps, subbuf_of(rings, cpu, number),
				   count_records(rings, cpu, number)))
			return FALSE;
	}
	return TRUE;
}

/*
 * Makes the next record begin a new sub-buffer, if the current one has any. @wait: wait for records
 * that are not published yet; EAGAIN: some still are not.
 */
static int flush_cpu(BpfRings *rings, guint cpu, gboolean wait)
{
	BpfReader *reader = &rings->readers[cpu];
	const BpfMaps *maps = rings->maps;
	__u64 *word = &maps->rings[cpu].head, head = load(word);
	guint64 number = head >> KMT_BPF_HEAD_SHIFT, used = head & KMT_BPF_HEAD_USED;

	while (used) {
		*flushed_at(rings, cpu, number) = head;
		if (__atomic_compare_exchange_n(word, &head, (number + 1) << KMT_BPF_HEAD_SHIFT,
						FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
		/* The ring has advanced. If it is in the next sub-buffer, this one is full. */
		*flushed_at(rings, cpu, number) = 0;
		number = head >> KMT_BPF_HEAD_SHIFT;
		used = head & KMT_BPF_HEAD_USED;
	}
	if (used)
		reader->skipped += maps->records - used;
	return !wait || wait_all_complete(rings, cpu) ? 0 : EAGAIN;
}

int bpf_rings_flush(BpfRings *rings, gboolean wait)
{
	int code = 0;

	if (rings->overwrite)
		return EBUSY;
	for (guint i = 0; i < rings->maps->cpus && !code; i++)
		code = flush_cpu(rings, i, wait);
	return code;
}

void bpf_rings_end(BpfRings *rings)
{
	for (guint i = 0; i < rings->maps->cpus; i++)
		flush_cpu(rings, i, FALSE);
}

gboolean bpf_rings_are_read(const BpfRings *rings)
{
	for (guint i = 0; i < rings->maps->cpus; i++) {
		if (rings->readers[i].number < count_begun(rings, i))
			return FALSE;
	}
	return TRUE;
}

gboolean bpf_rings_have_overwritten(const BpfRings *rings)
{
	for (guint i = 0; rings->overwrite && i < rings->maps->cpus; i++) {
		if (find_oldest(rings, i) > rings->readers[i].begins)
			return TRUE;
	}
	return FALSE;
}

void bpf_rings_begin(BpfRings *rings, guint64 missed, guint64 ns)
{
	if (!bpf_rings_are_read(rings))
		return;
	for (guint i = 0; i < rings->maps->cpus; i++) {
		rings->readers[i].begins = rings->readers[i].number;
		rings->readers[i].begin_ns = ns;
	}
	/* Counted for the first CPU, as in the view "stats". */
	rings->readers[0].missed = missed;
}

/* ---- names ---- */

#define TRIES 8 /* as KMT_RESERVE_TRIES in the programs */

/*
 * Reserves the next record of a CPU, as the programs do. NULL: there is no room, or a program has
 * reserved one since the ring's head was @head.
 */
static struct kmemtrace_record *reserve(BpfRings *rings, guint cpu, __u64 head, guint64 ns)
{
	const BpfMaps *maps = rings->maps;
	struct kmt_bpf_ring *ring = &maps->rings[cpu];
	guint64 number = head >> KMT_BPF_HEAD_SHIFT, used = head & KMT_BPF_HEAD_USED;
	guint8 *subbuf;

	if (used >= maps->records) {
		number++;
		used = 0;
	}
	if (!rings->overwrite &&
	    (gint64)(number - rings->readers[cpu].number) >= (gint64)maps->subbuf_count)
		return NULL;
	if (!__atomic_compare_exchange_n(&ring->head, &head,
					 number << KMT_BPF_HEAD_SHIFT | (used + 1), FALSE,
					 __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return NULL;
	subbuf = subbuf_of(rings, cpu, number);
	if (!used) { /* as kmt_begin_subbuf() */
		struct kmemtrace_subbuf_header *header = (struct kmemtrace_subbuf_header *)subbuf;

		header->time_ns = ns;
		header->ignored = ring->ignored;
		for (guint reason = 0; reason < KMEMTRACE_LOSS_MAX; reason++)
			header->lost[reason] = ring->lost[reason];
	}
	return record_of(maps, subbuf, used);
}

/*
 * Records the name. FALSE: no record could be reserved. The name is as recent as the record: it is
 * read between a look at the ring and the reservation.
 */
static gboolean try_name(BpfRings *rings, guint32 tid, guint32 tgid, BpfNameReader read)
{
	guint64 head = load(&rings->maps->rings[0].head), ns = monotonic_ns();
	g_autofree char *name = read(tid, tgid);
	struct kmemtrace_record *record;

	if (!name)
		return TRUE;
	record = reserve(rings, 0, head, ns);
	if (!record)
		return FALSE;
	memset(record, 0, rings->maps->record_bytes);
	record->time_ns = ns;
	record->tid = tid;
	record->gfp = tgid;
	g_strlcpy(record->comm, name, sizeof(record->comm));
	__atomic_store_n(&record->type, KMEMTRACE_EVENT_TASK, __ATOMIC_RELEASE);
	return TRUE;
}

void bpf_rings_put_name(BpfRings *rings, guint32 tid, guint32 tgid, BpfNameReader read)
{
	for (guint i = 0; i < TRIES; i++) {
		if (try_name(rings, tid, tgid, read))
			return;
	}
	__atomic_fetch_add(&rings->maps->rings[0].lost[KMEMTRACE_LOSS_NAME], 1, __ATOMIC_RELAXED);
}

/* ---- a stream ---- */

/* Returns how many records of the sub-buffer @number can be read; 0: none yet. */
static guint64 count_ready(const BpfRings *rings, guint cpu, guint64 number)
{
	const BpfMaps *maps = rings->maps;
	guint64 head = load(&maps->rings[cpu].head);
	guint64 used = MIN(head & KMT_BPF_HEAD_USED, maps->records);

	if (number < head >> KMT_BPF_HEAD_SHIFT)
		return count_records(rings, cpu, number);
	if (number == head >> KMT_BPF_HEAD_SHIFT &&
	    (used == maps->records || !g_atomic_int_get(&rings->running)))
		return used;
	return 0;
}

/* Skips sub-buffers that are overwritten: a stream begins with the oldest one that is whole. */
static void skip_overwritten(const BpfRings *rings, guint cpu)
{
	BpfReader *reader = &rings->readers[cpu];
	guint64 oldest = find_oldest(rings, cpu), before;

	if (oldest <= reader->number)
		return;
	before = count_before(rings, cpu, oldest);
	reader->overwritten += before - reader->written;
	reader->number = reader->seq = oldest;
	reader->written = before;
}

static void finish_header(const BpfRings *rings, guint cpu, struct kmemtrace_subbuf_header *header)
{
	BpfReader *reader = &rings->readers[cpu];

	header->magic = KMEMTRACE_SUBBUF_MAGIC;
	header->abi_version = KMEMTRACE_ABI_VERSION;
	header->header_len = sizeof(*header);
	header->record_len = rings->maps->record_bytes;
	header->byte_order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? KMEMTRACE_BYTE_ORDER_LITTLE
							     : KMEMTRACE_BYTE_ORDER_BIG;
	header->word_size = sizeof(long);
	header->cpu = cpu;
	header->seq = reader->seq++;
	header->session = reader->session;
	header->written = reader->written;
	header->lost[KMEMTRACE_LOSS_RECURSION] += reader->missed;
	if (reader->begin_ns && reader->number == reader->begins)
		header->time_ns = MIN(header->time_ns, reader->begin_ns);
}

/* Copies the sub-buffer, and returns it to the ring. */
static gsize take(BpfRings *rings, guint cpu, guint8 *subbuf, guint64 count, void *to)
{
	BpfReader *reader = &rings->readers[cpu];
	gsize len = bytes_of(rings->maps, count);

	memcpy(to, subbuf, len);
	finish_header(rings, cpu, to);
	for (guint64 i = 0; i < count; i++)
		record_of(rings->maps, subbuf, i)->type = KMEMTRACE_EVENT_NONE;
	reader->written += count;
	reader->number++;
	__atomic_store_n(&rings->maps->rings[cpu].consumed, reader->number, __ATOMIC_RELEASE);
	return len;
}

static ssize_t fail(int code)
{
	errno = code;
	return -1;
}

static ssize_t stream_read(ControlStream *base, void *to, gsize len)
{
	const BpfStream *stream = (const BpfStream *)base;
	BpfRings *rings = stream->rings;
	BpfReader *reader = &rings->readers[stream->cpu];
	gboolean running = g_atomic_int_get(&rings->running);
	guint64 count, expirations;
	guint8 *subbuf;

	if (read(base->fd, &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
		return -1;
	if (rings->overwrite && running)
		return fail(EAGAIN);
	if (rings->overwrite)
		skip_overwritten(rings, stream->cpu);
	count = count_ready(rings, stream->cpu, reader->number);
	if (!count && running)
		return fail(EAGAIN);
	if (!count)
		return 0;
	subbuf = subbuf_of(rings, stream->cpu, reader->number);
	if (running && !is_complete(rings->maps, subbuf, count))
		return fail(EAGAIN);
	if (!running && !rings->overwrite)
		wait_complete(rings->maps, subbuf, count);
	if (bytes_of(rings->maps, count) > len)
		return fail(EINVAL);
	return (ssize_t)take(rings, stream->cpu, subbuf, count, to);
}

static void stream_close(ControlStream *base)
{
	BpfStream *stream = (BpfStream *)base;

	stream->rings->is_read[stream->cpu] = FALSE;
	close(base->fd);
	g_free(stream);
}

ControlStream *bpf_stream_open(BpfRings *rings, guint cpu)
{
	static const ControlStreamClass class = { stream_read, stream_close };
	const struct itimerspec look = { { 0, LOOK_NS }, { 0, LOOK_NS } };
	BpfStream *stream;
	int fd;

	if (cpu >= rings->maps->cpus || rings->is_read[cpu]) {
		errno = cpu < rings->maps->cpus ? EBUSY : ENODEV;
		return NULL;
	}
	fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fd < 0)
		return NULL;
	timerfd_settime(fd, 0, &look, NULL);
	stream = g_new0(BpfStream, 1);
	stream->base.class = &class;
	stream->base.fd = fd;
	stream->rings = rings;
	stream->cpu = cpu;
	rings->is_read[cpu] = TRUE;
	return &stream->base;
}
