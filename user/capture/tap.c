// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sub-buffers wait as they came, in a queue for each CPU. Of each CPU the next event is known; the
 * earliest of these is given out, if it is older than the last flush. As one CPU mostly has a run
 * of them, the others are looked at only when it is over.
 */
#include "capture/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracer.h"
#include "trace/piece.h"

#define FLUSH_FILE	"flush"
#define FLUSH_TRIES	4	/* one is enough, unless the load is faster than this thread */
#define WAITING_MAX	(G_GUINT64_CONSTANT(1) << 30)	/* bytes, before it is given up then */

typedef struct {
	struct trace_piece piece;
	gsize len;
	guint8 bytes[];			/* as many */
} Waiting;

typedef struct {
	guint cpu;
	int fd;
	GQueue waiting;			/* of Waiting */
	gboolean has_next;
	struct trace_event next;	/* has_next alone */
} TapCpu;

struct Tap {
	const Control *control;
	gsize subbuf_size;		/* bytes */
	guint8 *subbuf;			/* as many */
	GPtrArray *cpus;		/* of TapCpu */
	guint64 until_ns;		/* events before this are all there */
	guint64 waiting_bytes;		/* in all queues */
	TapCpu *current;		/* whose next event is the earliest; NULL: to be found */
	guint64 bound_ns;		/* current alone: the others' earliest */
	struct trace_event given;
};

static void cpu_free(gpointer data)
{
	TapCpu *cpu = data;

	close(cpu->fd);
	g_queue_clear_full(&cpu->waiting, g_free);
	g_free(cpu);
}

gboolean tap_check(const Control *control, GError **error)
{
	if (control_has(control, FLUSH_FILE))
		return TRUE;
	g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		    "this tracer is older than the tool and has no setting " FLUSH_FILE
		    ": load one that is as new");
	return FALSE;
}

Tap *tap_open(const Control *control, GError **error)
{
	g_autoptr(Tap) tap = g_new0(Tap, 1);
	guint64 subbuf_size;

	tap->control = control;
	tap->cpus = g_ptr_array_new_with_free_func(cpu_free);
	if (!control_get(control, "subbuf_size", &subbuf_size, error))
		return NULL;
	tap->subbuf_size = subbuf_size;
	tap->subbuf = g_malloc(subbuf_size);
	return tap_look(tap, error) ? g_steal_pointer(&tap) : NULL;
}

void tap_close(Tap *tap)
{
	if (!tap)
		return;
	g_ptr_array_unref(tap->cpus);
	g_free(tap->subbuf);
	g_free(tap);
}

static gboolean has_cpu(const Tap *tap, guint cpu)
{
	for (guint i = 0; i < tap->cpus->len; i++) {
		if (((TapCpu *)g_ptr_array_index(tap->cpus, i))->cpu == cpu)
			return TRUE;
	}
	return FALSE;
}

static gboolean fail(GError **error, int code, const char *path)
{
	g_set_error(error, CAPTURE_ERROR,
		    code == EBUSY ? CAPTURE_ERROR_BUSY : CAPTURE_ERROR_FAILED, "can't read %s: %s",
		    path, code == EBUSY ? "another process reads it" : g_strerror(code));
	return FALSE;
}

gboolean tap_look(Tap *tap, GError **error)
{
	g_autoptr(GArray) cpus = tracer_cpus(tap->control);

	for (guint i = 0; i < cpus->len; i++) {
		guint number = g_array_index(cpus, guint, i);
		g_autofree char *name = g_strdup_printf("trace%u", number);
		g_autofree char *path = control_path(tap->control, name);
		TapCpu *cpu;
		int fd;

		if (has_cpu(tap, number))
			continue;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && errno != ENODEV && errno != ENOENT)
			return fail(error, errno, path);
		if (fd < 0)
			continue;
		cpu = g_new0(TapCpu, 1);
		cpu->cpu = number;
		cpu->fd = fd;
		g_queue_init(&cpu->waiting);
		g_ptr_array_add(tap->cpus, cpu);
	}
	return TRUE;
}

void tap_poll(const Tap *tap, GArray *fds)
{
	for (guint i = 0; i < tap->cpus->len; i++) {
		const TapCpu *cpu = g_ptr_array_index(tap->cpus, i);
		struct pollfd pollfd = { .fd = cpu->fd, .events = POLLIN };

		g_array_append_val(fds, pollfd);
	}
}

/* The next event of @cpu goes to its place, from the next sub-buffer that has one. */
static void advance(Tap *tap, TapCpu *cpu)
{
	Waiting *first;

	cpu->has_next = FALSE;
	while ((first = g_queue_peek_head(&cpu->waiting))) {
		cpu->has_next = trace_piece_next(&first->piece, &cpu->next);
		if (cpu->has_next)
			break;
		tap->waiting_bytes -= first->len;
		g_free(g_queue_pop_head(&cpu->waiting));
	}
}

static gboolean take_subbuf(Tap *tap, TapCpu *cpu, gsize len, GError **error)
{
	Waiting *waiting = g_malloc(sizeof(*waiting) + len);
	g_autofree char *name = g_strdup_printf("trace%u", cpu->cpu);
	struct trace_error err;

	waiting->len = len;
	memcpy(waiting->bytes, tap->subbuf, len);
	if (trace_piece_begin(&waiting->piece, waiting->bytes, len, name, &err)) {
		g_free(waiting);
		g_set_error_literal(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED, err.text);
		return FALSE;
	}
	g_queue_push_tail(&cpu->waiting, waiting);
	tap->waiting_bytes += len;
	if (!cpu->has_next)
		advance(tap, cpu);
	tap->current = NULL;
	return TRUE;
}

static gboolean read_cpu(Tap *tap, TapCpu *cpu, GError **error)
{
	ssize_t len;

	while ((len = read(cpu->fd, tap->subbuf, tap->subbuf_size)) != 0) {
		if (len > 0 && !take_subbuf(tap, cpu, len, error))
			return FALSE;
		if (len < 0 && errno == EAGAIN)
			break;
		if (len < 0 && errno != EINTR) {
			g_autofree char *name = g_strdup_printf("trace%u", cpu->cpu);

			return fail(error, errno, name);
		}
	}
	return TRUE;
}

gboolean tap_read(Tap *tap, GError **error)
{
	for (guint i = 0; i < tap->cpus->len; i++) {
		if (!read_cpu(tap, g_ptr_array_index(tap->cpus, i), error))
			return FALSE;
	}
	return TRUE;
}

/* 0, or an errno. */
static int ask_flush(const Tap *tap)
{
	g_autofree char *path = control_path(tap->control, FLUSH_FILE);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int code = fd < 0 || write(fd, "1", 1) < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return code;
}

/* The same, with room for it. What can be read is in the queues afterwards. */
static gboolean flush_and_read(Tap *tap, int *code, GError **error)
{
	guint tries = 0;

	do {
		*code = ask_flush(tap);
		if (*code == EAGAIN && !tap_read(tap, error))
			return FALSE;
	} while (*code == EAGAIN && ++tries < FLUSH_TRIES);
	return TRUE;
}

static gboolean fail_flush(const Tap *tap, int code, GError **error)
{
	if (code == EAGAIN && tap->waiting_bytes <= WAITING_MAX)
		return TRUE;
	if (code == EAGAIN)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "events come faster than they can be put in order: larger buffers (-m), or fewer events (-e, -p, -G, --min-size)");
	else
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
			    "can't flush the tracer's buffers%s: %s",
			    code == ENODEV ? ", for somebody has switched it off" : "",
			    g_strerror(code));
	return FALSE;
}

/* A CPU that came online only now is to be read from its first event on. */
gboolean tap_flush(Tap *tap, GError **error)
{
	guint64 until_ns = tap->until_ns;
	int code;

	if (!flush_and_read(tap, &code, error))
		return FALSE;
	if (code)
		return fail_flush(tap, code, error);
	if (!control_get(tap->control, FLUSH_FILE, &until_ns, error) || !tap_look(tap, error) ||
	    !tap_read(tap, error))
		return FALSE;
	tap->until_ns = until_ns;
	return TRUE;
}

/* Finds who is next, and when it is another one's turn. */
static void find_current(Tap *tap)
{
	tap->current = NULL;
	tap->bound_ns = G_MAXUINT64;
	for (guint i = 0; i < tap->cpus->len; i++) {
		TapCpu *cpu = g_ptr_array_index(tap->cpus, i);

		if (!cpu->has_next)
			continue;
		if (!tap->current || cpu->next.time_ns < tap->current->next.time_ns) {
			if (tap->current)
				tap->bound_ns = MIN(tap->bound_ns, tap->current->next.time_ns);
			tap->current = cpu;
		} else {
			tap->bound_ns = MIN(tap->bound_ns, cpu->next.time_ns);
		}
	}
}

const struct trace_event *tap_next(Tap *tap)
{
	if (!tap->current || !tap->current->has_next ||
	    tap->current->next.time_ns > tap->bound_ns)
		find_current(tap);
	if (!tap->current || tap->current->next.time_ns >= tap->until_ns)
		return NULL;
	tap->given = tap->current->next;
	advance(tap, tap->current);
	return &tap->given;
}

guint64 tap_until(const Tap *tap)
{
	return tap->until_ns;
}
