/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognizes repeated stacks without unwinding them, by the return addresses that were found on the
 * stack before: the same addresses must be in the same positions again.
 *
 * The loader makes the tree from stacks that were unwound and from the kernel's own unwind tables
 * (ORC). The distance from a return address to the next one depends on that address alone, or on a
 * pointer that is saved at a known position. So if all addresses on the path are the same, the
 * unwinder would find the same stack. Paths that the loader can't determine for certain are not in
 * the tree.
 *
 * Programs only read the tree. The addresses of a node that they can reach never change.
 */
#ifndef KMEMTRACE_STACK_TREE_H
#define KMEMTRACE_STACK_TREE_H

#include "words.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the loader sets it */
	__type(key, __u32);
	__type(value, struct kmt_bpf_node);
} nodes SEC(".maps");

/* Numbers of nodes, hashed by the parent's number and the node's first address. 0: free. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} node_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct kmt_bpf_whole);
} wholes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, KMT_BPF_LAST_FOUND);
	__type(key, __u32);
	__type(value, __u32);
} last_found SEC(".maps");

#define KMT_NODES_OF_STACK 32U /* at most; stacks with more are unwound */

struct kmt_origin {
	__u64 call_site;
	__u32 stack_id;
};

/* ---- the position of a program's context ---- */

/*
 * Returns the address of @ctx as a number. The verifier allows no arithmetic with the pointer, so
 * it goes through memory of this program, which does not run again on this CPU until it ends.
 */
static __always_inline __u64 kmt_here(const void *ctx, struct kmt_bpf_ring *ring, __u32 program,
				      __u32 turn)
{
	volatile __u64 *here = &ring->here[(turn * KMT_BPF_PROGRAMS_MAX + program) %
					   (KMT_BPF_PROGRAMS_MAX * KMT_BPF_TURNS)];

	*here = (__u64)ctx;
	return *here;
}

/* ---- runs ---- */

/* Returns whether all addresses of @run except the first are in the expected positions. */
static __always_inline bool kmt_run_holds(const struct kmt_bpf_run *run, __u64 base)
{
	__u32 count = run->count;

	base -= KMT_BPF_AT_ZERO;
#define KMT_CHECK_WORD(k)                                                                          \
	do {                                                                                       \
		if (count <= (k))                                                                  \
			return true;                                                               \
		if (kmt_word(base + run->at[k]) != run->addr[k])                                   \
			return false;                                                              \
	} while (0)
	KMT_CHECK_WORD(1);
	KMT_CHECK_WORD(2);
	KMT_CHECK_WORD(3);
	KMT_CHECK_WORD(4);
	KMT_CHECK_WORD(5);
	KMT_CHECK_WORD(6);
	KMT_CHECK_WORD(7);
#undef KMT_CHECK_WORD
	return true;
}

/* The base from which positions are counted, and the frame pointer. */
struct kmt_base {
	__u64 base, bp;
};

static __always_inline bool kmt_comes_from_user(const struct kmt_bpf_step *step, __u64 base)
{
	return kmt_word(base + step->user_at) & 3;
}

/* Applies a step that changes the base, and returns the next address; 0: there is none. */
static __always_inline __u64 kmt_change_base(struct kmt_base *from, const struct kmt_bpf_step *step)
{
	__u64 base = from->base, word = 0;

	if (step->flags & KMT_BPF_STEP_REGS) {
		if (kmt_comes_from_user(step, base))
			return 0;
		word = kmt_word(base + step->next_at);
	}
	if (step->flags & KMT_BPF_STEP_LOAD_BP)
		from->bp = kmt_word(base + step->bp_at);
	if (step->flags & KMT_BPF_STEP_TO_BP) {
		base = from->bp;
	} else if (step->flags & KMT_BPF_STEP_TO_WORD) {
		base = kmt_word(base + step->move_at);
	} else if (step->flags & KMT_BPF_STEP_BY_BP) {
		base = kmt_word(from->bp + step->move_at);
		from->bp = kmt_word(from->bp + step->outer_bp_at);
	}
	from->base = base;
	return word ?: kmt_word(base + step->next_at);
}

static __always_inline __u64 kmt_next_word(struct kmt_base *from, const struct kmt_bpf_step *step)
{
	return step->flags ? kmt_change_base(from, step) : kmt_word(from->base + step->next_at);
}

static __always_inline bool kmt_ends_here(const struct kmt_bpf_step *step, __u64 base)
{
	return !(step->flags & KMT_BPF_STEP_REGS) || kmt_comes_from_user(step, base);
}

/* ---- whole stacks ---- */

/* Returns whether @whole is the stack at @here, the address of the program's context. */
static __noinline bool kmt_whole_holds(const struct kmt_bpf_whole *whole, __u64 here)
{
	struct kmt_base from = { .base = here };
	__u32 i;

	if (!whole ||
	    kmt_word(here - KMT_BPF_AT_ZERO + whole->run[0].at[0]) != whole->run[0].addr[0])
		return false;
#pragma unroll
	for (i = 0; i < KMT_BPF_WHOLE_RUNS; i++) {
		const struct kmt_bpf_run *run = &whole->run[i];

		if (!kmt_run_holds(run, from.base))
			return false;
		if (i + 1 == whole->runs)
			return kmt_ends_here(&run->step, from.base);
		if (i + 1 == KMT_BPF_WHOLE_RUNS ||
		    kmt_next_word(&from, &run->step) != run[1].addr[0])
			return false;
	}
	return false;
}

/*
 * Returns the entry of last_found for an event. The system call distinguishes most stacks of a call
 * site.
 */
static __always_inline __u32 *kmt_last_found(__u32 root, __u64 given)
{
	const struct pt_regs *user =
		(const struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	__u64 call = user->orig_ax;
	__u32 at = ((given ^ call << 24 ^ root) * KMT_HASH_FACTOR >> 32) & (KMT_BPF_LAST_FOUND - 1);

	return bpf_map_lookup_elem(&last_found, &at);
}

/* ---- the search ---- */

struct kmt_search {
	struct kmt_base from;
	__u32 node;
	bool found; /* @node ends the stack */
};

/*
 * Returns the child of the node @parent whose first address is @word; 0: there is none. The
 * verifier checks a global function once.
 */
__noinline int kmt_find_child(__u32 parent, __u64 word)
{
	__u64 hash = (word + ((__u64)parent << 32)) * KMT_HASH_FACTOR >> 32;
	const struct kmt_bpf_node *child;
	const __u64 *slot;
	__u32 i, at;

	for (i = 0; i < KMT_BPF_NODE_PROBES; i++) {
		at = (hash + i) & (config.node_slots - 1);
		slot = bpf_map_lookup_elem(&node_slots, &at);
		if (!slot)
			return 0;
		at = *(const volatile __u64 *)slot;
		child = bpf_map_lookup_elem(&nodes, &at);
		if (!at || !child)
			return 0;
		if (child->run.addr[0] == word && child->parent == parent)
			return at;
	}
	return 0;
}

/* The body of a loop: checks a node whose first address matches, and goes to the next one. */
static long kmt_search_step(__u32 i, struct kmt_search *search)
{
	const struct kmt_bpf_node *node = bpf_map_lookup_elem(&nodes, &search->node);
	__u32 flags;

	if (!node || !kmt_run_holds(&node->run, search->from.base))
		return 1;
	flags = node->flags;
	if (flags & KMT_BPF_NODE_ENDS && kmt_ends_here(&node->run.step, search->from.base)) {
		search->found = true;
		return 1;
	}
	if (!(flags & KMT_BPF_NODE_NEXT))
		return 1;
	search->node = kmt_find_child(search->node, kmt_next_word(&search->from, &node->run.step));
	return !search->node;
}

static __always_inline const struct kmt_bpf_node *kmt_tree_find(__u64 here, __u32 root, __u64 given)
{
	struct kmt_search search = { .from.base = here, .node = root };
	const struct kmt_bpf_node *node;

	bpf_loop(KMT_NODES_OF_STACK, kmt_search_step, &search, 0);
	if (!search.found)
		return NULL;
	node = bpf_map_lookup_elem(&nodes, &search.node);
	return node && node->given == given ? node : NULL;
}

/* Returns whether the tree is valid for the modules that are loaded. */
static __always_inline bool kmt_tree_is_valid(void)
{
	return *(volatile __u32 *)&state.taught == *(volatile __u32 *)&state.unloads;
}

static __always_inline __u32 kmt_root(__u32 program, bool in_irq)
{
	return program + (in_irq ? KMT_BPF_PROGRAMS_MAX : 0);
}

/*
 * Recognizes the stack at @here, the address of the program's context. @given: the call site that
 * the tracepoint passed, or 0. Returns 0 if the stack is not known. The verifier checks a global
 * function once, not again for each of its callers.
 */
__noinline int kmt_recognize(__u64 here, __u32 root, __u64 given, struct kmt_origin *origin)
{
	__u32 *last = kmt_last_found(root, given);
	const struct kmt_bpf_whole *whole = last ? bpf_map_lookup_elem(&wholes, last) : NULL;
	const struct kmt_bpf_node *node;

	if (!origin)
		return 0;
	if (whole && whole->given == given && whole->root == root && kmt_whole_holds(whole, here)) {
		*origin = (struct kmt_origin){ whole->call_site, whole->stack_id };
		return 1;
	}
	node = kmt_tree_find(here, root, given);
	if (!node)
		return 0;
	if (last)
		*last = node->whole;
	*origin = (struct kmt_origin){ node->call_site, node->stack_id };
	return 1;
}

#endif /* KMEMTRACE_STACK_TREE_H */
