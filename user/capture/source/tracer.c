// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source/tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/source/stats.h"

#define STREAM_PREFIX "trace"

gboolean tracer_state(const Control *control, TracerState *state, GError **error)
{
	guint64 enabled, buffers;

	if (!control_get(control, "enable", &enabled, error) ||
	    !stats_read_memory(control, "buffers", &buffers, error))
		return FALSE;
	*state = enabled ? TRACER_RUNNING : buffers ? TRACER_STOPPED : TRACER_EMPTY;
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

/* TRUE for the folder itself, which is what is locked, and for the streams in it. */
static gboolean is_held_file(const char *dir, const char *path)
{
	size_t len = strlen(dir);

	if (strncmp(path, dir, len) != 0)
		return FALSE;
	return !path[len] || g_str_has_prefix(path + len, "/" STREAM_PREFIX);
}

static gboolean holds(const char *dir, const char *pid)
{
	g_autofree char *fds = g_build_filename("/proc", pid, "fd", NULL);
	g_autoptr(GDir) list = g_dir_open(fds, 0, NULL);
	const char *name;

	while (list && (name = g_dir_read_name(list))) {
		g_autofree char *link = g_build_filename(fds, name, NULL);
		g_autofree char *target = g_file_read_link(link, NULL);

		if (target && is_held_file(dir, target))
			return TRUE;
	}
	return FALSE;
}

pid_t tracer_holder(const Control *control)
{
	g_autoptr(GDir) processes = g_dir_open("/proc", 0, NULL);
	const char *name;

	while (processes && (name = g_dir_read_name(processes))) {
		pid_t pid = g_ascii_strtoll(name, NULL, 10);

		if (pid > 0 && pid != getpid() && holds(control_views(control), name))
			return pid;
	}
	return 0;
}

char *tracer_process_name(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", pid);
	char *name = NULL;

	return g_file_get_contents(path, &name, NULL, NULL) ? g_strchomp(name) : NULL;
}

static gboolean fail_busy(pid_t pid, GError **error)
{
	g_autofree char *name = pid ? tracer_process_name(pid) : NULL;

	if (pid)
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
	g_autofree char *name = g_strdup_printf(STREAM_PREFIX "%u", cpu);
	g_autofree char *path = control_path(control, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == EBUSY;
}

/* Buffers being overwritten may refuse a reader: then another process must be visible as such. */
gboolean tracer_claim(Control *control, GError **error)
{
	g_autoptr(GArray) cpus = tracer_cpus(control);

	if (!control_lock(control))
		return fail_busy(tracer_holder(control), error);
	for (guint i = 0; i < cpus->len; i++) {
		pid_t pid;

		if (!stream_is_read(control, g_array_index(cpus, guint, i)))
			continue;
		pid = tracer_holder(control);
		if (pid || !tracer_overwrites(control))
			return fail_busy(pid, error);
	}
	return TRUE;
}

static int compare_cpus(gconstpointer a, gconstpointer b)
{
	guint x = *(const guint *)a, y = *(const guint *)b;

	return x < y ? -1 : x > y;
}

GArray *tracer_cpus(const Control *control)
{
	GArray *cpus = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GDir) files = g_dir_open(control_views(control), 0, NULL);
	const char *name;

	while (files && (name = g_dir_read_name(files))) {
		guint64 number;
		guint cpu;

		if (!g_str_has_prefix(name, STREAM_PREFIX) ||
		    !g_ascii_string_to_unsigned(name + strlen(STREAM_PREFIX), 10, 0, G_MAXINT,
						&number, NULL))
			continue;
		cpu = number;
		g_array_append_val(cpus, cpu);
	}
	g_array_sort(cpus, compare_cpus);
	return cpus;
}

gboolean tracer_overwrites(const Control *control)
{
	g_autofree char *text = control_read(control, "overwrite", NULL);

	return text && text[0] == '1';
}
