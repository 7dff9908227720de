/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names for numbers: which function a frame is in, who called the allocator, which cache a kmalloc came
 * from. Private to the store.
 */
#ifndef KMT_STORE_NAMES_H
#define KMT_STORE_NAMES_H

#include "analysis/stacks.h"
#include "store/texts.h"
#include "symbols/symbols.h"

typedef struct Names Names;

/* @stacks and @symbols must outlive it. @slabinfo: its text, for the names of kmalloc caches; or NULL. */
Names *names_new(Stacks *stacks, const Symbols *symbols, const TextsAbi *abi, const char *slabinfo);
void names_free(Names *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Names, names_free)

/*
 * The function (a number of table symbol) that a person would name as the caller of an allocator: the
 * first one, from the call site on outwards, that is no part of an allocator. 0: nothing is known.
 */
guint32 names_caller(Names *names, guint32 call_site_frame, guint32 stack_node);

/* TRUE if the slab allocator got or gave back its own pages by this stack. */
gboolean names_is_slab_stack(Names *names, guint32 stack_node);

/* Lines "id object_size name" of the tracer's "caches". */
void names_add_caches(Names *names, const char *text, guint *skipped);

/* The cache (a number of table cache) of a kmalloc of that size; 0: none. */
guint32 names_kmalloc_cache(Names *names, guint32 bytes_alloc, guint32 gfp);

/* Stores all symbols, frames, stacks and caches. */
void names_store(Names *names, StoreWriter *writer);

#endif
