/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of stacks, with the layout of kmemtrace_abi.h. Entries are only added. Each stack has
 * one entry that is found by all its addresses; if two CPUs add it at the same time, one of them is
 * never used.
 */
#ifndef KMEMTRACE_STACKS_H
#define KMEMTRACE_STACKS_H

#include "ring.h"
#include "shares.h"

#define KMT_STACK_PROBES      32 /* slots of the hash table that a search looks at */
#define KMT_TRAMPOLINE_FRAMES 2  /* of a function's program: itself, and the code that calls it */

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

/*
 * The addresses of a stack while it is looked up: one entry for each event that may interrupt
 * another.
 */
struct kmt_frames {
	__u64 addr[KMT_BPF_FRAMES_MAX];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, KMT_BPF_DEPTH);
	__type(key, __u32);
	__type(value, struct kmt_frames);
} frames SEC(".maps");

/* The key of a stack: @depth frames from @first on. It has no pointers. */
struct kmt_stack_key {
	__u64 hashing; /* hash of those addresses so far */
	__u32 first, depth, flags;
	__u32 is_user; /* a user stack */
};

/*
 * A stack while it is looked up. Loops over its addresses are calls of bpf_loop(): the verifier
 * checks the body of each once, for any depth.
 */
struct kmt_stack_lookup {
	const struct kmt_frames *frames;
	struct kmt_stack_key key;
	__u32 hash;
	__u32 id;     /* of the entry that is compared or written */
	__u32 added;  /* the id of a new entry; 0: none */
	__u32 result; /* the id, once it is found */
	bool differs;
};

/* The stack of an event while it is unwound. */
struct kmt_unwound {
	struct kmt_frames *frames;
	struct kmt_stack_key key;
	__u64 given; /* the call site that the tracepoint passed; 0: none */
	__u32 count; /* of all frames */
	__u32 last;  /* the last frame that the stack depends on */
	__u32 program;
	__u32 own; /* frames of tracing itself, counted so far */
	__u32 end; /* end of the frames; in an interrupt, of its own frames */
	__u32 id;  /* of the stack in the table */
	bool in_irq;
	bool is_all; /* the stack really ends at @last */
};

static __always_inline __u64 kmt_frame(const struct kmt_frames *found, __u32 at)
{
	return at < KMT_BPF_FRAMES_MAX ? found->addr[at] : 0;
}

static __always_inline __u64 *kmt_stack_word(__u32 at)
{
	return bpf_map_lookup_elem(&stacks, &at);
}

/* Returns the first word of an entry, as in struct kmemtrace_stack. */
static __always_inline __u64 kmt_stack_head(const struct kmt_stack_lookup *lookup)
{
	return lookup->hash | (__u64)lookup->key.depth << 32 | (__u64)lookup->key.flags << 48;
}

/* ---- the table; the body of a loop returns 1 to end the loop ---- */

static __always_inline __u64 kmt_hash_next(__u64 hash, __u64 addr)
{
	return (hash ^ addr) * config.stack_factor;
}

static long kmt_hash_frame(__u32 i, struct kmt_stack_lookup *lookup)
{
	lookup->key.hashing = kmt_hash_next(lookup->key.hashing,
					    kmt_frame(lookup->frames, lookup->key.first + i));
	return 0;
}

static long kmt_compare_frame(__u32 i, struct kmt_stack_lookup *lookup)
{
	const __u64 *word = kmt_stack_word(lookup->id + 1 + i);

	lookup->differs = !word || *word != kmt_frame(lookup->frames, lookup->key.first + i);
	return lookup->differs;
}

static long kmt_write_frame(__u32 i, struct kmt_stack_lookup *lookup)
{
	__u64 *word = kmt_stack_word(lookup->id + 1 + i);

	if (!word)
		return 1;
	*word = kmt_frame(lookup->frames, lookup->key.first + i);
	return 0;
}

/*
 * Adds an entry. Returns its id; 0: the table or the user's share is full. A short one also uses up
 * a slot, so it is charged for more than its words.
 */
static __always_inline __u32 kmt_stack_add(struct kmt_stack_lookup *lookup)
{
	__u32 words = 1 + lookup->key.depth;
	__u64 id, *word;

	if (!kmt_pay(lookup->key.is_user ? KMT_BPF_OF_USER_STACKS : KMT_BPF_OF_STACKS,
		     words > KMT_BPF_SLOT_WORDS ? words : KMT_BPF_SLOT_WORDS))
		return KMEMTRACE_STACK_NONE;
	id = __sync_fetch_and_add(&state.stack_words, words);
	if (id + words > config.stack_words)
		return KMEMTRACE_STACK_NONE;
	lookup->id = id;
	bpf_loop(lookup->key.depth, kmt_write_frame, lookup, 0);
	word = kmt_stack_word(id);
	if (!word)
		return KMEMTRACE_STACK_NONE;
	__sync_lock_test_and_set(word, kmt_stack_head(lookup));
	return id;
}

/* The body of a loop: looks at one slot of the hash table. */
static long kmt_probe_slot(__u32 i, struct kmt_stack_lookup *lookup)
{
	__u32 at = (lookup->hash + i) & (config.stack_slots - 1);
	__u64 *slot = bpf_map_lookup_elem(&stack_slots, &at);
	const __u64 *word;
	__u64 value;

	if (!slot)
		return 1;
	value = *(volatile __u64 *)slot;
	if (!value) {
		lookup->added = lookup->added ?: kmt_stack_add(lookup);
		if (!lookup->added)
			return 1;
		value = __sync_val_compare_and_swap(slot, 0,
						    (__u64)lookup->hash << 32 | lookup->added);
		lookup->result = value ? 0 : lookup->added; /* another CPU was faster, or not */
		if (!value)
			return 1;
	}
	if (value >> 32 != lookup->hash)
		return 0;
	lookup->id = value;
	word = kmt_stack_word(lookup->id);
	if (!word || *word != kmt_stack_head(lookup))
		return 0;
	lookup->differs = false;
	bpf_loop(lookup->key.depth, kmt_compare_frame, lookup, 0);
	if (lookup->differs)
		return 0;
	lookup->result = lookup->id;
	return 1;
}

/*
 * Returns the id of the stack with @key; 0: there is no room for it. The verifier checks a global
 * function once, not again for each of its callers.
 */
__noinline int kmt_stack_find(const struct kmt_frames *found, const struct kmt_stack_key *key)
{
	struct kmt_stack_lookup lookup = { .frames = found };

	if (!found || !key)
		return 0;
	lookup.key = *key;
	if (!lookup.key.hashing)
		bpf_loop(lookup.key.depth, kmt_hash_frame, &lookup, 0);
	/* No bit of a product depends on higher bits of its factors, so they are mixed in here. */
	lookup.hash = kmt_hash_next(lookup.key.hashing, lookup.key.hashing >> 32) >> 32 ?: 1;
	bpf_loop(KMT_STACK_PROBES, kmt_probe_slot, &lookup, 0);
	return lookup.result ?: lookup.added;
}

/* ---- the stack of an event ---- */

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

static long kmt_count_own(__u32 i, struct kmt_unwound *stack)
{
	if (i < stack->count && kmt_is_own(stack->program, kmt_frame(stack->frames, i)))
		stack->own = i + 1;
	return 0;
}

static __always_inline bool kmt_is_of_function(const struct kmt_unwound *stack)
{
	return config.functions & 1ULL << (stack->program & 63);
}

/*
 * Returns how many of the innermost frames are those of tracing itself. For a function's program,
 * the innermost ones are the program and its trampoline. The function's own frame follows, unless
 * the function jumps to the trampoline, as it does in newer kernels for programs at its end.
 */
static __always_inline __u32 kmt_own_frames(struct kmt_unwound *stack)
{
	stack->own = kmt_is_of_function(stack) ? KMT_TRAMPOLINE_FRAMES : 0;
	bpf_loop(KMT_BPF_OWN_FRAMES, kmt_count_own, stack, 0);
	return stack->own;
}

/*
 * The body of a loop: finds the end of the frames of an interrupt, which is the code by which it
 * enters the kernel.
 */
static long kmt_find_irq_entry(__u32 i, struct kmt_unwound *stack)
{
	__u64 addr = kmt_frame(stack->frames, i);
	__u32 k;

	for (k = 0; k < KMT_BPF_IRQ_ENTRIES; k++) {
		if (i >= stack->own && addr >= config.irq_entry[k].from &&
		    addr < config.irq_entry[k].to) {
			stack->end = i + 1;
			return 1;
		}
	}
	return 0;
}

/*
 * Returns the index of the first of @count frames, from @own on, that is @given; @own: there is
 * none. The verifier checks a global function once, not again for each index that it may return.
 */
__noinline int kmt_given_frame(const struct kmt_frames *found, __u32 own, __u32 count, __u64 given)
{
	__u32 i;

	for (i = 0; found && i <= KMT_BPF_CALLER_FRAMES; i++) {
		if (own + i < count && kmt_frame(found, own + i) == given)
			return own + i;
	}
	return own;
}

/*
 * Returns the index of the first frame of the stack: the call site that the tracepoint passed.
 * Without one, it is the caller of the function that has the tracepoint, or of the traced function.
 */
static __always_inline __u32 kmt_first_frame(const struct kmt_unwound *stack)
{
	if (!stack->given)
		return stack->own + !kmt_is_of_function(stack);
	return kmt_given_frame(stack->frames, stack->own, stack->count, stack->given);
}

/* The stack also depends on the frames that kmt_own_frames() and kmt_first_frame() look at. */
static __always_inline void kmt_note_looked_at(struct kmt_unwound *stack)
{
	__u32 looked_at = stack->own + KMT_BPF_CALLER_FRAMES;

	if (looked_at < KMT_BPF_OWN_FRAMES)
		looked_at = KMT_BPF_OWN_FRAMES;
	if (stack->is_all || stack->last >= looked_at)
		return;
	stack->last = looked_at;
	if (looked_at >= stack->count) {
		stack->last = stack->count - 1;
		stack->is_all = stack->count < config.stack_limit;
	}
}

/* Determines which frames are the stack. False: none. */
static __always_inline bool kmt_trim(struct kmt_unwound *stack)
{
	stack->own = kmt_own_frames(stack);
	if (stack->own > KMT_BPF_OWN_FRAMES)
		return false;
	stack->key.first = kmt_first_frame(stack);
	stack->end = stack->count;
	if (stack->in_irq)
		bpf_loop(stack->count, kmt_find_irq_entry, stack, 0);
	if (stack->end <= stack->key.first)
		return false;
	stack->key.depth = stack->end - stack->key.first;
	stack->is_all = stack->end == stack->count && stack->count < config.stack_limit;
	if (stack->end == stack->count && !stack->is_all)
		stack->key.flags = KMEMTRACE_STACK_CUT;
	stack->last = stack->end - 1;
	if (stack->key.depth > config.stack_depth) {
		stack->key.depth = config.stack_depth;
		stack->key.flags = config.stack_depth ? KMEMTRACE_STACK_CUT : 0;
		stack->last = stack->key.first + stack->key.depth;
		stack->is_all = false;
	}
	kmt_note_looked_at(stack);
	return true;
}

/* Unwinds the addresses of the stack. False: there are none. */
static __always_inline bool kmt_unwind(void *ctx, struct kmt_unwound *stack)
{
	/* One more address than wanted shows whether there are more. */
	__u32 frames = config.stack_depth + 1 + KMT_BPF_CALLER_FRAMES + KMT_BPF_OWN_FRAMES;
	long bytes;

	if (frames > KMT_BPF_FRAMES_MAX)
		return false;
	bytes = bpf_get_stack(ctx, stack->frames, frames * sizeof(__u64), 0);
	if (bytes <= 0)
		return false;
	stack->count = (__u32)bytes / sizeof(__u64);
	return kmt_trim(stack);
}

/*
 * Claims an entry of the map "frames" on this CPU and returns its index; KMT_BPF_DEPTH: all are in
 * use. The verifier checks a global function once, not again for each index that it may return.
 */
__noinline int kmt_claim_frames(__u32 cpu)
{
	struct kmt_bpf_ring *ring = bpf_map_lookup_elem(&rings, &cpu);
	__u32 i;

	for (i = 0; ring && i < KMT_BPF_DEPTH; i++) {
		if (!(__sync_fetch_and_or(&ring->frames, 1ULL << i) & 1ULL << i))
			return i;
	}
	return KMT_BPF_DEPTH;
}

/*
 * Unwinds the stack of the event. False: there is none, which is counted. @stack has its frames
 * until kmt_unwind_end(), which must follow in both cases.
 */
static __always_inline bool kmt_unwind_begin(void *ctx, struct kmt_bpf_ring *ring, __u32 cpu,
					     struct kmt_unwound *stack, __u32 *place)
{
	*place = kmt_claim_frames(cpu);
	stack->frames = bpf_map_lookup_elem(&frames, place);
	__sync_fetch_and_add(&ring->stacks, 1);
	if (!stack->frames || !kmt_unwind(ctx, stack)) {
		kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
		return false;
	}
	if (config.stack_depth) {
		stack->id = kmt_stack_find(stack->frames, &stack->key);
		if (!stack->id)
			kmt_count_lost(ring, KMEMTRACE_LOSS_STACK_FULL);
	}
	return true;
}

static __always_inline void kmt_unwind_end(struct kmt_bpf_ring *ring, __u32 place)
{
	__sync_fetch_and_and(&ring->frames, ~(1ULL << (place & 63)));
}

#endif /* KMEMTRACE_STACKS_H */
