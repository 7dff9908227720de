// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source/source.h"

#include <string.h>

#include "capture/tracer/control_class.h"
#include "capture/tracer/module_control.h"
#ifdef HAVE_BPF
#include "capture/bpf/bpf_control.h"
#define HAS_BPF TRUE
#else
#define HAS_BPF FALSE
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

/* A module that is loaded is meant, whatever keeps it from tracing. */
static gboolean is_loaded(void)
{
	return g_file_test("/sys/module/kmemtrace", G_FILE_TEST_IS_DIR);
}

Control *source_open(const char *name, GError **error)
{
	g_autoptr(GError) module_error = NULL, bpf_error = NULL;
	Control *control;

	if (!g_strcmp0(name, "bpf"))
		return open_bpf(error);
	control = module_control_open(&module_error);
	if (control)
		return control;
	if (HAS_BPF && g_strcmp0(name, "module") != 0 && !is_loaded())
		control = open_bpf(&bpf_error);
	if (control)
		return control;
	/* Without rights both say the same; else the last word is that of what was tried last. */
	if (bpf_error && !g_error_matches(bpf_error, CAPTURE_ERROR, CAPTURE_ERROR_NOT_ROOT))
		g_propagate_error(error, g_steal_pointer(&bpf_error));
	else
		g_propagate_error(error, g_steal_pointer(&module_error));
	return NULL;
}
