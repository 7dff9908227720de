// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/recording/drain.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kmemtrace_abi.h"

#define POLL_MS    1000  /* upper limit of the delay by a lost wake-up */
#define BEHIND_MAX 3     /* sub-buffers; with more unread, there is no time to pack */
#define DRAIN_NICE (-20) /* a drain that waits behind the load it traces loses events */

/* One CPU's stream. The thread owns all of it except error_set, until it is joined. */
typedef struct {
	unsigned int cpu;
	ControlStream *from;
	gsize subbuf_size;
	struct trace_writer *writer;
	guint64 records;                        /* read so far */
	gboolean has_header;                    /* the first header was seen */
	guint64 lost_before[KMEMTRACE_LOSS_NR]; /* its losses, if others were before it */
	guint behind;               /* sub-buffers that were available without waiting */
	const atomic_bool *leisure; /* no event can be lost by a delay */
	const atomic_bool *ending;  /* the end of the stream is expected */
	char *subbuf;               /* subbuf_size bytes */
	pthread_t thread;
	gboolean started;
	struct trace_error error; /* written before error_set */
	atomic_bool error_set;
} Stream;

struct Drain {
	const Control *control;
	gsize subbuf_size;
	struct trace_writer *writer;
	GPtrArray *streams;
	atomic_bool leisure; /* the tracer is off: no more events can be lost */
	atomic_bool ending;  /* the tracer may be off from now on */
};

static void stream_free(gpointer data)
{
	Stream *stream = data;

	control_stream_close(stream->from);
	g_free(stream->subbuf);
	g_free(stream);
}

/*
 * There may be more files than CPUs that ever come online. Failing to pin a thread affects only
 * speed.
 */
static void settle_on_cpu(unsigned int cpu)
{
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *set = CPU_ALLOC(cpu + 1);

	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	sched_setaffinity(0, size, set);
	CPU_FREE(set);
	setpriority(PRIO_PROCESS, syscall(SYS_gettid), DRAIN_NICE);
}

static void count_subbuf(Stream *stream, gsize len)
{
	struct kmemtrace_subbuf_header header;

	if (len < sizeof(header))
		return;
	memcpy(&header, stream->subbuf, sizeof(header));
	if (header.record_len && len > header.header_len)
		stream->records += (len - header.header_len) / header.record_len;
	if (!stream->has_header && header.seq)
		memcpy(stream->lost_before, header.lost, sizeof(stream->lost_before));
	stream->has_header = TRUE;
}

/*
 * Writes the sub-buffer that was read. Packing takes time, and disk space is not worth an event, so
 * a drain that is behind does not pack.
 */
static int stream_write(Stream *stream, gsize len)
{
	count_subbuf(stream, len);
	if (stream->behind++ < BEHIND_MAX || atomic_load(stream->leisure))
		return trace_writer_data(stream->writer, stream->subbuf, len, &stream->error);
	return trace_writer_data_plain(stream->writer, stream->subbuf, len, &stream->error);
}

/*
 * Reads and writes one sub-buffer. Returns 1, 0 at the end, or -errno with the stream's error set.
 */
static int stream_take(Stream *stream)
{
	ssize_t len = control_stream_read(stream->from, stream->subbuf, stream->subbuf_size);
	struct pollfd pollfd = { .fd = control_stream_fd(stream->from), .events = POLLIN };

	if (len > 0)
		return stream_write(stream, len) ?: 1;
	if (len == 0 && !atomic_load(stream->ending))
		return trace_error_set(
			&stream->error, ECANCELED,
			"another process switched the tracer off: later events are missing from the trace");
	if (len == 0)
		return 0;
	if (errno != EAGAIN && errno != EINTR)
		return trace_error_set(&stream->error, errno, "can't read the stream of CPU %u: %s",
				       stream->cpu, g_strerror(errno));
	stream->behind = 0;
	poll(&pollfd, 1, POLL_MS);
	return 1;
}

static void *stream_run(void *data)
{
	Stream *stream = data;
	int ret;

	settle_on_cpu(stream->cpu);
	do {
		ret = stream_take(stream);
	} while (ret > 0);
	if (ret < 0)
		atomic_store(&stream->error_set, TRUE);
	return NULL;
}

/* Returns NULL without an error if this CPU has no stream. */
static Stream *stream_open(const Control *control, unsigned int cpu, GError **error)
{
	ControlStream *from = control_stream_open(control, cpu);
	g_autofree char *path = NULL;
	int code = errno;
	Stream *stream;

	if (from) {
		stream = g_new0(Stream, 1);
		stream->cpu = cpu;
		stream->from = from;
		return stream;
	}
	path = control_stream_path(control, cpu);
	if (code == EBUSY)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
			    "another recorder is active: %s is open", path);
	else if (code != ENODEV && code != ENOENT)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't open %s: %s", path,
			    g_strerror(code));
	return NULL;
}

static gboolean stream_start(Drain *drain, Stream *stream, GError **error)
{
	int ret;

	stream->subbuf_size = drain->subbuf_size;
	stream->subbuf = g_malloc(drain->subbuf_size);
	stream->writer = drain->writer;
	stream->leisure = &drain->leisure;
	stream->ending = &drain->ending;
	ret = pthread_create(&stream->thread, NULL, stream_run, stream);
	stream->started = ret == 0;
	if (ret)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't start a thread: %s",
			    g_strerror(ret));
	return stream->started;
}

static gboolean has_stream(const Drain *drain, guint cpu)
{
	for (guint i = 0; i < drain->streams->len; i++) {
		const Stream *stream = g_ptr_array_index(drain->streams, i);

		if (stream->cpu == cpu)
			return TRUE;
	}
	return FALSE;
}

static gboolean drain_check(Drain *drain, GError **error)
{
	for (guint i = 0; i < drain->streams->len; i++) {
		Stream *stream = g_ptr_array_index(drain->streams, i);

		if (atomic_load(&stream->error_set)) {
			g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
					    stream->error.text);
			return FALSE;
		}
	}
	return TRUE;
}

/*
 * Opens all streams before it starts the threads: nothing is read if another process reads one of
 * them.
 */
gboolean drain_look(Drain *drain, GError **error)
{
	g_autoptr(GArray) cpus = control_cpus(drain->control);
	guint first = drain->streams->len;

	for (guint i = 0; i < cpus->len; i++) {
		guint cpu = g_array_index(cpus, guint, i);
		g_autoptr(GError) local = NULL;
		Stream *stream;

		if (has_stream(drain, cpu))
			continue;
		stream = stream_open(drain->control, cpu, &local);
		if (local) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		if (stream)
			g_ptr_array_add(drain->streams, stream);
	}
	for (guint i = first; i < drain->streams->len; i++) {
		if (!stream_start(drain, g_ptr_array_index(drain->streams, i), error))
			return FALSE;
	}
	return drain_check(drain, error);
}

Drain *drain_start(const Control *control, struct trace_writer *writer, GError **error)
{
	guint64 subbuf_size, enabled;
	Drain *drain;

	if (!control_get(control, "subbuf_size", &subbuf_size, error) ||
	    !control_get(control, "enable", &enabled, error))
		return NULL;
	drain = g_new0(Drain, 1);
	atomic_init(&drain->ending, !enabled);
	drain->control = control;
	drain->subbuf_size = subbuf_size;
	drain->writer = writer;
	drain->streams = g_ptr_array_new_with_free_func(stream_free);
	if (drain_look(drain, error))
		return drain;
	drain_expect_end(drain);
	control_set(control, "enable", 0, NULL); /* lets the running threads end */
	drain_finish(drain, NULL, NULL, NULL);
	return NULL;
}

void drain_expect_end(Drain *drain)
{
	atomic_store(&drain->ending, TRUE);
}

gboolean drain_finish(Drain *drain, guint64 *records, CaptureStats *before, GError **error)
{
	gboolean fine;

	atomic_store(&drain->leisure, TRUE);
	for (guint i = 0; i < drain->streams->len; i++) {
		Stream *stream = g_ptr_array_index(drain->streams, i);

		if (stream->started)
			pthread_join(stream->thread, NULL);
		if (records)
			*records += stream->records;
		for (guint reason = 0; before && reason < KMEMTRACE_LOSS_NR; reason++)
			before->lost[reason] += stream->lost_before[reason];
	}
	fine = drain_check(drain, error);
	g_ptr_array_unref(drain->streams);
	g_free(drain);
	return fine;
}
