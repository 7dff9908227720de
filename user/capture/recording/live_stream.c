// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each CPU has a queue of sub-buffers. The earliest of the CPUs' next events is returned if it is
 * older than the last flush. Usually a run of events comes from one CPU, so the others are compared
 * only when the run ends.
 */
#include "capture/recording/live_stream.h"

#include <errno.h>
#include <string.h>

#include "trace/event/subbuf_events.h"

#define FLUSH_TRIES 4 /* one is enough, unless the load is faster than this thread */
#define WAITING_MAX (G_GUINT64_CONSTANT(1) << 30) /* bytes waiting, after which flushing fails */

typedef struct {
	struct trace_subbuf_events piece;
	gsize len;
	guint8 bytes[]; /* as many */
} Waiting;

typedef struct {
	guint cpu;
	ControlStream *from;
	GQueue waiting; /* of Waiting */
	gboolean has_next;
	struct trace_event next; /* only if has_next */
} TapCpu;

struct LiveStream {
	const Control *control;
	gsize subbuf_size;     /* bytes */
	guint8 *subbuf;        /* as many */
	GPtrArray *cpus;       /* of TapCpu */
	guint64 until_ns;      /* all earlier events were read */
	guint64 waiting_bytes; /* in all queues */
	TapCpu *current;       /* the one with the earliest next event; NULL: to be found */
	guint64 bound_ns;      /* only if current: the earliest event of the others */
	struct trace_event given;
};

static void cpu_free(gpointer data)
{
	TapCpu *cpu = data;

	control_stream_close(cpu->from);
	g_queue_clear_full(&cpu->waiting, g_free);
	g_free(cpu);
}

gboolean live_stream_check(const Control *control, GError **error)
{
	if (control_has(control, CONTROL_FLUSH))
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    "this tracer is older than the tool and has no setting " CONTROL_FLUSH
		    ": load one that is as new");
	return FALSE;
}

LiveStream *live_stream_open(const Control *control, GError **error)
{
	g_autoptr(LiveStream) stream = g_new0(LiveStream, 1);
	guint64 subbuf_size;

	stream->control = control;
	stream->cpus = g_ptr_array_new_with_free_func(cpu_free);
	if (!control_get(control, "subbuf_size", &subbuf_size, error))
		return NULL;
	stream->subbuf_size = subbuf_size;
	stream->subbuf = g_malloc(subbuf_size);
	return live_stream_look(stream, error) ? g_steal_pointer(&stream) : NULL;
}

void live_stream_close(LiveStream *stream)
{
	if (!stream)
		return;
	g_ptr_array_unref(stream->cpus);
	g_free(stream->subbuf);
	g_free(stream);
}

static gboolean has_cpu(const LiveStream *stream, guint cpu)
{
	for (guint i = 0; i < stream->cpus->len; i++) {
		if (((TapCpu *)g_ptr_array_index(stream->cpus, i))->cpu == cpu)
			return TRUE;
	}
	return FALSE;
}

static gboolean live_stream_fail(GError **error, int code, const char *path)
{
	g_set_error(error, CAPTURE_ERROR, code == EBUSY ? CAPTURE_ERROR_BUSY : CAPTURE_ERROR_FAILED,
		    "can't read %s: %s", path,
		    code == EBUSY ? "another process reads it" : g_strerror(code));
	return FALSE;
}

gboolean live_stream_look(LiveStream *stream, GError **error)
{
	g_autoptr(GArray) cpus = control_cpus(stream->control);

	for (guint i = 0; i < cpus->len; i++) {
		guint number = g_array_index(cpus, guint, i);
		g_autofree char *path = control_stream_path(stream->control, number);
		ControlStream *from;
		TapCpu *cpu;

		if (has_cpu(stream, number))
			continue;
		from = control_stream_open(stream->control, number);
		if (!from && errno != ENODEV && errno != ENOENT)
			return live_stream_fail(error, errno, path);
		if (!from)
			continue;
		cpu = g_new0(TapCpu, 1);
		cpu->cpu = number;
		cpu->from = from;
		g_queue_init(&cpu->waiting);
		g_ptr_array_add(stream->cpus, cpu);
	}
	return TRUE;
}

void live_stream_poll(const LiveStream *stream, GArray *fds)
{
	for (guint i = 0; i < stream->cpus->len; i++) {
		const TapCpu *cpu = g_ptr_array_index(stream->cpus, i);
		struct pollfd pollfd = { .fd = control_stream_fd(cpu->from), .events = POLLIN };

		g_array_append_val(fds, pollfd);
	}
}

/* Moves on to the next event of @cpu, in the next sub-buffer that has one. */
static void advance(LiveStream *stream, TapCpu *cpu)
{
	Waiting *first;

	cpu->has_next = FALSE;
	while ((first = g_queue_peek_head(&cpu->waiting))) {
		cpu->has_next = trace_subbuf_events_next(&first->piece, &cpu->next);
		if (cpu->has_next)
			break;
		stream->waiting_bytes -= first->len;
		g_free(g_queue_pop_head(&cpu->waiting));
	}
}

static gboolean take_subbuf(LiveStream *stream, TapCpu *cpu, gsize len, GError **error)
{
	Waiting *waiting = g_malloc(sizeof(*waiting) + len);
	g_autofree char *name = g_strdup_printf("trace%u", cpu->cpu);
	struct trace_error err;

	waiting->len = len;
	memcpy(waiting->bytes, stream->subbuf, len);
	if (trace_subbuf_events_begin(&waiting->piece, waiting->bytes, len, name, &err)) {
		g_free(waiting);
		g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err.text);
		return FALSE;
	}
	g_queue_push_tail(&cpu->waiting, waiting);
	stream->waiting_bytes += len;
	if (!cpu->has_next)
		advance(stream, cpu);
	stream->current = NULL;
	return TRUE;
}

static gboolean read_cpu(LiveStream *stream, TapCpu *cpu, GError **error)
{
	ssize_t len;

	while ((len = control_stream_read(cpu->from, stream->subbuf, stream->subbuf_size)) != 0) {
		if (len > 0 && !take_subbuf(stream, cpu, len, error))
			return FALSE;
		if (len < 0 && errno == EAGAIN)
			break;
		if (len < 0 && errno != EINTR) {
			g_autofree char *name = g_strdup_printf("trace%u", cpu->cpu);

			return live_stream_fail(error, errno, name);
		}
	}
	return TRUE;
}

gboolean live_stream_read(LiveStream *stream, GError **error)
{
	for (guint i = 0; i < stream->cpus->len; i++) {
		if (!read_cpu(stream, g_ptr_array_index(stream->cpus, i), error))
			return FALSE;
	}
	return TRUE;
}

/*
 * Flushes, reading first if the buffers are too full. The data read is in the queues afterwards.
 * Sets *@code to 0 or an errno.
 */
static gboolean flush_and_read(LiveStream *stream, int *code, GError **error)
{
	guint tries = 0;

	do {
		*code = control_flush(stream->control);
		if (*code == EAGAIN && !live_stream_read(stream, error))
			return FALSE;
	} while (*code == EAGAIN && ++tries < FLUSH_TRIES);
	return TRUE;
}

static gboolean fail_flush(const LiveStream *stream, int code, GError **error)
{
	if (code == EAGAIN && stream->waiting_bytes <= WAITING_MAX)
		return TRUE;
	if (code == EAGAIN)
		g_set_error(
			error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			"events arrive faster than they can be sorted: use larger buffers (-m) or fewer events (-e, -p, -G, --min-size)");
	else
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "can't flush the tracer's buffers%s: %s",
			    code == ENODEV ? ": another process switched it off" : "",
			    g_strerror(code));
	return FALSE;
}

/* A CPU that has just come online must be read from its first event on. */
gboolean live_stream_flush(LiveStream *stream, GError **error)
{
	guint64 until_ns = stream->until_ns;
	int code;

	if (!flush_and_read(stream, &code, error))
		return FALSE;
	if (code)
		return fail_flush(stream, code, error);
	if (!control_get(stream->control, CONTROL_FLUSH, &until_ns, error) ||
	    !live_stream_look(stream, error) || !live_stream_read(stream, error))
		return FALSE;
	stream->until_ns = until_ns;
	return TRUE;
}

/* Finds the CPU with the earliest next event, and the time at which another CPU follows. */
static void find_current(LiveStream *stream)
{
	stream->current = NULL;
	stream->bound_ns = G_MAXUINT64;
	for (guint i = 0; i < stream->cpus->len; i++) {
		TapCpu *cpu = g_ptr_array_index(stream->cpus, i);

		if (!cpu->has_next)
			continue;
		if (!stream->current || cpu->next.time_ns < stream->current->next.time_ns) {
			if (stream->current)
				stream->bound_ns =
					MIN(stream->bound_ns, stream->current->next.time_ns);
			stream->current = cpu;
		} else {
			stream->bound_ns = MIN(stream->bound_ns, cpu->next.time_ns);
		}
	}
}

const struct trace_event *live_stream_next(LiveStream *stream)
{
	if (!stream->current || !stream->current->has_next ||
	    stream->current->next.time_ns > stream->bound_ns)
		find_current(stream);
	if (!stream->current || stream->current->next.time_ns >= stream->until_ns)
		return NULL;
	stream->given = stream->current->next;
	advance(stream, stream->current);
	return &stream->given;
}

guint64 live_stream_until(const LiveStream *stream)
{
	return stream->until_ns;
}
