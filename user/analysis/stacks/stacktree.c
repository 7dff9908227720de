// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stacks/stacktree.h"

#include "analysis/containers/intern.h"

/* A node for each word is enough, unless the same addresses are of different code at times. */
#define NODES_FREE     (1U << 18)
#define NODES_PER_WORD 8

/* Data of a node besides its key. */
typedef struct {
	guint32 depth;
	gboolean is_stack;
} NodeInfo;

struct StackTree {
	Intern *nodes; /* of StackNode, without padding */
	GArray *infos; /* of NodeInfo, by number - 1 */
};

StackTree *stacktree_new(void)
{
	StackTree *tree = g_new0(StackTree, 1);

	tree->nodes = intern_new(sizeof(StackNode));
	tree->infos = g_array_new(FALSE, TRUE, sizeof(NodeInfo));
	return tree;
}

void stacktree_free(StackTree *tree)
{
	if (!tree)
		return;
	g_array_unref(tree->infos);
	intern_free(tree->nodes);
	g_free(tree);
}

static NodeInfo *info_of(const StackTree *tree, guint32 id)
{
	return &g_array_index(tree->infos, NodeInfo, id - 1);
}

guint32 stacktree_add(StackTree *tree, const guint32 *frames, guint depth)
{
	guint32 id = 0;

	for (guint i = depth; i-- > 0;) {
		StackNode node = { .parent = id, .frame = frames[i] };
		gboolean added;

		id = intern_add(tree->nodes, &node, &added);
		if (added) {
			g_array_set_size(tree->infos, id);
			info_of(tree, id)->depth = depth - i;
		}
	}
	if (id)
		info_of(tree, id)->is_stack = TRUE;
	return id;
}

guint32 stacktree_count(const StackTree *tree)
{
	return intern_count(tree->nodes);
}

gboolean stacktree_is_full(const StackTree *tree, guint64 words)
{
	return stacktree_count(tree) >= NODES_FREE + NODES_PER_WORD * words;
}

StackNode stacktree_node(const StackTree *tree, guint32 id)
{
	return *(const StackNode *)intern_key(tree->nodes, id);
}

guint stacktree_depth(const StackTree *tree, guint32 id)
{
	return info_of(tree, id)->depth;
}

gboolean stacktree_is_stack(const StackTree *tree, guint32 id)
{
	return info_of(tree, id)->is_stack;
}
