// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POLL_MS		1000	/* a wake-up that got lost costs no more than this */
#define DRAIN_NICE	(-20)	/* a drain that waits behind the load it traces loses events */

/* One CPU's stream. The thread owns all of it but error_set, until it is joined. */
typedef struct {
	unsigned int cpu;
	int fd;
	gsize subbuf_size;
	struct trace_writer *writer;
	char *subbuf;			/* subbuf_size bytes */
	pthread_t thread;
	gboolean started;
	struct trace_error error;	/* written before error_set */
	atomic_bool error_set;
} Stream;

struct Drain {
	GPtrArray *streams;
};

static void stream_free(gpointer data)
{
	Stream *stream = data;

	if (stream->fd >= 0)
		close(stream->fd);
	g_free(stream->subbuf);
	g_free(stream);
}

/* More files than CPUs ever come online are possible: pinning that fails costs speed, not truth. */
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

/* Takes one sub-buffer. Returns 1, 0 at the end, or -errno with the stream's error set. */
static int stream_take(Stream *stream)
{
	ssize_t len = read(stream->fd, stream->subbuf, stream->subbuf_size);
	struct pollfd pollfd = { .fd = stream->fd, .events = POLLIN };

	if (len > 0)
		return trace_writer_data(stream->writer, stream->subbuf, len, &stream->error) ?: 1;
	if (len == 0)
		return 0;
	if (errno != EAGAIN && errno != EINTR)
		return trace_error_set(&stream->error, errno, "can't read the stream of CPU %u: %s",
				       stream->cpu, g_strerror(errno));
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

/* NULL without an error: this CPU has no stream. */
static Stream *stream_open(const Control *control, unsigned int cpu, GError **error)
{
	g_autofree char *name = g_strdup_printf("trace%u", cpu);
	g_autofree char *path = control_path(control, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Stream *stream;

	if (fd >= 0) {
		stream = g_new0(Stream, 1);
		stream->cpu = cpu;
		stream->fd = fd;
		return stream;
	}
	if (errno == EBUSY)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
			    "somebody records already: %s is being read", path);
	else if (errno != ENODEV && errno != ENOENT)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, "can't open %s: %s", path,
			    g_strerror(errno));
	return NULL;
}

static gboolean drain_open_all(Drain *drain, const Control *control, GError **error)
{
	unsigned int cpus = sysconf(_SC_NPROCESSORS_CONF);
	g_autoptr(GError) local = NULL;

	for (unsigned int cpu = 0; cpu < cpus; cpu++) {
		Stream *stream = stream_open(control, cpu, &local);

		if (local) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		if (stream)
			g_ptr_array_add(drain->streams, stream);
	}
	return TRUE;
}

static void drain_free(Drain *drain)
{
	g_ptr_array_unref(drain->streams);
	g_free(drain);
}

static gboolean drain_run_all(Drain *drain, gsize subbuf_size, struct trace_writer *writer,
			      GError **error)
{
	for (guint i = 0; i < drain->streams->len; i++) {
		Stream *stream = g_ptr_array_index(drain->streams, i);
		int ret;

		stream->subbuf_size = subbuf_size;
		stream->subbuf = g_malloc(subbuf_size);
		stream->writer = writer;
		ret = pthread_create(&stream->thread, NULL, stream_run, stream);
		if (ret) {
			g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
				    "can't start a thread: %s", g_strerror(ret));
			return FALSE;
		}
		stream->started = TRUE;
	}
	return TRUE;
}

Drain *drain_start(const Control *control, guint64 subbuf_size, struct trace_writer *writer,
		   GError **error)
{
	Drain *drain = g_new0(Drain, 1);

	drain->streams = g_ptr_array_new_with_free_func(stream_free);
	if (!drain_open_all(drain, control, error)) {
		drain_free(drain);
		return NULL;
	}
	if (!drain_run_all(drain, subbuf_size, writer, error)) {
		control_set(control, "enable", 0, NULL);	/* lets those that run come to their end */
		drain_finish(drain, NULL);
		return NULL;
	}
	return drain;
}

gboolean drain_check(Drain *drain, GError **error)
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

gboolean drain_finish(Drain *drain, GError **error)
{
	gboolean fine;

	for (guint i = 0; i < drain->streams->len; i++) {
		Stream *stream = g_ptr_array_index(drain->streams, i);

		if (stream->started)
			pthread_join(stream->thread, NULL);
	}
	fine = drain_check(drain, error);
	drain_free(drain);
	return fine;
}
