// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/numbers.h"
#include "base/owner.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/namespaces.h"
#include "capture/tracer/stats.h"

#define SEARCH_US G_USEC_PER_SEC

gboolean tracer_is_on(const Control *control, gboolean *on, GError **error)
{
	guint64 enabled;

	if (!control_get(control, "enable", &enabled, error))
		return FALSE;
	*on = enabled && enabled != KMEMTRACE_ENABLE_MAPS;
	return TRUE;
}

gboolean tracer_state(const Control *control, TracerState *state, GError **error)
{
	guint64 buffers;
	gboolean on;

	if (!tracer_is_on(control, &on, error) ||
	    !stats_read_memory(control, "buffers", &buffers, error))
		return FALSE;
	*state = on ? TRACER_RUNNING : buffers ? TRACER_STOPPED : TRACER_EMPTY;
	return TRUE;
}

const char *tracer_state_name(TracerState state)
{
	static const char *const names[] = {
		[TRACER_EMPTY] = "off and empty",
		[TRACER_RUNNING] = "running",
		[TRACER_STOPPED] = "stopped, with data",
	};

	return names[state];
}

/*
 * Returns whether both are the same file. Does not ask the server of a user's file system, which
 * may block.
 */
static gboolean is_same_file(const char *a, const char *b)
{
	struct statx first, second;

	return !statx(AT_FDCWD, a, AT_STATX_DONT_SYNC, STATX_INO, &first) &&
	       !statx(AT_FDCWD, b, AT_STATX_DONT_SYNC, STATX_INO, &second) &&
	       first.stx_dev_major == second.stx_dev_major &&
	       first.stx_dev_minor == second.stx_dev_minor && first.stx_ino == second.stx_ino;
}

/*
 * Returns whether the file is open with O_PATH. Any user who can see its name can do that, and it
 * gives no access.
 */
static gboolean is_open_as_path(const char *pid, const char *fd)
{
	g_autofree char *path = g_build_filename("/proc", pid, "fdinfo", fd, NULL);
	g_autofree char *text = NULL;
	const char *flags;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return TRUE;
	flags = strstr(text, "flags:");
	return !flags || g_ascii_strtoull(flags + strlen("flags:"), NULL, 8) & O_PATH;
}

/*
 * Returns whether process @pid reads a stream. In a mount namespace of its own, its file may have
 * the name of any other.
 */
static gboolean reads(const char *streams, const char *pid, gint64 until_us)
{
	g_autofree char *fds = g_build_filename("/proc", pid, "fd", NULL);
	g_autoptr(GDir) list = g_dir_open(fds, 0, NULL);
	const char *name;

	while (list && (name = g_dir_read_name(list)) && g_get_monotonic_time() < until_us) {
		g_autofree char *link = g_build_filename(fds, name, NULL);
		g_autofree char *target = g_file_read_link(link, NULL);

		if (target && g_str_has_prefix(target, streams) && is_same_file(link, target) &&
		    !is_open_as_path(pid, name))
			return TRUE;
	}
	return FALSE;
}

static gboolean is_roots(const char *pid)
{
	guint32 uid;

	return !owner_uid(pid, &uid) || !uid;
}

/* Returns a process, root's or another user's, that reads a stream; 0: none was found in time. */
static pid_t find_reader(const char *streams, const GPtrArray *pids, gboolean roots,
			 gint64 until_us)
{
	for (guint i = 0; i < pids->len && g_get_monotonic_time() < until_us; i++) {
		const char *name = pids->pdata[i];
		pid_t pid = g_ascii_strtoll(name, NULL, 10);

		if (pid != getpid() && is_roots(name) == roots && reads(streams, name, until_us))
			return pid;
	}
	return 0;
}

pid_t tracer_holder(const Control *control)
{
	const char *views = module_control_views(control);
	gint64 until_us = g_get_monotonic_time() + SEARCH_US;
	g_autofree char *streams = NULL;
	g_autoptr(GPtrArray) pids = NULL;
	pid_t holder = control_lock_holder(control);

	if (holder || !views)
		return holder;
	streams = g_build_filename(views, CONTROL_STREAM, NULL);
	pids = numbers_list("/proc", G_MAXSIZE);
	holder = find_reader(streams, pids, TRUE, until_us)
			 ?: find_reader(streams, pids, FALSE, until_us);
	if (!holder && g_get_monotonic_time() >= until_us)
		return TRACER_HOLDER_UNKNOWN;
	return holder;
}

char *tracer_process_name(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", pid);
	char *name = NULL;

	return g_file_get_contents(path, &name, NULL, NULL) ? g_strchomp(name) : NULL;
}

static gboolean fail_busy(pid_t pid, GError **error)
{
	g_autofree char *name = pid > 0 ? tracer_process_name(pid) : NULL;

	if (pid > 0)
		g_set_error(error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
			    "another recorder is active: process %d (%s); kill -INT %d ends it",
			    pid, name ? name : "?", pid);
	else
		g_set_error(
			error, CAPTURE_ERROR, CAPTURE_ERROR_BUSY,
			"another recorder is active, in a process that is not visible from here");
	return FALSE;
}

static gboolean stream_is_read(const Control *control, guint cpu)
{
	ControlStream *stream = control_stream_open(control, cpu);
	gboolean is_read = !stream && errno == EBUSY;

	control_stream_close(stream);
	return is_read;
}

/*
 * In overwrite mode a stream may refuse a reader: then it is busy only if another reader is found.
 */
gboolean tracer_claim(Control *control, GError **error)
{
	g_autoptr(GArray) cpus = control_cpus(control);
	gboolean locked;

	if (!namespaces_check_clock(error) || !control_lock(control, &locked, error))
		return FALSE;
	if (!locked)
		return fail_busy(tracer_holder(control), error);
	if (!module_control_views(control)) /* other sources have streams of their own */
		return TRUE;
	for (guint i = 0; i < cpus->len; i++) {
		pid_t pid;

		if (!stream_is_read(control, g_array_index(cpus, guint, i)))
			continue;
		pid = tracer_holder(control);
		if (pid > 0 || !tracer_overwrites(control))
			return fail_busy(pid, error);
	}
	return TRUE;
}

gboolean tracer_overwrites(const Control *control)
{
	g_autofree char *text = control_read(control, "overwrite", NULL);

	return text && text[0] == '1';
}
