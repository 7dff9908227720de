// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/stack_tree.h"

#include <string.h>

#include "capture/bpf/tree_shares.h"

#define HASH_FACTOR G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) /* as in the programs */

struct StackTree {
	StackTreeMaps maps;
	struct kmt_bpf_node *nodes; /* of .maps; the roots come first */
	guint used, wholes_used;
	guint32 *first, *others; /* by node: its first child, and its parent's next one; 0: none */
	TreeShares *node_shares, *whole_shares;
};

StackTree *stack_tree_new(const StackTreeMaps *maps)
{
	StackTree *tree = g_new(StackTree, 1);

	*tree = (StackTree){
		.maps = *maps,
		.nodes = maps->nodes,
		.used = KMT_BPF_ROOTS,
		.wholes_used = 1,
		.first = g_new0(guint32, maps->node_count),
		.others = g_new0(guint32, maps->node_count),
		.node_shares = tree_shares_new(maps->node_count),
		.whole_shares = tree_shares_new(maps->whole_count),
	};
	return tree;
}

void stack_tree_free(StackTree *tree)
{
	if (!tree)
		return;
	tree_shares_free(tree->node_shares);
	tree_shares_free(tree->whole_shares);
	g_free(tree->first);
	g_free(tree->others);
	g_free(tree);
}

void stack_tree_clear(StackTree *tree)
{
	StackTreeMaps *maps = &tree->maps;

	memset(maps->slots, 0, maps->slot_count * sizeof(*maps->slots));
	memset(maps->nodes, 0, tree->used * sizeof(*maps->nodes));
	memset(maps->wholes, 0, tree->wholes_used * sizeof(*maps->wholes));
	memset(tree->first, 0, maps->node_count * sizeof(*tree->first));
	memset(tree->others, 0, maps->node_count * sizeof(*tree->others));
	tree_shares_clear(tree->node_shares);
	tree_shares_clear(tree->whole_shares);
	tree->used = KMT_BPF_ROOTS;
	tree->wholes_used = 1;
}

/* ---- the hash table ---- */

static guint64 *slot_at(const StackTree *tree, guint32 parent, guint64 word, guint probe)
{
	guint64 hash = (word + ((guint64)parent << 32)) * HASH_FACTOR >> 32;

	return &tree->maps.slots[(hash + probe) & (tree->maps.slot_count - 1)];
}

/* Returns the slot of the child of @parent whose first address is @word; NULL: there is none. */
static guint64 *find_slot(const StackTree *tree, guint32 parent, guint64 word)
{
	for (guint i = 0; i < KMT_BPF_NODE_PROBES; i++) {
		guint64 *slot = slot_at(tree, parent, word, i);

		if (!*slot)
			return NULL;
		if (tree->nodes[*slot].parent == parent && tree->nodes[*slot].run.addr[0] == word)
			return slot;
	}
	return NULL;
}

/* Makes @node, which is complete, visible to programs as a child. FALSE: there is no room. */
static gboolean show(StackTree *tree, guint32 node)
{
	guint32 parent = tree->nodes[node].parent;

	for (guint i = 0; i < KMT_BPF_NODE_PROBES; i++) {
		guint64 *slot = slot_at(tree, parent, tree->nodes[node].run.addr[0], i);

		if (*slot)
			continue;
		tree->others[node] = tree->first[parent];
		tree->first[parent] = node;
		__atomic_store_n(slot, (guint64)node, __ATOMIC_RELEASE);
		return TRUE;
	}
	return FALSE;
}

/* Removes @node from the table. No node that programs can reach leads to it. */
static void hide(StackTree *tree, guint32 node)
{
	const struct kmt_bpf_node *hidden = &tree->nodes[node];

	for (guint i = 0; i < KMT_BPF_NODE_PROBES; i++) {
		guint64 *slot = slot_at(tree, hidden->parent, hidden->run.addr[0], i);

		if (*slot == node)
			__atomic_store_n(slot, (guint64)0, __ATOMIC_RELEASE);
	}
}

/* ---- runs ---- */

/* Fills in the addresses from @at on that have one base. Returns the index of the next one. */
static guint fill_run(struct kmt_bpf_run *run, const StackLayout *layout, guint at)
{
	guint count = 0;

	do {
		run->addr[count] = layout->words[at + count].addr;
		run->at[count] =
			(guint16)(layout->words[at + count].step.next_at + KMT_BPF_AT_ZERO);
		count++;
	} while (count < KMT_BPF_RUN_WORDS && at + count < layout->count &&
		 !layout->words[at + count].step.flags);
	run->count = count;
	return at + count;
}

static const struct kmt_bpf_step *step_after(const StackLayout *layout, guint at)
{
	return at == layout->count ? &layout->end : &layout->words[at].step;
}

/* Adds the whole stack. Returns its index; 0: it is too long, or there is no room for its user. */
static guint32 add_whole(StackTree *tree, const StackLayout *layout,
			 const struct kmt_bpf_miss *miss)
{
	struct kmt_bpf_whole *whole = &tree->maps.wholes[tree->wholes_used];
	guint at = 0, runs = 0;

	if (tree->wholes_used == tree->maps.whole_count ||
	    !tree_shares_allow(tree->whole_shares, miss->uid))
		return 0;
	while (at < layout->count && runs < KMT_BPF_WHOLE_RUNS) {
		at = fill_run(&whole->run[runs], layout, at);
		whole->run[runs++].step = *step_after(layout, at);
	}
	if (at < layout->count)
		return 0;
	whole->given = miss->given;
	whole->call_site = miss->call_site;
	whole->root = miss->root;
	whole->stack_id = miss->stack_id;
	__atomic_store_n(&whole->runs, runs, __ATOMIC_RELEASE);
	return tree->wholes_used++;
}

/* ---- nodes ---- */

static void lead_on(struct kmt_bpf_node *node, const struct kmt_bpf_step *step)
{
	node->run.step = *step;
	__atomic_store_n(&node->flags, node->flags | KMT_BPF_NODE_NEXT, __ATOMIC_RELEASE);
}

static void end_here(StackTree *tree, struct kmt_bpf_node *node, const StackLayout *layout,
		     const struct kmt_bpf_miss *miss)
{
	node->stack_id = miss->stack_id;
	node->given = miss->given;
	node->call_site = miss->call_site;
	node->whole = add_whole(tree, layout, miss);
	node->run.step = layout->end;
	__atomic_store_n(&node->flags, node->flags | KMT_BPF_NODE_ENDS, __ATOMIC_RELEASE);
}

static gboolean is_same_step(const struct kmt_bpf_step *one, const struct kmt_bpf_step *other)
{
	return !memcmp(one, other, sizeof(*one));
}

/* Returns whether @node can have children. Only an exception tells stacks that end at it apart. */
static gboolean can_lead_on(const struct kmt_bpf_node *node, const struct kmt_bpf_step *step)
{
	if (!node->flags)
		return TRUE;
	return is_same_step(&node->run.step, step) &&
	       (!(node->flags & KMT_BPF_NODE_ENDS) || step->flags & KMT_BPF_STEP_REGS);
}

static gboolean can_end_here(const struct kmt_bpf_node *node, const struct kmt_bpf_step *end)
{
	return !(node->flags & KMT_BPF_NODE_ENDS) && end->flags & KMT_BPF_STEP_REGS &&
	       is_same_step(&node->run.step, end);
}

/* Adds nodes for the addresses from @at on, the last one first: programs see none too early. */
static gboolean add_nodes(StackTree *tree, guint32 parent, const StackLayout *layout, guint at,
			  const struct kmt_bpf_miss *miss)
{
	guint32 node = tree->used;
	struct kmt_bpf_node *to = &tree->nodes[node];

	if (tree->used == tree->maps.node_count)
		return FALSE;
	tree->used++;
	*to = (struct kmt_bpf_node){ .parent = parent };
	at = fill_run(&to->run, layout, at);
	if (at == layout->count) {
		end_here(tree, to, layout, miss);
	} else {
		lead_on(to, &layout->words[at].step);
		if (!add_nodes(tree, node, layout, at, miss))
			return FALSE;
	}
	return show(tree, node);
}

/*
 * Frees the nodes from @node on and the whole stacks from @whole on, to which nothing leads. They
 * were the last to get slots of the hash table, so no other node is found past these slots.
 */
static void give_back(StackTree *tree, guint32 node, guint whole)
{
	for (guint32 i = node; i < tree->used; i++) {
		hide(tree, i);
		tree->first[i] = tree->others[i] = 0;
	}
	memset(&tree->nodes[node], 0, (tree->used - node) * sizeof(*tree->nodes));
	memset(&tree->maps.wholes[whole], 0,
	       (tree->wholes_used - whole) * sizeof(*tree->maps.wholes));
	tree->used = node;
	tree->wholes_used = whole;
}

/* Adds all nodes that are needed, or none: a stack without room may come again and again. */
static gboolean add_rest(StackTree *tree, guint32 parent, const StackLayout *layout, guint at,
			 const struct kmt_bpf_miss *miss)
{
	guint32 node = tree->used;
	guint whole = tree->wholes_used;

	if (add_nodes(tree, parent, layout, at, miss))
		return TRUE;
	give_back(tree, node, whole);
	return FALSE;
}

/* ---- splitting ---- */

/* Returns how many addresses of @known are those of @layout from @at on. */
static guint count_same(const struct kmt_bpf_run *known, const StackLayout *layout, guint at)
{
	struct kmt_bpf_run run;
	guint count = MIN(fill_run(&run, layout, at) - at, known->count), i = 1;

	while (i < count && known->addr[i] == run.addr[i] && known->at[i] == run.at[i])
		i++;
	return i;
}

/* Moves the children of @from to @to. A program that is at @from meanwhile finds none. */
static void move_children(StackTree *tree, guint32 from, guint32 to)
{
	guint32 child = tree->first[from], next;

	for (tree->first[from] = 0; child; child = next) {
		next = tree->others[child];
		__atomic_store_n(&tree->nodes[child].parent, to, __ATOMIC_RELEASE);
		show(tree, child);
	}
}

/* Removes @child from the list of its parent's children, which must have it. */
static void unlink_child(StackTree *tree, guint32 child)
{
	guint32 *link = &tree->first[tree->nodes[child].parent];

	while (*link != child)
		link = &tree->others[*link];
	*link = tree->others[child];
}

/*
 * Replaces the node in @slot by two: one with its first @count addresses, and one with the others.
 * Returns the first; 0: there is no room.
 */
static guint32 split(StackTree *tree, guint64 *slot, guint count)
{
	guint32 old = (guint32)*slot, head = tree->used, tail = head + 1;
	struct kmt_bpf_node *nodes = tree->nodes;
	const struct kmt_bpf_run *run = &nodes[old].run;
	struct kmt_bpf_run *outer = &nodes[tail].run;

	if (tree->maps.node_count - tree->used < 2)
		return 0;
	tree->used += 2;
	nodes[tail] = nodes[old];
	nodes[tail].parent = head;
	outer->count = run->count - count;
	memcpy(outer->addr, run->addr + count, outer->count * sizeof(*run->addr));
	memcpy(outer->at, run->at + count, outer->count * sizeof(*run->at));
	nodes[head] = (struct kmt_bpf_node){
		.run = *run,
		.parent = nodes[old].parent,
		.flags = KMT_BPF_NODE_NEXT,
	};
	nodes[head].run.count = count;
	nodes[head].run.step = (struct kmt_bpf_step){
		.next_at = (gint16)((gint)run->at[count] - (gint)KMT_BPF_AT_ZERO),
	};
	if (!show(tree, tail)) {
		give_back(tree, head, tree->wholes_used);
		return 0;
	}
	unlink_child(tree, old);
	tree->others[head] = tree->first[nodes[head].parent];
	tree->first[nodes[head].parent] = head;
	__atomic_store_n(slot, (guint64)head, __ATOMIC_RELEASE);
	move_children(tree, old, tail);
	return head;
}

static gboolean add(StackTree *tree, const StackLayout *layout, const struct kmt_bpf_miss *miss)
{
	guint32 node = miss->root % KMT_BPF_ROOTS;
	guint at = 0;

	while (at < layout->count) {
		const StackWord *word = &layout->words[at];
		guint64 *slot = find_slot(tree, node, word->addr);
		guint same;

		if (!can_lead_on(&tree->nodes[node], &word->step))
			return FALSE;
		if (!(tree->nodes[node].flags & KMT_BPF_NODE_NEXT))
			lead_on(&tree->nodes[node], &word->step);
		if (!slot)
			return add_rest(tree, node, layout, at, miss);
		same = count_same(&tree->nodes[*slot].run, layout, at);
		node = (guint32)*slot;
		if (same < tree->nodes[node].run.count && at + same < layout->count)
			node = split(tree, slot, same);
		else if (same < tree->nodes[node].run.count)
			return FALSE; /* a stack ends where another one continues */
		if (!node)
			return FALSE;
		at += same;
	}
	if (!can_end_here(&tree->nodes[node], &layout->end))
		return FALSE;
	end_here(tree, &tree->nodes[node], layout, miss);
	return TRUE;
}

gboolean stack_tree_add(StackTree *tree, const StackLayout *layout, const struct kmt_bpf_miss *miss)
{
	guint nodes = tree->used, wholes = tree->wholes_used;
	gboolean added = tree_shares_allow(tree->node_shares, miss->uid) && add(tree, layout, miss);

	tree_shares_add(tree->node_shares, miss->uid, tree->used - nodes);
	tree_shares_add(tree->whole_shares, miss->uid, tree->wholes_used - wholes);
	return added;
}
