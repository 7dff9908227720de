/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's symbols and modules over a recording. Modules come and go: what is seen of one stays
 * known, so that the texts of the end explain addresses in modules that are gone by then too.
 */
#ifndef KMT_CAPTURE_MODULES_H
#define KMT_CAPTURE_MODULES_H

#include <glib.h>

#include "trace/writer.h"

typedef struct Modules Modules;

/* Reads them as they are now and writes the texts "kallsyms" and "modules" of the start. */
Modules *modules_start(struct trace_writer *writer, GError **error);

/* Writes the texts of the start into another file, as they are now. */
gboolean modules_write(Modules *modules, struct trace_writer *writer, GError **error);

void modules_free(Modules *modules);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Modules, modules_free)

/* Looks for modules that have come since, and remembers their symbols. */
gboolean modules_look(Modules *modules, GError **error);

/* Writes the texts of the end: kallsyms only if a module came or went. */
gboolean modules_end(Modules *modules, struct trace_writer *writer, GError **error);

#endif
