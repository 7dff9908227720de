/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the module at an address at a time, in logarithmic time however many modules shared that
 * address. Private to moduletimes.c.
 */
#ifndef KMT_SYMBOLS_MODULEINDEX_H
#define KMT_SYMBOLS_MODULEINDEX_H

#include <glib.h>

/* For so long a thread may still be returning to code of an unloaded module. */
#define MODULE_GRACE_NS 1000000000

typedef struct ModuleIndex ModuleIndex;

typedef struct {
	guint64 base, size; /* bytes */
	guint64 load_ns;
	guint64 unload_ns; /* 0: never */
	gboolean strict;   /* not returned for times when it is not loaded */
} IndexedModule;

/* A time span, without its end. */
typedef struct {
	guint64 since_ns, until_ns;
} ModuleSpan;

/* @modules is an array of @count of them, which are numbered from 1. Never NULL. */
ModuleIndex *moduleindex_new(const IndexedModule *modules, guint count);
void moduleindex_free(ModuleIndex *index); /* NULL is allowed */

/*
 * Returns the number of the module with the byte at @addr at @time_ns: the first one loaded then,
 * else the last one loaded before, if it was unloaded less than MODULE_GRACE_NS ago. 0: none.
 * Narrows *@span to times with the same result.
 */
guint moduleindex_at(const ModuleIndex *index, guint64 addr, guint64 time_ns, ModuleSpan *span);

#endif
