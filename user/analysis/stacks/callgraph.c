// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stacks/callgraph.h"

#include "analysis/containers/intern.h"
#include "base/compare.h"

/* Two words without padding. */
typedef struct {
	guint32 from, to, by_way, zero;
} EdgeKey;

typedef struct {
	const CallTree *tree;
	const gboolean *shown;
	gboolean callers;
	guint32 *above; /* by node: the next outer node that is shown; 0: none */
} Maker;

static gboolean is_shown(const Maker *maker, guint32 node)
{
	return !maker->shown || maker->shown[calltree_node(maker->tree, node)->frame];
}

/* Returns the edge that ends at @node, which has one. */
static EdgeKey key_of(const Maker *maker, guint32 node)
{
	const CallNode *one = calltree_node(maker->tree, node);
	guint32 above = maker->above[node], frame = calltree_node(maker->tree, above)->frame;
	EdgeKey key = { frame, one->frame, above != one->parent, 0 };

	if (maker->callers) {
		key.from = one->frame;
		key.to = frame;
	}
	return key;
}

/* Returns whether the same edge occurs further out in these stacks. */
static gboolean is_repeated(const Maker *maker, guint32 node, const EdgeKey *key)
{
	while ((node = maker->above[node]) && maker->above[node]) {
		EdgeKey other = key_of(maker, node);

		if (other.from == key->from && other.to == key->to && other.by_way == key->by_way)
			return TRUE;
	}
	return FALSE;
}

static CallEdge *edge_at(GArray *edges, guint index)
{
	if (index >= edges->len)
		g_array_set_size(edges, index + 1);
	return &g_array_index(edges, CallEdge, index);
}

static gint compare_edges(gconstpointer a, gconstpointer b)
{
	const CallEdge *x = a, *y = b;

	return COMPARE(y->amount, x->amount)
		       ?: COMPARE(x->from, y->from)
		       ?: COMPARE(x->to, y->to)
		       ?: x->by_way - y->by_way;
}

GArray *callgraph_edges(const CallTree *tree, CallMetric metric, const gboolean *shown,
			gboolean callers)
{
	guint32 count = calltree_count(tree);
	g_autofree guint32 *above = g_new0(guint32, count);
	Maker maker = { tree, shown, callers, above };
	GArray *edges = g_array_new(FALSE, TRUE, sizeof(CallEdge));
	g_autoptr(Intern) keys = intern_new(sizeof(EdgeKey));

	for (guint32 i = 1; i < count; i++) {
		const CallNode *node = calltree_node(tree, i);
		CallEdge *edge;
		EdgeKey key;

		if (node->parent)
			above[i] =
				is_shown(&maker, node->parent) ? node->parent : above[node->parent];
		if (!above[i] || !is_shown(&maker, i))
			continue;
		key = key_of(&maker, i);
		edge = edge_at(edges, intern_add(keys, &key, NULL) - 1);
		edge->from = key.from;
		edge->to = key.to;
		edge->by_way = key.by_way;
		if (!is_repeated(&maker, i, &key))
			edge->amount += node->total.of[metric];
	}
	g_array_sort(edges, compare_edges);
	return edges;
}
