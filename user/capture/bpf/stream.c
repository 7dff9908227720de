// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/stream.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LOOK_NS                                                                                    \
	(20 * 1000 * 1000) /* a ring of 4 MiB is filled in 40 ms by 2 million events a second */
#define FLUSH_US G_USEC_PER_SEC /* a program that was interrupted ends before */

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

BpfRings *bpf_rings_new(const BpfMaps *maps, guint64 session, gboolean overwrite)
{
	BpfRings *rings = g_new0(BpfRings, 1);

	rings->maps = maps;
	rings->overwrite = overwrite;
	rings->readers = g_new0(BpfReader, maps->cpus);
	for (guint i = 0; i < maps->cpus; i++) {
		rings->readers[i].session = session;
		rings->readers[i].flushed = g_new0(guint32, maps->subbuf_count);
	}
	return rings;
}

void bpf_rings_free(BpfRings *rings)
{
	if (!rings)
		return;
	for (guint i = 0; i < rings->maps->cpus; i++)
		g_free(rings->readers[i].flushed);
	g_free(rings->readers);
	g_free(rings);
}

void bpf_rings_count(const BpfRings *rings, guint cpu, guint64 *written, guint64 *overwritten)
{
	const BpfMaps *maps = rings->maps;
	guint64 head = load(&maps->rings[cpu].head);
	guint64 number = head >> KMT_BPF_HEAD_SHIFT;

	*written =
		number * maps->records + (head & KMT_BPF_HEAD_USED) - rings->readers[cpu].skipped;
	*overwritten = rings->overwrite && number >= maps->subbuf_count
			       ? (number - maps->subbuf_count + 1) * maps->records
			       : 0;
}

static guint8 *subbuf_of(const BpfRings *rings, guint cpu, guint64 number)
{
	const BpfMaps *maps = rings->maps;

	return maps->subbufs +
	       (cpu * maps->subbuf_count + number % maps->subbuf_count) * maps->subbuf_bytes;
}

static struct kmemtrace_record *records_of(guint8 *subbuf)
{
	return (struct kmemtrace_record *)(subbuf + sizeof(struct kmemtrace_subbuf_header));
}

/* Whether all of the first @count records are published. */
static gboolean is_complete(guint8 *subbuf, guint64 count)
{
	const struct kmemtrace_record *records = records_of(subbuf);

	/* The last may be by the program that others have interrupted. */
	for (guint64 i = count; i-- > 0;) {
		if (!__atomic_load_n(&records[i].type, __ATOMIC_ACQUIRE))
			return FALSE;
	}
	return TRUE;
}

static gboolean wait_complete(guint8 *subbuf, guint64 count)
{
	gint64 until = g_get_monotonic_time() + FLUSH_US;

	while (!is_complete(subbuf, count)) {
		if (g_get_monotonic_time() > until)
			return FALSE;
		sched_yield();
	}
	return TRUE;
}

/*
 * Lets the next record begin a sub-buffer, if this one has any. @wait: for records that are not
 * published yet.
 */
static int flush_cpu(BpfRings *rings, guint cpu, gboolean wait)
{
	BpfReader *reader = &rings->readers[cpu];
	const BpfMaps *maps = rings->maps;
	__u64 *word = &maps->rings[cpu].head, head = load(word);
	guint64 number = head >> KMT_BPF_HEAD_SHIFT, used = head & KMT_BPF_HEAD_USED;

	while (used) {
		reader->flushed[number % maps->subbuf_count] = used;
		if (__atomic_compare_exchange_n(word, &head, (number + 1) << KMT_BPF_HEAD_SHIFT,
						FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			break;
		/* It goes on meanwhile, maybe in the next one: this one is full then. */
		reader->flushed[number % maps->subbuf_count] = 0;
		number = head >> KMT_BPF_HEAD_SHIFT;
		used = head & KMT_BPF_HEAD_USED;
	}
	if (!used)
		return 0;
	reader->skipped += maps->records - used;
	return !wait || wait_complete(subbuf_of(rings, cpu, number), used) ? 0 : EAGAIN;
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

/* ---- a stream ---- */

/* How many records of the sub-buffer @number can be read; 0: none yet. */
static guint64 count_ready(const BpfRings *rings, guint cpu, guint64 number)
{
	const BpfReader *reader = &rings->readers[cpu];
	const BpfMaps *maps = rings->maps;
	guint64 head = load(&maps->rings[cpu].head);
	guint64 used = head & KMT_BPF_HEAD_USED;

	if (number < head >> KMT_BPF_HEAD_SHIFT)
		return reader->flushed[number % maps->subbuf_count] ?: maps->records;
	if (number == head >> KMT_BPF_HEAD_SHIFT &&
	    (used == maps->records || !g_atomic_int_get(&rings->running)))
		return used;
	return 0;
}

/* What is overwritten is not read: the streams begin with the oldest sub-buffer that is whole. */
static void skip_overwritten(const BpfRings *rings, guint cpu)
{
	BpfReader *reader = &rings->readers[cpu];
	const BpfMaps *maps = rings->maps;
	guint64 number = load(&maps->rings[cpu].head) >> KMT_BPF_HEAD_SHIFT;

	if (number < reader->number + maps->subbuf_count)
		return;
	reader->number = reader->seq = number - maps->subbuf_count + 1;
	reader->written = reader->number * maps->records;
}

static void finish_header(BpfReader *reader, guint cpu, struct kmemtrace_subbuf_header *header)
{
	header->magic = KMEMTRACE_SUBBUF_MAGIC;
	header->abi_version = KMEMTRACE_ABI_VERSION;
	header->header_len = sizeof(*header);
	header->record_len = sizeof(struct kmemtrace_record);
	header->byte_order = G_BYTE_ORDER == G_LITTLE_ENDIAN ? KMEMTRACE_BYTE_ORDER_LITTLE
							     : KMEMTRACE_BYTE_ORDER_BIG;
	header->word_size = sizeof(long);
	header->cpu = cpu;
	header->seq = reader->seq++;
	header->session = reader->session;
	header->written = reader->written;
}

/* Copies the sub-buffer, and gives it back. */
static gsize take(BpfRings *rings, guint cpu, guint8 *subbuf, guint64 count, void *to)
{
	BpfReader *reader = &rings->readers[cpu];
	struct kmemtrace_record *records = records_of(subbuf);
	gsize len = sizeof(struct kmemtrace_subbuf_header) + count * sizeof(*records);

	memcpy(to, subbuf, len);
	finish_header(reader, cpu, to);
	for (guint64 i = 0; i < count; i++)
		records[i].type = KMEMTRACE_EVENT_NONE;
	reader->flushed[reader->number % rings->maps->subbuf_count] = 0;
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
	if (running && !is_complete(subbuf, count))
		return fail(EAGAIN);
	if (!running && !rings->overwrite)
		wait_complete(subbuf, count);
	if (sizeof(struct kmemtrace_subbuf_header) + count * sizeof(struct kmemtrace_record) > len)
		return fail(EINVAL);
	return (ssize_t)take(rings, stream->cpu, subbuf, count, to);
}

static void stream_close(ControlStream *base)
{
	BpfStream *stream = (BpfStream *)base;

	stream->rings->readers[stream->cpu].is_read = FALSE;
	close(base->fd);
	g_free(stream);
}

ControlStream *bpf_stream_open(BpfRings *rings, guint cpu)
{
	static const ControlStreamClass class = { stream_read, stream_close };
	const struct itimerspec look = { { 0, LOOK_NS }, { 0, LOOK_NS } };
	BpfStream *stream;
	int fd;

	if (cpu >= rings->maps->cpus || rings->readers[cpu].is_read) {
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
	rings->readers[cpu].is_read = TRUE;
	return &stream->base;
}
