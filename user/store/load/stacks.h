/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel stacks as a tree. If a module is loaded at addresses of an earlier one, the same addresses
 * are other functions in each era, and so other stacks in the tree. These are created on demand.
 * Private to the store.
 */
#ifndef KMT_STORE_LOAD_STACKS_H
#define KMT_STORE_LOAD_STACKS_H

#include "analysis/stacks/stacktree.h"
#include "store/load/frames.h"

typedef struct Stacks Stacks;

/* @frames and @tree must outlive it. @eras: their number. */
Stacks *stacks_new(Frames *frames, StackTree *tree, guint eras);
void stacks_free(Stacks *stacks); /* NULL is allowed */

/* Adds the kernel's stack @id: @addrs, innermost first. */
void stacks_add(Stacks *stacks, guint32 id, const guint64 *addrs, guint depth);

/* Returns the number of the stack in the tree; 0: none. */
guint32 stacks_get(Stacks *stacks, guint32 id, guint era);

/* Returns how many requested stacks, other than 0, were never added. */
guint stacks_missing(const Stacks *stacks);

#endif
