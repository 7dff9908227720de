/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks the user stack of the current thread by frame pointers. kernel/kmemtrace/user_stack.c does
 * the same, and explains the rules. Only pages in memory are read.
 */
#ifndef KMEMTRACE_USER_STACK_H
#define KMEMTRACE_USER_STACK_H

#include "kernel_types.h"
#include "ring.h"
#include "stacks.h"

#include <bpf/bpf_core_read.h>

#define KMT_PF_KTHREAD 0x00200000
#define KMT_USER_CS    0x33
#define KMT_4_GIB      0x100000000ULL
#define KMT_CALL_BYTES 8 /* before a return address: a call may begin there */

struct kmt_user_walk {
	struct kmt_frames *frames;
	__u64 bp;
	__u64 above; /* the lowest address of the next frame */
	__u64 end;   /* of the process's address space */
	__u64 hashing;
	__u32 count, max;
};

/* Addresses beyond the depth only show that the stack continues. */
static __always_inline void kmt_user_put(struct kmt_user_walk *walk, __u64 addr)
{
	if (walk->count < config.stack_depth)
		walk->hashing = kmt_hash_next(walk->hashing, addr);
	if (walk->count < KMT_BPF_FRAMES_MAX)
		walk->frames->addr[walk->count] = addr;
	walk->count++;
}

/* Returns whether the instruction before @ip may be a call, direct or indirect. */
static __always_inline bool kmt_user_is_behind_call(__u64 ip, __u64 end)
{
	__u8 code[KMT_CALL_BYTES];
	__u32 i;

	if (ip < sizeof(code) || ip >= end ||
	    bpf_probe_read_user(code, sizeof(code), (const void *)(ip - sizeof(code))))
		return false;
	if (code[sizeof(code) - 5] == 0xe8)
		return true;
	for (i = 1; i < sizeof(code) - 1; i++) {
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

/* Returns the possible return address of a function without a frame, or 0. */
static __always_inline __u64 kmt_user_top(__u64 sp, __u64 end)
{
	__u64 top = 0;

	if (bpf_probe_read_user(&top, sizeof(top), (const void *)sp))
		return 0;
	return kmt_user_is_behind_call(top, end) ? top : 0;
}

/* The body of a loop: goes to the next frame, which must be above the previous one. */
static long kmt_user_step(__u32 i, struct kmt_user_walk *walk)
{
	__u64 frame[2] = { 0 }; /* bp, ip */

	if (walk->count >= walk->max || walk->bp < walk->above || walk->bp & (sizeof(__u64) - 1) ||
	    bpf_probe_read_user(frame, sizeof(frame), (const void *)walk->bp) || !frame[1] ||
	    frame[1] >= walk->end)
		return 1;
	kmt_user_put(walk, frame[1]);
	walk->above = walk->bp + sizeof(frame);
	walk->bp = frame[0];
	return 0;
}

/*
 * Begins a walk at the thread's user registers. False: the stack can't be walked. 32-bit programs,
 * and those of x32, have no addresses above 4 GiB. The fields of a task without memory read as
 * zeros.
 */
static __always_inline bool kmt_user_begin(struct kmt_user_walk *walk)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	__u64 ip = regs->ip, sp = regs->sp;

	if (!task->mm->start_code || task->flags & KMT_PF_KTHREAD ||
	    (__u16)regs->cs != KMT_USER_CS || !ip)
		return false;
	walk->end = task->mm->task_size;
	if (walk->end <= KMT_4_GIB)
		return false;
	walk->bp = regs->bp;
	walk->above = sp;
	kmt_user_put(walk, ip);
	kmt_user_put(walk, kmt_user_top(sp, walk->end));
	return true;
}

/* Trims the stack to the configured depth. An empty second address does not count. */
static __always_inline void kmt_user_trim(const struct kmt_user_walk *walk,
					  struct kmt_stack_key *key)
{
	__u32 depth = config.stack_depth;
	bool more = walk->count > depth;

	if (depth == 1 && walk->count == 2)
		more = kmt_frame(walk->frames, 1);
	key->depth = more || walk->count > depth ? depth : walk->count;
	key->flags = more ? KMEMTRACE_STACK_CUT : 0;
}

/*
 * Walks the stack into @found and sets its @key. False: there is none. Not inlined, so that its
 * memory is free again before the stack is looked up: there is little.
 */
static __noinline bool kmt_user_find(struct kmt_frames *found, struct kmt_stack_key *key)
{
	struct kmt_user_walk walk = {
		.frames = found,
		.max = config.stack_depth > 1 ? config.stack_depth + 1 : 3,
	};

	if (!kmt_user_begin(&walk))
		return false;
	bpf_loop(walk.max, kmt_user_step, &walk, 0);
	key->hashing = walk.hashing;
	kmt_user_trim(&walk, key);
	return true;
}

/*
 * Returns the id of the current thread's user stack, or KMEMTRACE_STACK_NONE. The verifier checks a
 * global function once, not again for each of its callers.
 */
__noinline int kmt_user_stack(__u32 cpu)
{
	struct kmt_bpf_ring *ring = bpf_map_lookup_elem(&rings, &cpu);
	struct kmt_stack_key key = { 0 };
	struct kmt_frames *found;
	__u32 place, id = 0;

	if (!ring || !config.user_stacks || !config.stack_depth)
		return KMEMTRACE_STACK_NONE;
	key.is_user = true; /* not above: .rodata is for the configuration only */
	place = kmt_claim_frames(cpu);
	found = bpf_map_lookup_elem(&frames, &place);
	if (!found || kmt_user_find(found, &key)) {
		id = found ? kmt_stack_find(found, &key) : 0;
		if (!id)
			kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
	}
	kmt_unwind_end(ring, place);
	return id;
}

#endif /* KMEMTRACE_USER_STACK_H */
