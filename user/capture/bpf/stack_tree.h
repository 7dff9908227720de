/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the tree of stacks that the programs search, at any time (kernel/bpf/stack_tree.h).
 */
#ifndef KMT_CAPTURE_BPF_STACK_TREE_H
#define KMT_CAPTURE_BPF_STACK_TREE_H

#include <glib.h>

#include "capture/bpf/stack_layout.h"

typedef struct StackTree StackTree;

/* Memory that is shared with the programs. */
typedef struct {
	struct kmt_bpf_node *nodes;
	guint64 *slots; /* of the hash table of nodes; a power of two */
	struct kmt_bpf_whole *wholes;
	guint node_count, slot_count, whole_count;
} StackTreeMaps;

/* @maps are empty, and their memory must outlive the tree. For stack_tree_free(). */
StackTree *stack_tree_new(const StackTreeMaps *maps);
void stack_tree_free(StackTree *tree); /* NULL is allowed */

/* Adds the stack of @miss, whose layout is @layout. FALSE: no room, or it contradicts others. */
gboolean stack_tree_add(StackTree *tree, const StackLayout *layout,
			const struct kmt_bpf_miss *miss);

/* Removes all stacks. No program may search meanwhile. */
void stack_tree_clear(StackTree *tree);

#endif
