// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source/mark.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "capture/source/listeners.h"
#include "capture/source/source.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/mark_socket.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/stats.h"
#include "capture/tracer/tracer.h"

#define WAIT_MS 5000

/* Returns 0 or an errno. A recorder that accepts no marks from this user has closed its side. */
static int send_text(int fd, const char *text)
{
	gint32 answer = 0;
	ssize_t got;

	if (!mark_socket_limit(fd, WAIT_MS) ||
	    (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 && errno != EPIPE))
		return errno;
	got = recv(fd, &answer, sizeof(answer), 0);
	if (got == sizeof(answer))
		return answer;
	return got < 0 && errno != EAGAIN ? errno : ETIMEDOUT;
}

/* Returns 0 or an errno, as listeners_connect() does. */
static int ask(const char *name, const char *text, guint ms)
{
	pid_t pid;
	int fd, code = listeners_connect(name, ms, &fd, &pid);

	if (code)
		return code;
	code = send_text(fd, text);
	close(fd);
	return code;
}

typedef struct {
	guint count; /* of recorders that accepted the mark */
	int failed;  /* errno of a recorder that did not, or 0 */
} Marked;

static void note(Marked *marked, int code)
{
	if (!code)
		marked->count++;
	else if (code != ECONNREFUSED)
		marked->failed = code == EAGAIN ? ETIMEDOUT : code;
}

/*
 * Returns one of @count equal parts of the time until @until, in milliseconds. The kernel waits
 * longer than requested, so each part is a share of the time that the earlier ones left.
 */
static guint share_ms(gint64 until, guint count)
{
	gint64 left = until - g_get_monotonic_time();

	return left > 0 ? (guint)(left / 1000 / count) : 0;
}

/* Returns the names of the recorders that others wait for, for g_ptr_array_unref(). */
static GPtrArray *mark_recorders(const char *text, Marked *marked)
{
	g_autoptr(GPtrArray) names = listeners_find();
	GPtrArray *busy = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < names->len; i++) {
		int code = ask(names->pdata[i], text, 0);

		if (code == EAGAIN)
			g_ptr_array_add(busy, g_strdup(names->pdata[i]));
		else
			note(marked, code);
	}
	return busy;
}

/* The time limit is for all of them together: they may belong to any user. */
static void wait_for_recorders(const GPtrArray *busy, const char *text, Marked *marked)
{
	gint64 until = g_get_monotonic_time() + WAIT_MS * G_GINT64_CONSTANT(1000);

	for (guint i = 0; i < busy->len; i++)
		note(marked, ask(busy->pdata[i], text, share_ms(until, busy->len - i)));
}

static gboolean mark_tracer(const Control *control, const char *text, GError **error)
{
	gboolean on;

	if (!control_has(control, "mark"))
		return control_fail(
			error, CAPTURE_ERROR_FAILED,
			"the loaded module is older than this tool and takes no marks: load the matching module");
	if (!tracer_is_on(control, &on, error))
		return FALSE;
	if (on && stats_are_frozen(control))
		return control_fail(error, CAPTURE_ERROR_NO_TRACER,
				    "an oops of the kernel stopped the tracer: nothing to mark");
	if (on)
		return control_write(control, "mark", text, error);
	return control_fail(error, CAPTURE_ERROR_NO_TRACER, "the tracer is off: nothing to mark");
}

static gboolean mark_module(const char *text, GError **error)
{
	g_autoptr(Control) control = module_control_open(error);

	return control && mark_tracer(control, text, error);
}

static gboolean lock(Control *control, GError **error)
{
	gboolean locked;

	if (!control_lock(control, &locked, error))
		return FALSE;
	return locked ||
	       control_fail(error, CAPTURE_ERROR_NO_TRACER,
			    "another process has the pinned BPF programs: nothing to mark");
}

static gboolean mark_pinned(const char *text, GError **error)
{
	g_autoptr(Control) control = source_open_kept("bpf", SOURCE_EXISTING, error);

	return control && lock(control, error) && mark_tracer(control, text, error);
}

static gboolean fail_recorders(int code, GError **error)
{
	if (code == EPERM)
		return control_fail(error, CAPTURE_ERROR_NOT_ROOT,
				    "a recorder takes marks from root and its own user alone: %s",
				    "try again with sudo");
	return control_fail(error, CAPTURE_ERROR_FAILED, "can't mark: %s",
			    code == ENOSPC      ? "this CPU's buffer is full"
			    : code == ETIMEDOUT ? "a process that may be a recorder does not answer"
						: g_strerror(code));
}

/* A mark belongs to the time of the request, so recorders that others wait for come last. */
gboolean source_mark(const char *text, GError **error)
{
	Marked recorders = { 0 };
	g_autoptr(GPtrArray) busy = mark_recorders(text, &recorders);
	g_autoptr(GError) last = NULL;
	gboolean marked = mark_module(text, &last);

	if (source_is_pinned() &&
	    (marked || !g_error_matches(last, CAPTURE_ERROR, CAPTURE_ERROR_FAILED))) {
		g_clear_error(&last);
		marked |= mark_pinned(text, &last);
	}
	wait_for_recorders(busy, text, &recorders);
	if (recorders.failed)
		return fail_recorders(recorders.failed, error);
	/* If another tracer has the mark, this one may be missing or off. */
	if (!marked && !recorders.count && !source_is_module_loaded() && !source_is_pinned() &&
	    !g_error_matches(last, CAPTURE_ERROR, CAPTURE_ERROR_NOT_ROOT))
		return control_fail(error, CAPTURE_ERROR_NO_TRACER,
				    "nothing to mark: no recorder and no tracer is running");
	if (g_error_matches(last, CAPTURE_ERROR, CAPTURE_ERROR_FAILED) ||
	    (!marked && !recorders.count)) {
		g_propagate_error(error, g_steal_pointer(&last));
		return FALSE;
	}
	return TRUE;
}
