/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as a prefix tree: from the outermost caller, each node is one call deeper, and the number
 * of a stack is the node of its innermost frame. Stacks share their outer parts.
 */
#ifndef KMT_ANALYSIS_STACKS_STACKTREE_H
#define KMT_ANALYSIS_STACKS_STACKTREE_H

#include <glib.h>

typedef struct {
	guint32 parent; /* node one call further out; 0: a root */
	guint32 frame;  /* the caller's number for the return address */
} StackNode;

typedef struct StackTree StackTree;

StackTree *stacktree_new(void);
void stacktree_free(StackTree *tree); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StackTree, stacktree_free)

/* Returns the number, from 1 on, of the stack of @frames, innermost first. 0 if @depth is 0. */
guint32 stacktree_add(StackTree *tree, const guint32 *frames, guint depth);

/*
 * Returns the number of nodes, which is the highest number. A parent has a lower number than its
 * children.
 */
guint32 stacktree_count(const StackTree *tree);

/*
 * Returns whether the tree has reached its limit for a table of stacks with @words addresses. The
 * same addresses may have many meanings, as after many loads of modules, and each makes nodes of
 * its own, so a small file could fill the memory.
 */
gboolean stacktree_is_full(const StackTree *tree, guint64 words);

StackNode stacktree_node(const StackTree *tree, guint32 id); /* of a valid number */
guint stacktree_depth(const StackTree *tree, guint32 id);    /* frames from the root to it */
gboolean stacktree_is_stack(const StackTree *tree,
			    guint32 id); /* TRUE for a stack, FALSE for an inner node only */

#endif
