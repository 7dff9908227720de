/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of stacks, as kmemtrace_abi.h has it: entries are only added, and each stack has one
 * entry (two if two CPUs meet it first at the same time), found by all its addresses.
 */
#ifndef KMEMTRACE_STACKS_H
#define KMEMTRACE_STACKS_H

#include "ring.h"

#define KMT_STACK_PROBES 16 /* places of the hash table that are looked at */
#define KMT_FRAMES_MAX   (KMEMTRACE_STACK_DEPTH_MAX + 1 + KMT_BPF_OWN_FRAMES)

/* Words of eight bytes; the first two are struct kmemtrace_stack_table. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} stacks SEC(".maps");

/* Hash << 32 | id of its stack; 0: free. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} stack_slots SEC(".maps");

/* A stack while it is looked up: one for each event that can interrupt another. */
struct kmt_frames {
	__u64 addr[KMT_FRAMES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KMT_BPF_DEPTH);
	__type(key, __u32);
	__type(value, struct kmt_frames);
} frames SEC(".maps");

/*
 * A stack to look up: @depth of @frames, from @first on. Loops over its addresses are calls of
 * bpf_loop(), each of which the verifier looks at once, whatever the depth is.
 */
struct kmt_stack_key {
	struct kmt_frames *frames;
	__u64 hashing;
	__u32 first, depth, flags, hash;
	__u32 program;
	__u32 own;    /* frames of tracing itself, as far as counted */
	__u32 id;     /* of the entry that is compared or written */
	__u32 result; /* the id, once it is found */
	bool differs;
};

static __always_inline __u64 kmt_frame(const struct kmt_frames *found, __u32 at)
{
	return at < KMT_FRAMES_MAX ? found->addr[at] : 0;
}

static __always_inline __u64 *kmt_stack_word(__u32 at)
{
	return bpf_map_lookup_elem(&stacks, &at);
}

/* The first word of an entry, as struct kmemtrace_stack has it. */
static __always_inline __u64 kmt_stack_head(const struct kmt_stack_key *key)
{
	return key->hash | (__u64)key->depth << 32 | (__u64)key->flags << 48;
}

/* ---- bodies of loops: 1 ends the loop ---- */

static __always_inline bool kmt_is_own(__u32 program, __u64 addr)
{
	const volatile struct kmt_bpf_range *own = config.own[program % KMT_BPF_PROGRAMS_MAX];
	__u32 k;

	for (k = 0; k < KMT_BPF_OWN_FUNCTIONS; k++) {
		if (addr >= own[k].from && addr < own[k].to)
			return true;
	}
	return false;
}

static long kmt_count_own(__u32 i, struct kmt_stack_key *key)
{
	if (kmt_is_own(key->program, kmt_frame(key->frames, i)))
		key->own = i + 1;
	return 0;
}

static long kmt_hash_frame(__u32 i, struct kmt_stack_key *key)
{
	key->hashing = (key->hashing ^ kmt_frame(key->frames, key->first + i)) * KMT_HASH_FACTOR;
	return 0;
}

static long kmt_compare_frame(__u32 i, struct kmt_stack_key *key)
{
	const __u64 *word = kmt_stack_word(key->id + 1 + i);

	key->differs = !word || *word != kmt_frame(key->frames, key->first + i);
	return key->differs;
}

static long kmt_write_frame(__u32 i, struct kmt_stack_key *key)
{
	__u64 *word = kmt_stack_word(key->id + 1 + i);

	if (!word)
		return 1;
	*word = kmt_frame(key->frames, key->first + i);
	return 0;
}

/* Adds an entry. Returns its id, 0 if the table is full. */
static __always_inline __u32 kmt_stack_add(struct kmt_stack_key *key)
{
	__u64 id = __sync_fetch_and_add(&state.stack_words, 1 + key->depth);
	__u64 *word;

	if (id + 1 + key->depth > config.stack_words)
		return KMEMTRACE_STACK_NONE;
	key->id = id;
	bpf_loop(key->depth, kmt_write_frame, key, 0);
	word = kmt_stack_word(id);
	if (!word)
		return KMEMTRACE_STACK_NONE;
	__sync_lock_test_and_set(word, kmt_stack_head(key));
	return id;
}

/* Looks at one place of the hash table. */
static long kmt_probe_slot(__u32 i, struct kmt_stack_key *key)
{
	__u32 at = (key->hash + i) & (config.stack_slots - 1);
	__u64 *slot = bpf_map_lookup_elem(&stack_slots, &at);
	const __u64 *word;
	__u64 value;

	if (!slot)
		return 1;
	value = *(volatile __u64 *)slot;
	if (!value) {
		key->result = kmt_stack_add(key);
		if (key->result) /* if another CPU was faster, this entry is of one event alone */
			__sync_val_compare_and_swap(slot, 0, (__u64)key->hash << 32 | key->result);
		return 1;
	}
	if (value >> 32 != key->hash)
		return 0;
	key->id = value;
	word = kmt_stack_word(key->id);
	if (!word || *word != kmt_stack_head(key))
		return 0;
	key->differs = false;
	bpf_loop(key->depth, kmt_compare_frame, key, 0);
	if (key->differs)
		return 0;
	key->result = key->id;
	return 1;
}

/* ---- the stack of an event ---- */

/*
 * Returns how many of the innermost frames are those of tracing itself. It is mostly as many as the
 * last time; but a tracepoint calls several programs in another way than a single one.
 */
static __always_inline __u32 kmt_own_frames(struct kmt_stack_key *key)
{
	__u32 *known = &state.own_frames[key->program % KMT_BPF_PROGRAMS_MAX];
	__u32 own = *known;

	if (own && kmt_is_own(key->program, kmt_frame(key->frames, own - 1)) &&
	    !kmt_is_own(key->program, kmt_frame(key->frames, own)))
		return own;
	key->own = 0;
	bpf_loop(KMT_BPF_OWN_FRAMES, kmt_count_own, key, 0);
	*known = key->own;
	return key->own;
}

/* Fills in the addresses of the stack. FALSE: there are none. */
static __always_inline bool kmt_unwind(void *ctx, struct kmt_stack_key *key)
{
	__u32 room = (config.stack_depth + 1 + KMT_BPF_OWN_FRAMES) * sizeof(__u64);
	__u32 count;
	long bytes;

	/* One address more than wanted tells that there are more. */
	if (room > sizeof(*key->frames))
		return false;
	bytes = bpf_get_stack(ctx, key->frames, room, 0);
	if (bytes <= 0)
		return false;
	key->first = kmt_own_frames(key);
	count = (__u32)bytes / sizeof(__u64);
	if (key->first > KMT_BPF_OWN_FRAMES || count <= key->first)
		return false;
	key->depth = count - key->first;
	if (count >= config.stack_limit)
		key->flags = KMEMTRACE_STACK_CUT;
	if (key->depth > config.stack_depth) {
		key->depth = config.stack_depth;
		key->flags = KMEMTRACE_STACK_CUT;
	}
	return true;
}

static __always_inline void kmt_stack_find(struct kmt_bpf_ring *ring, struct kmt_stack_key *key)
{
	bpf_loop(key->depth, kmt_hash_frame, key, 0);
	key->hash = (key->hashing >> 32) | 1;
	bpf_loop(KMT_STACK_PROBES, kmt_probe_slot, key, 0);
	if (!key->result)
		kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
}

/* Claims a place of frames, which its number names. KMT_BPF_DEPTH: all are in use. */
static __always_inline __u32 kmt_claim_frames(struct kmt_bpf_ring *ring)
{
	__u32 i;

	for (i = 0; i < KMT_BPF_DEPTH; i++) {
		if (!(__sync_fetch_and_or(&ring->frames, 1ULL << i) & 1ULL << i))
			break;
	}
	return i;
}

/* Unwinds the stack of the event. Returns its id; *@caller is its innermost address, or 0. */
static __always_inline __u32 kmt_stack(void *ctx, struct kmt_bpf_ring *ring, __u32 program,
				       __u64 *caller)
{
	struct kmt_stack_key key = { .program = program };
	__u32 place = kmt_claim_frames(ring);

	key.frames = bpf_map_lookup_elem(&frames, &place);
	if (!key.frames) {
		kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
		return KMEMTRACE_STACK_NONE;
	}
	if (!kmt_unwind(ctx, &key)) {
		kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
	} else {
		*caller = kmt_frame(key.frames, key.first);
		if (key.depth)
			kmt_stack_find(ring, &key);
	}
	__sync_fetch_and_add(&ring->stacks, 1);
	__sync_fetch_and_and(&ring->frames, ~(1ULL << place));
	return key.result;
}

#endif /* KMEMTRACE_STACKS_H */
