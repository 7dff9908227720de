/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps a traced address to source lines and inlined functions, from debug files of the traced
 * kernel and its modules. A file is opened once, when an address in it is looked up. It must be of
 * the traced build: by its build id or, if the trace has none, by the offsets of its functions.
 *
 * The symbols of the trace give the load addresses of kernel and modules (KASLR): an address is
 * looked up by its offset in its function.
 */
#ifndef KMT_SYMBOLS_LINES_H
#define KMT_SYMBOLS_LINES_H

#include "symbols/buildids.h"
#include "symbols/debugfile.h"
#include "symbols/debugplaces.h"
#include "symbols/symbols.h"

typedef struct Lines Lines;

/*
 * @release: of the traced kernel; NULL: unknown. @start: the address of its _stext; 0: unknown.
 * Takes over @ids.
 */
Lines *lines_new(const DebugPlaces *places, const char *release, guint64 start, BuildIds *ids);
void lines_free(Lines *lines); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Lines, lines_free)

/*
 * Returns FALSE with an error if a named file is unusable: --vmlinux is not a debug file of the
 * traced kernel, --symfs not a folder; or, if nothing was named, no file of the kernel is found.
 */
gboolean lines_check(Lines *lines, GError **error);

/*
 * Returns FALSE with an error if the kernel's file, which lines_check() opened, doesn't have the
 * function @symbol at the address in the trace. Used without a build id.
 */
gboolean lines_verify(Lines *lines, const Symbol *symbol, GError **error);

/*
 * Returns the DebugLines, as debugfile_lines(), of the call that returns to @addr in the function
 * @symbol; valid until the next call. NULL: unknown. Prints a message the first time that a file is
 * missing or rejected.
 */
const GPtrArray *lines_find(Lines *lines, const Symbol *symbol, guint64 addr);

/*
 * Returns "inlined (file:line, inlined) < @name (file:line)", where @name is the displayed name;
 * only @name if no line is known. After 4 KiB of inlined functions, "… (cut)" stands for the
 * others. For g_free().
 */
char *lines_describe(const GPtrArray *found, const char *name);

/* Returns "file:line" of the innermost function; NULL: unknown. For g_free(). */
char *lines_innermost(const GPtrArray *found);

#endif
