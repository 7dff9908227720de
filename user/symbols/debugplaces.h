/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where debug files are searched: a given one for the kernel, a folder with the layout of a root
 * (--symfs) or this machine's root, and a debuginfod server if one is configured.
 */
#ifndef KMT_SYMBOLS_DEBUGPLACES_H
#define KMT_SYMBOLS_DEBUGPLACES_H

#include <glib.h>

typedef struct {
	const char *vmlinux; /* the kernel's file; NULL: searched */
	const char *symfs;   /* the root; NULL: this machine's */
} DebugPlaces;

typedef struct DebugIndex DebugIndex;

/* @release: as uname -r. If it leads out of the root, nothing is found. NULL: unknown. */
DebugIndex *debugindex_new(const DebugPlaces *places, const char *release);
void debugindex_free(DebugIndex *index); /* NULL is allowed */

/*
 * Returns the existing files for module @name (NULL: the kernel), best first. @ids: of char *, its
 * build ids; NULL: unknown. For g_ptr_array_unref().
 */
GPtrArray *debugindex_files(DebugIndex *index, const char *name, const GPtrArray *ids);

#endif
