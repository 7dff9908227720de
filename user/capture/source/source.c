// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/source/source.h"

#include <string.h>

#include "base/message.h"
#include "capture/tracer/control_class.h"
#include "capture/tracer/module_control.h"
#include "capture/tracer/tracer.h"
#ifdef HAVE_BPF
#include "capture/bpf/bpf_control.h"
#define HAS_BPF TRUE
#else
#define HAS_BPF FALSE
#endif

const char *const source_words[] = { "auto", "module", "bpf", NULL };

#ifndef HAVE_BPF
static Control *fail_without(GError **error)
{
	control_fail(
		error, CAPTURE_ERROR_NO_TRACER,
		"this kmemtrace-user was built without BPF (clang, bpftool and libbpf were missing): use --source module");
	return NULL;
}
#endif

static Control *open_bpf(GError **error)
{
#ifdef HAVE_BPF
	return bpf_control_open(error);
#else
	return fail_without(error);
#endif
}

static Control *open_pinned(SourceFlags flags, GError **error)
{
#ifdef HAVE_BPF
	return bpf_control_open_pinned((flags & SOURCE_DISCARD) != 0, error);
#else
	(void)flags;
	return fail_without(error);
#endif
}

gboolean source_is_pinned(void)
{
#ifdef HAVE_BPF
	return bpf_control_is_pinned();
#else
	return FALSE;
#endif
}

gboolean source_is_module_loaded(void)
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
	if (HAS_BPF && g_strcmp0(name, "module") != 0 && !source_is_module_loaded())
		control = open_bpf(&bpf_error);
	if (control)
		return control;
	/* Without rights both errors are the same; otherwise report that of the last attempt. */
	if (bpf_error && !g_error_matches(bpf_error, CAPTURE_ERROR, CAPTURE_ERROR_NOT_ROOT))
		g_propagate_error(error, g_steal_pointer(&bpf_error));
	else
		g_propagate_error(error, g_steal_pointer(&module_error));
	return NULL;
}

/* Returns whether the module is meant, although BPF programs are pinned, too. */
static gboolean is_module_meant(const Control *module, SourceFlags flags)
{
	TracerState state;

	if (flags & SOURCE_NEW)
		return TRUE;
	if (!tracer_state(module, &state, NULL) || state == TRACER_EMPTY)
		return FALSE;
	message("this is the module's trace; --source bpf means that of pinned BPF programs");
	return TRUE;
}

Control *source_open_kept(const char *name, SourceFlags flags, GError **error)
{
	g_autoptr(Control) module = NULL;

	if (!g_strcmp0(name, "bpf"))
		return open_pinned(flags, error);
	if (!g_strcmp0(name, "module"))
		return module_control_open(error);
	if (HAS_BPF && !source_is_module_loaded())
		return open_pinned(flags, error);
	module = module_control_open(error);
	if (module && source_is_pinned() && !is_module_meant(module, flags))
		return open_pinned(flags, error);
	return g_steal_pointer(&module);
}

const char *source_why_bpf(const char *name)
{
	return g_strcmp0(name, "bpf") ? ", as the module is not loaded" : "";
}
