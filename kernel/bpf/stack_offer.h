/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Passes the stacks that had to be unwound to the loader, which adds them to the tree.
 */
#ifndef KMEMTRACE_STACK_OFFER_H
#define KMEMTRACE_STACK_OFFER_H

#include "ring.h"
#include "stacks.h"

/* Stacks for the loader, hashed by id, call site and root. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KMT_BPF_MISSES);
	__type(key, __u32);
	__type(value, struct kmt_bpf_miss);
} misses SEC(".maps");

/* Global, so that the verifier checks it once, not in each program. */
__noinline int kmt_offering_uid(void)
{
	return (int)kmt_share_uid();
}

/* Offers an unwound stack to the loader, if its entry is free. */
static __always_inline void kmt_offer(__u64 here, const struct kmt_unwound *stack, __u32 root,
				      __u64 call_site)
{
	__u32 at = (stack->id ^ (__u32)call_site ^ root) & (KMT_BPF_MISSES - 1);
	struct kmt_bpf_miss *miss = bpf_map_lookup_elem(&misses, &at);

	if (!miss || *(volatile __u32 *)&miss->state != KMT_BPF_MISS_FREE ||
	    __sync_val_compare_and_swap(&miss->state, KMT_BPF_MISS_FREE, KMT_BPF_MISS_WRITING) !=
		    KMT_BPF_MISS_FREE)
		return;
	miss->unloads = state.unloads;
	miss->uid = kmt_offering_uid();
	miss->root = root;
	miss->stack_id = stack->id;
	miss->last = stack->last;
	miss->is_all = stack->is_all;
	miss->given = stack->given;
	miss->call_site = call_site;
	bpf_probe_read_kernel(miss->window, sizeof(miss->window), (const void *)here);
	bpf_probe_read_kernel(miss->addr, sizeof(miss->addr), stack->frames);
	barrier();
	*(volatile __u32 *)&miss->state = KMT_BPF_MISS_READY;
	__sync_fetch_and_add(&state.misses, 1);
}

#endif /* KMEMTRACE_STACK_OFFER_H */
