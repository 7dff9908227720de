/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that allocate memory which the kernel frees by itself: kernel-owned memory, which it
 * keeps for later callers, and the page cache.
 */
#ifndef KMT_SYMBOLS_KEEPERS_H
#define KMT_SYMBOLS_KEEPERS_H

#include <glib.h>

/* Which memory it is that is allocated by a function, or further in: bits, also in the database. */
typedef enum {
	KEEPER_ALL = 1,     /* all */
	KEEPER_CHUNKS = 2,  /* all but per-CPU memory, which is allocated in chunks */
	KEEPER_OBJECTS = 4, /* slab objects */
	KEEPER_AREAS = 8,   /* slab objects, for areas of vmalloc space */
	KEEPER_BLOCKS = 16, /* slab objects, for blocks of vmalloc space, and these blocks */
	KEEPER_PAGES = 32,  /* pages */
	KEEPER_CACHE = 64,  /* pages, for the page cache; not kernel-owned */
} Keeper;

/* Returns Keeper bits; 0: none. @module: of the function @name; NULL: the kernel itself. */
guint symbols_keeps(const char *name, const char *module);

/*
 * Returns TRUE if what @name, or a function further in, allocates does not belong to keepers
 * further out: @name is a module's function, such as the constructor of its cache, or reclaims
 * memory, as any allocation may do.
 */
gboolean symbols_is_keeper_boundary(const char *name, const char *module);

#endif
