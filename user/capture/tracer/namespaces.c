// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/tracer/namespaces.h"

#include <string.h>

#include "capture/tracer/control.h"
#include "capture/tracer/rights.h"

#define TIME_OF_HOST "time:[4026531834]" /* PROC_TIME_INIT_INO in linux/proc_ns.h */

static gboolean check_namespace(const char *kind, const char *of_host, const char *what,
				GError **error)
{
	g_autofree char *path = g_build_filename("/proc/self/ns", kind, NULL);
	g_autofree char *name = g_file_read_link(path, NULL);

	if (!name || g_str_equal(name, of_host))
		return TRUE;
	g_set_error(
		error, CAPTURE_ERROR, CAPTURE_ERROR_FAILED,
		"%s is not possible in a %.*s namespace other than the host's (for a container: run it on the host, or give it the host's)",
		what, (int)strcspn(kind, "_"), kind);
	return FALSE;
}

gboolean namespaces_check_clock(GError **error)
{
	return check_namespace("time", TIME_OF_HOST, "tracing", error) &&
	       check_namespace("time_for_children", TIME_OF_HOST, "tracing", error);
}

gboolean namespaces_check_pids(const char *what, GError **error)
{
	return check_namespace("pid", RIGHTS_PID_OF_HOST, what, error);
}
