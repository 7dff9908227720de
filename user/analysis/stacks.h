/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of a trace: from the kernel's stack ids and return addresses to the frames and nodes of
 * one stack tree.
 */
#ifndef KMT_ANALYSIS_STACKS_H
#define KMT_ANALYSIS_STACKS_H

#include "analysis/stacktree.h"

typedef struct Stacks Stacks;

Stacks *stacks_new(void);
void stacks_free(Stacks *stacks);	/* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Stacks, stacks_free)

/* The number of the frame with return address @addr: 1, 2, 3…; 0 for address 0. */
guint32 stacks_frame(Stacks *stacks, guint64 addr);

/* Adds the stack that the kernel calls @kernel_id; @addrs innermost first. */
void stacks_add(Stacks *stacks, guint32 kernel_id, const guint64 *addrs, guint depth);

/* The node of the stack that the kernel calls @kernel_id; 0: unknown. */
guint32 stacks_node(const Stacks *stacks, guint32 kernel_id);

guint32 stacks_frames(const Stacks *stacks);
guint64 stacks_frame_addr(const Stacks *stacks, guint32 frame);
const StackTree *stacks_tree(const Stacks *stacks);

#endif
