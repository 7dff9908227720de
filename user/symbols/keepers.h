/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that allocate kernel-owned memory: what the kernel keeps for later callers, and frees
 * by itself.
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
} Keeper;

/* Returns Keeper bits; 0: none. @module: of the function @name; NULL: the kernel itself. */
guint symbols_keeps(const char *name, const char *module);

#endif
