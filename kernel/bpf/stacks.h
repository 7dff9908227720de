/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of stacks, as kmemtrace_abi.h has it: entries are only added, and each stack has one
 * entry (two if two CPUs meet it first at the same time), found by all its addresses.
 */
#ifndef KMEMTRACE_STACKS_H
#define KMEMTRACE_STACKS_H

#include "ring.h"
#include "shares.h"

#define KMT_STACK_PROBES      16 /* places of the hash table that are looked at */
#define KMT_TRAMPOLINE_FRAMES 2  /* of a function's program: it, and the code that calls it */

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
	__u64 addr[KMT_BPF_FRAMES_MAX];
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
	__u64 given; /* the call site that the tracepoint passed; 0: none */
	__u64 hashing;
	__u32 count; /* of all frames */
	__u32 first, depth, flags, hash;
	__u32 last; /* the last frame that the stack depends on */
	__u32 program;
	__u32 own;    /* frames of tracing itself, as far as counted */
	__u32 end;    /* of the frames of an interrupt */
	__u32 id;     /* of the entry that is compared or written */
	__u32 result; /* the id, once it is found */
	bool in_irq;
	bool is_user; /* of a program */
	bool is_all;  /* it ends with @last by itself */
	bool differs;
};

static __always_inline __u64 kmt_frame(const struct kmt_frames *found, __u32 at)
{
	return at < KMT_BPF_FRAMES_MAX ? found->addr[at] : 0;
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
	if (i < key->count && kmt_is_own(key->program, kmt_frame(key->frames, i)))
		key->own = i + 1;
	return 0;
}

static __always_inline __u64 kmt_hash_next(__u64 hash, __u64 addr)
{
	return (hash ^ addr) * config.stack_factor;
}

static long kmt_hash_frame(__u32 i, struct kmt_stack_key *key)
{
	key->hashing = kmt_hash_next(key->hashing, kmt_frame(key->frames, key->first + i));
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
	__u64 id, *word;

	if (!kmt_pay(key->is_user ? KMT_BPF_OF_USER_STACKS : KMT_BPF_OF_STACKS, 1 + key->depth))
		return KMEMTRACE_STACK_NONE;
	id = __sync_fetch_and_add(&state.stack_words, 1 + key->depth);
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

static __always_inline bool kmt_is_of_function(const struct kmt_stack_key *key)
{
	return config.functions & 1ULL << (key->program & 63);
}

/*
 * Returns how many of the innermost frames are those of tracing itself. The innermost ones of a
 * function's program are the program and its trampoline. The function's own frame follows, but not
 * where the function jumps to the trampoline, as newer kernels have it for programs at its end.
 */
static __always_inline __u32 kmt_own_frames(struct kmt_stack_key *key)
{
	key->own = kmt_is_of_function(key) ? KMT_TRAMPOLINE_FRAMES : 0;
	bpf_loop(KMT_BPF_OWN_FRAMES, kmt_count_own, key, 0);
	return key->own;
}

/* Notes the end of the frames of an interrupt: the code by which it enters the kernel. */
static long kmt_find_irq_entry(__u32 i, struct kmt_stack_key *key)
{
	__u64 addr = kmt_frame(key->frames, i);
	__u32 k;

	for (k = 0; k < KMT_BPF_IRQ_ENTRIES; k++) {
		if (i >= key->own && addr >= config.irq_entry[k].from &&
		    addr < config.irq_entry[k].to) {
			key->end = i + 1;
			return 1;
		}
	}
	return 0;
}

/*
 * The stack begins with the call site that the tracepoint passed; without one, with the caller of
 * the function that has the tracepoint, or of the function that is traced.
 */
static __always_inline __u32 kmt_first_frame(const struct kmt_stack_key *key)
{
	__u32 i;

	if (!key->given)
		return key->own + !kmt_is_of_function(key);
	for (i = 0; i <= KMT_BPF_CALLER_FRAMES; i++) {
		if (key->own + i < key->count && kmt_frame(key->frames, key->own + i) == key->given)
			return key->own + i;
	}
	return key->own;
}

/* The stack also depends on the frames that kmt_own_frames() and kmt_first_frame() look at. */
static __always_inline void kmt_note_looked_at(struct kmt_stack_key *key)
{
	__u32 looked_at = key->own + KMT_BPF_CALLER_FRAMES;

	if (looked_at < KMT_BPF_OWN_FRAMES)
		looked_at = KMT_BPF_OWN_FRAMES;
	if (key->is_all || key->last >= looked_at)
		return;
	key->last = looked_at;
	if (looked_at >= key->count) {
		key->last = key->count - 1;
		key->is_all = key->count < config.stack_limit;
	}
}

/* Finds out which frames are the stack. False: none. */
static __always_inline bool kmt_trim(struct kmt_stack_key *key)
{
	key->own = kmt_own_frames(key);
	if (key->own > KMT_BPF_OWN_FRAMES)
		return false;
	key->first = kmt_first_frame(key);
	key->end = key->count;
	if (key->in_irq)
		bpf_loop(key->count, kmt_find_irq_entry, key, 0);
	if (key->end <= key->first)
		return false;
	key->depth = key->end - key->first;
	key->is_all = key->end == key->count && key->count < config.stack_limit;
	if (key->end == key->count && !key->is_all)
		key->flags = KMEMTRACE_STACK_CUT;
	key->last = key->end - 1;
	if (key->depth > config.stack_depth) {
		key->depth = config.stack_depth;
		key->flags = config.stack_depth ? KMEMTRACE_STACK_CUT : 0;
		key->last = key->first + key->depth;
		key->is_all = false;
	}
	kmt_note_looked_at(key);
	return true;
}

/* Fills in the addresses of the stack. False: there are none. */
static __always_inline bool kmt_unwind(void *ctx, struct kmt_stack_key *key)
{
	/* One address more than wanted tells that there are more. */
	__u32 frames = config.stack_depth + 1 + KMT_BPF_CALLER_FRAMES + KMT_BPF_OWN_FRAMES;
	long bytes;

	if (frames > KMT_BPF_FRAMES_MAX)
		return false;
	bytes = bpf_get_stack(ctx, key->frames, frames * sizeof(__u64), 0);
	if (bytes <= 0)
		return false;
	key->count = (__u32)bytes / sizeof(__u64);
	return kmt_trim(key);
}

/* The addresses have been hashed. */
static __always_inline void kmt_stack_find(struct kmt_bpf_ring *ring, struct kmt_stack_key *key)
{
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

/*
 * Unwinds the stack of the event. False: there is none, which is counted. Its frames are @key's
 * until kmt_unwind_end(), which must follow in any case.
 */
static __always_inline bool kmt_unwind_begin(void *ctx, struct kmt_bpf_ring *ring,
					     struct kmt_stack_key *key, __u32 *place)
{
	*place = kmt_claim_frames(ring);
	key->frames = bpf_map_lookup_elem(&frames, place);
	__sync_fetch_and_add(&ring->stacks, 1);
	if (!key->frames || !kmt_unwind(ctx, key)) {
		kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
		return false;
	}
	if (config.stack_depth) {
		bpf_loop(key->depth, kmt_hash_frame, key, 0);
		kmt_stack_find(ring, key);
	}
	return true;
}

static __always_inline void kmt_unwind_end(struct kmt_bpf_ring *ring, __u32 place)
{
	__sync_fetch_and_and(&ring->frames, ~(1ULL << (place & 63)));
}

#endif /* KMEMTRACE_STACKS_H */
