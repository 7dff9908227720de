// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source/source.h"

#include <string.h>

#include "capture/tracer/control_class.h"
#include "capture/tracer/module_control.h"
#ifdef HAVE_BPF
#include "capture/bpf/bpf_control.h"
#endif

const char *const source_words[] = { "auto", "module", "bpf", NULL };

static Control *open_bpf(GError **error)
{
#ifdef HAVE_BPF
	return bpf_control_open(error);
#else
	control_fail(
		error, CAPTURE_ERROR_NO_TRACER,
		"this kmemtrace-user was built without BPF (clang, bpftool and libbpf were missing): use --source module");
	return NULL;
#endif
}

/* Whether BPF programs can take the place of a module that is not there. */
static gboolean is_replaced(const GError *error)
{
#ifdef HAVE_BPF
	return g_error_matches(error, CAPTURE_ERROR, CAPTURE_ERROR_NO_TRACER) ||
	       g_error_matches(error, CAPTURE_ERROR, CAPTURE_ERROR_NOT_ROOT);
#else
	(void)error;
	return FALSE;
#endif
}

Control *source_open(const char *name, GError **error)
{
	g_autoptr(GError) local = NULL;
	Control *control;

	if (!g_strcmp0(name, "bpf"))
		return open_bpf(error);
	control = module_control_open(&local);
	if (control)
		return control;
	if (g_strcmp0(name, "module") != 0 && is_replaced(local))
		return open_bpf(error);
	g_propagate_error(error, g_steal_pointer(&local));
	return NULL;
}
