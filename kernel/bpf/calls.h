/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running calls of alloc_pages_bulk(). They nest: a call may wait for reclaim, which may call the
 * function again, as may interrupts. A call may also be preempted, and end on another CPU. The
 * address of the trampoline's frame is the same at the entry and at the end of a call, and no other
 * running call has it. Nested calls of one caller have lower addresses.
 */
#ifndef KMEMTRACE_CALLS_H
#define KMEMTRACE_CALLS_H

#include "ring.h"

#define KMT_CALL_PROBES 16 /* entries that a search looks at */
#define KMT_NO_PLACE    0xffffffffU

/*
 * Returns the caller: a thread, or the interrupts of one kind on this CPU, which end where they
 * began.
 */
static __always_inline __u64 kmt_call_caller(__u32 context, __u32 cpu)
{
	if (context == KMEMTRACE_CONTEXT_TASK)
		return bpf_get_current_task();
	return (__u64)cpu * KMT_BPF_CONTEXTS + context + 1;
}

/* Returns @ctx as a number. The verifier allows no arithmetic with the pointer. */
static __always_inline __u64 kmt_call_frame(void *ctx)
{
	__u64 frame = 0;

	bpf_probe_read_kernel(&frame, sizeof(frame), &ctx);
	return frame;
}

/* Returns the index of the entry for @caller that is tried after @i others. */
static __always_inline __u32 kmt_call_place(__u64 caller, __u32 i)
{
	return ((__u32)(caller * KMT_HASH_FACTOR >> 32) + i) % KMT_BPF_CALLS;
}

/* Returns the call at index @place; NULL if that is negative. */
static __always_inline struct kmt_bpf_call *kmt_call_at(int place)
{
	return place < 0 ? 0 : &state.calls[(__u32)place % KMT_BPF_CALLS];
}

static __always_inline void kmt_call_release(struct kmt_bpf_call *call)
{
	call->caller = 0;
	__sync_fetch_and_add(&state.running, -1);
	barrier();
	*(volatile __u64 *)&call->frame = 0;
}

/*
 * Returns the index of the call that has @frame; -1: its entry wasn't seen. The verifier checks a
 * global function once, not again for each index that it may return.
 */
__noinline int kmt_call_find(__u64 caller, __u64 frame)
{
	__u32 i;

	for (i = 0; i < KMT_CALL_PROBES; i++) {
		__u32 place = kmt_call_place(caller, i);
		const struct kmt_bpf_call *call = &state.calls[place];

		if (call->frame == frame && call->caller == caller)
			return place;
	}
	return -1;
}

/*
 * Claims an entry for a call, whose array is not known yet, and returns its index; -1: there is
 * none. Entries of the same caller with this frame or a lower one have ended: their ends were
 * missed, and count as lost.
 */
__noinline int kmt_call_claim(__u32 cpu, __u64 caller, __u64 frame)
{
	struct kmt_bpf_ring *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u32 i;

	for (i = 0; ring && i < KMT_CALL_PROBES; i++) {
		__u32 place = kmt_call_place(caller, i);
		struct kmt_bpf_call *call = &state.calls[place];

		if (call->frame && call->caller == caller && call->frame <= frame) {
			kmt_call_release(call);
			kmt_count_lost(ring, KMEMTRACE_LOSS_RECURSION);
		}
		if (call->frame || __sync_val_compare_and_swap(&call->frame, 0, frame))
			continue;
		__sync_fetch_and_add(&state.running, 1);
		call->page = 0;
		call->full = 0;
		call->first = KMT_NO_PLACE;
		__builtin_memset(call->empty, 0, sizeof(call->empty));
		barrier();
		call->caller = caller;
		return place;
	}
	return -1;
}

/* Notes @page in all running calls of @caller. The verifier checks a global function once. */
__noinline int kmt_call_note(__u64 caller, __u64 page)
{
	__u32 i;

	for (i = 0; i < KMT_CALL_PROBES; i++) {
		struct kmt_bpf_call *call = &state.calls[kmt_call_place(caller, i)];

		if (call->frame && call->caller == caller)
			call->page = page;
	}
	return 0;
}

/*
 * Notes that @page has an event of its own. The function allocates a single page in that way, or
 * none, at its end. Pages that its caller allocates during reclaim come earlier.
 */
static __always_inline void kmt_call_note_page(__u32 context, __u32 cpu, __u64 page)
{
	if (*(volatile __u32 *)&state.running)
		kmt_call_note(kmt_call_caller(context, cpu), page);
}

#endif /* KMEMTRACE_CALLS_H */
