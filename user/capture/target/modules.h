/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols and modules during a recording. Modules are loaded and unloaded: the tracer
 * keeps the functions of unloaded code, and the recorder keeps the build ids of the modules that it
 * saw.
 */
#ifndef KMT_CAPTURE_TARGET_MODULES_H
#define KMT_CAPTURE_TARGET_MODULES_H

#include <glib.h>

#include "capture/tracer/control.h"
#include "trace/file/writer.h"

typedef struct Modules Modules;

/*
 * Writes the texts "kallsyms", "bpf_programs", "modules" and "build_ids" of the start. @control
 * must outlive it.
 */
Modules *modules_start(const Control *control, struct trace_writer *writer, GError **error);

/* Writes the texts of the start into another file, which will also get those of the end. */
gboolean modules_write(Modules *modules, struct trace_writer *writer, GError **error);

void modules_free(Modules *modules);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Modules, modules_free)

/*
 * Checks for modules loaded or unloaded, and for BPF programs removed, since the last call, and
 * writes their data into @writer.
 */
gboolean modules_look(Modules *modules, struct trace_writer *writer, GError **error);

/*
 * Writes the texts of the end: kallsyms only if a module was loaded or unloaded, or a BPF program
 * removed. Later texts go into another file.
 */
gboolean modules_end(Modules *modules, struct trace_writer *writer, GError **error);

#endif
