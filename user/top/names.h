/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Current names on this machine: functions from kallsyms, stacks from the tracer's table, caches
 * from its list. A TopNamer.
 */
#ifndef KMT_TOP_NAMES_H
#define KMT_TOP_NAMES_H

#include "capture/tracer/control.h"
#include "symbols/symbols.h"
#include "top/model.h"

typedef struct TopNames TopNames;

/* The tracer must have its buffers, and so its table of stacks. @control must outlive it. */
TopNames *top_names_new(const Control *control, GError **error);
void top_names_free(TopNames *names); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TopNames, top_names_free)

/* The TopNamer; @data is a TopNames. */
void top_names_find(gpointer data, const TopOrigin *origin, TopName *name);

/*
 * Checks for loaded and unloaded modules. *@changed: there are some, and their symbols were read.
 */
gboolean top_names_look(TopNames *names, gboolean *changed, GError **error);

/*
 * Finds the caller of a call site and its stack: the first function, from the call site outwards,
 * that isn't an allocator's. Also finds what the pages back, by the innermost allocators. @addrs:
 * the stack, innermost first, of @depth addresses, 0: unknown. @of_pages: it is a page event.
 */

void top_names_resolve(const Symbols *symbols, guint64 call_site, const guint64 *addrs, guint depth,
		       gboolean of_pages, TopName *name);

#endif
