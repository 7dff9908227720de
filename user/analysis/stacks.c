// SPDX-License-Identifier: GPL-2.0-or-later
#include "analysis/stacks.h"

#include "analysis/addrmap.h"
#include "analysis/intern.h"
#include "kmemtrace_abi.h"

struct Stacks {
	Intern *frames;		/* return address → number */
	StackTree *tree;
	AddrMap *nodes;		/* kernel's id → node */
};

Stacks *stacks_new(void)
{
	Stacks *stacks = g_new0(Stacks, 1);

	stacks->frames = intern_new(sizeof(guint64));
	stacks->tree = stacktree_new();
	stacks->nodes = addrmap_new();
	return stacks;
}

void stacks_free(Stacks *stacks)
{
	if (!stacks)
		return;
	intern_free(stacks->frames);
	stacktree_free(stacks->tree);
	addrmap_free(stacks->nodes);
	g_free(stacks);
}

guint32 stacks_frame(Stacks *stacks, guint64 addr)
{
	return addr ? intern_add(stacks->frames, &addr, NULL) : 0;
}

void stacks_add(Stacks *stacks, guint32 kernel_id, const guint64 *addrs, guint depth)
{
	guint32 frames[KMEMTRACE_STACK_DEPTH_MAX];
	guint32 node;

	g_return_if_fail(depth <= G_N_ELEMENTS(frames));
	for (guint i = 0; i < depth; i++)
		frames[i] = stacks_frame(stacks, addrs[i]);
	node = stacktree_add(stacks->tree, frames, depth);
	if (node && kernel_id)
		addrmap_put(stacks->nodes, kernel_id, node);
}

guint32 stacks_node(const Stacks *stacks, guint32 kernel_id)
{
	return kernel_id ? addrmap_get(stacks->nodes, kernel_id) : 0;
}

guint32 stacks_frames(const Stacks *stacks)
{
	return intern_count(stacks->frames);
}

guint64 stacks_frame_addr(const Stacks *stacks, guint32 frame)
{
	return *(const guint64 *)intern_key(stacks->frames, frame);
}

const StackTree *stacks_tree(const Stacks *stacks)
{
	return stacks->tree;
}
