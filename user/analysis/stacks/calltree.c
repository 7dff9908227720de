// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stacks/calltree.h"

#include "analysis/containers/intern.h"

/* Key of a node, without padding. */
typedef struct {
	guint32 parent, frame;
} NodeKey;

struct CallTree {
	Intern *keys;  /* of NodeKey: the nodes except 0 */
	GArray *nodes; /* of CallNode */
};

gboolean callcost_is_zero(const CallCost *cost)
{
	for (guint i = 0; i < CALL_METRICS; i++) {
		if (cost->of[i])
			return FALSE;
	}
	return TRUE;
}

gboolean callcost_has(const CallCost *cost, CallMetric metric)
{
	return cost->of[CALL_COUNT] || cost->of[metric];
}

CallTree *calltree_new(void)
{
	CallTree *tree = g_new0(CallTree, 1);

	tree->keys = intern_new(sizeof(NodeKey));
	tree->nodes = g_array_new(FALSE, TRUE, sizeof(CallNode));
	g_array_set_size(tree->nodes, 1);
	return tree;
}

void calltree_free(CallTree *tree)
{
	if (!tree)
		return;
	g_array_unref(tree->nodes);
	intern_free(tree->keys);
	g_free(tree);
}

static CallNode *node_at(const CallTree *tree, guint32 id)
{
	return &g_array_index(tree->nodes, CallNode, id);
}

static void add_cost(CallCost *sum, const CallCost *cost)
{
	for (guint i = 0; i < CALL_METRICS; i++)
		sum->of[i] += cost->of[i];
}

guint32 calltree_add(CallTree *tree, const guint32 *frames, guint depth, const CallCost *cost)
{
	guint32 id = 0;

	for (guint i = 0; i < depth; i++) {
		NodeKey key = { .parent = id, .frame = frames[i] };
		gboolean added;

		id = intern_add(tree->keys, &key, &added);
		if (!added)
			continue;
		g_array_set_size(tree->nodes, id + 1);
		node_at(tree, id)->parent = key.parent;
		node_at(tree, id)->frame = key.frame;
	}
	add_cost(&node_at(tree, id)->self, cost);
	return id;
}

void calltree_finish(CallTree *tree)
{
	for (guint32 i = 0; i < tree->nodes->len; i++)
		node_at(tree, i)->total = node_at(tree, i)->self;
	for (guint32 i = tree->nodes->len; i-- > 1;)
		add_cost(&node_at(tree, node_at(tree, i)->parent)->total, &node_at(tree, i)->total);
}

guint32 calltree_count(const CallTree *tree)
{
	return tree->nodes->len;
}

const CallNode *calltree_node(const CallTree *tree, guint32 id)
{
	return node_at(tree, id);
}

guint calltree_depth(const CallTree *tree, guint32 id)
{
	guint depth = 0;

	for (; id; id = node_at(tree, id)->parent)
		depth++;
	return depth;
}

static gboolean is_below_itself(const CallTree *tree, guint32 id)
{
	guint32 frame = node_at(tree, id)->frame;

	while ((id = node_at(tree, id)->parent)) {
		if (node_at(tree, id)->frame == frame)
			return TRUE;
	}
	return FALSE;
}

CallFunction *calltree_functions(const CallTree *tree, guint32 *count)
{
	CallFunction *functions;

	*count = 1;
	for (guint32 i = 1; i < tree->nodes->len; i++)
		*count = MAX(*count, node_at(tree, i)->frame + 1);
	functions = g_new0(CallFunction, *count);
	for (guint32 i = 1; i < tree->nodes->len; i++) {
		const CallNode *node = node_at(tree, i);

		add_cost(&functions[node->frame].self, &node->self);
		if (!is_below_itself(tree, i))
			add_cost(&functions[node->frame].total, &node->total);
	}
	return functions;
}
