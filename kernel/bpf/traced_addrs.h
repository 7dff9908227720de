/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The addresses of recorded allocations, kept as in the module: in a hash table of buckets, each of
 * which is a cache line of keys. A key is in one of two adjacent buckets. Words are set and cleared
 * by compare-and-exchange, together with the key's bits if it has any. When both buckets are full,
 * the first one is marked: from then on, all of its keys count as present. That records too many
 * frees, but never too few.
 *
 * These functions are global: the verifier checks each once, not at each call. If no filter keeps
 * addresses, the loader creates no tables, and the verifier removes this code.
 */
#ifndef KMEMTRACE_TRACED_ADDRS_H
#define KMEMTRACE_TRACED_ADDRS_H

#include "ring.h"

#define KMT_TRACED_WAYS  8U /* keys per bucket */
#define KMT_CHANGE_TRIES 4  /* of a word that other CPUs change at the same time */

/* Bits of a word that are stored but are not part of the key: those of the pages of a chunk. */
#define KMT_TRACED_BITS 0xffffULL

/* The kernel's GOLDEN_RATIO_64, so that the module and the programs sample the same addresses. */
#define KMT_GOLDEN_RATIO 0x61c8864680b583ebULL

struct kmt_traced_bucket {
	__u64 keys[KMT_TRACED_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1U << KMT_BPF_TRACED_ORDER);
	__type(key, __u32);
	__type(value, struct kmt_traced_bucket);
} traced_addrs SEC(".maps");

/* A bit for each bucket. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, (1U << KMT_BPF_TRACED_ORDER) / 64);
	__type(key, __u32);
	__type(value, __u64);
} traced_full SEC(".maps");

/* As the kernel's hash_64(). */
static __always_inline __u64 kmt_hash_64(__u64 value, __u32 bits)
{
	return value * KMT_GOLDEN_RATIO >> (64 - bits);
}

static __always_inline struct kmt_traced_bucket *kmt_traced_bucket(__u32 first, __u32 neighbour)
{
	__u32 at = first ^ neighbour;

	return bpf_map_lookup_elem(&traced_addrs, &at);
}

static __always_inline bool kmt_traced_is_full(__u32 first)
{
	__u32 at = first / 64;
	const __u64 *word = bpf_map_lookup_elem(&traced_full, &at);

	return word && (*(const volatile __u64 *)word >> (first % 64) & 1);
}

static __always_inline void kmt_traced_set_full(__u32 first)
{
	__u32 at = first / 64;
	__u64 *word = bpf_map_lookup_elem(&traced_full, &at);

	if (word)
		__sync_fetch_and_or(word, 1ULL << (first % 64));
}

/* Returns whether the bucket has @key now. */
static __always_inline bool kmt_traced_add_to(struct kmt_traced_bucket *bucket, __u64 key)
{
	__u32 i;

	for (i = 0; i < KMT_TRACED_WAYS; i++) {
		__u64 old = *(volatile __u64 *)&bucket->keys[i];

		if (old == key || (!old && !__sync_val_compare_and_swap(&bucket->keys[i], 0, key)))
			return true;
	}
	return false;
}

__attribute__((noinline)) int kmt_traced_add(__u64 key)
{
	__u32 first = kmt_hash_64(key, KMT_BPF_TRACED_ORDER), k;

	for (k = 0; config.keeps && k < 2; k++) {
		struct kmt_traced_bucket *bucket = kmt_traced_bucket(first, k);

		if (!bucket || kmt_traced_add_to(bucket, key))
			return 0;
	}
	if (config.keeps)
		kmt_traced_set_full(first);
	return 0;
}

static __always_inline bool kmt_traced_is_in(struct kmt_traced_bucket *bucket, __u64 key,
					     __u32 forget)
{
	__u32 i;

	for (i = 0; i < KMT_TRACED_WAYS; i++) {
		if (*(volatile __u64 *)&bucket->keys[i] != key)
			continue;
		if (forget)
			__sync_val_compare_and_swap(&bucket->keys[i], key, 0);
		return true;
	}
	return false;
}

__attribute__((noinline)) int kmt_traced_has(__u64 key, __u32 forget)
{
	__u32 first = kmt_hash_64(key, KMT_BPF_TRACED_ORDER), k;

	for (k = 0; config.keeps && k < 2; k++) {
		struct kmt_traced_bucket *bucket = kmt_traced_bucket(first, k);

		if (!bucket || kmt_traced_is_in(bucket, key, forget))
			return 1;
	}
	return config.keeps && kmt_traced_is_full(first);
}

/* ---- keys with bits ---- */

/*
 * If *@word has @key, sets and clears bits in it, and frees the word when no bits are left. Returns
 * the old value. *@done becomes false if other CPUs kept changing the word.
 */
static __always_inline __u64 kmt_traced_change(__u64 *word, __u64 key, __u64 set, __u64 clear,
					       bool *done)
{
	__u64 old = *(volatile __u64 *)word, now, bits;
	int i;

	*done = true;
	for (i = 0; i < KMT_CHANGE_TRIES; i++) {
		if ((old & ~KMT_TRACED_BITS) != key)
			return old;
		bits = (old & ~clear & KMT_TRACED_BITS) | set;
		now = bits ? key | bits : 0;
		if (now == old)
			return old;
		bits = __sync_val_compare_and_swap(word, old, now);
		if (bits == old)
			return old;
		old = bits;
	}
	*done = false;
	return old;
}

/* Returns whether the bucket has the bits now. */
static __always_inline bool kmt_traced_add_bits_to(struct kmt_traced_bucket *bucket, __u64 key,
						   __u64 bits)
{
	__u32 i;

	for (i = 0; i < KMT_TRACED_WAYS; i++) {
		__u64 *word = &bucket->keys[i], old = *(volatile __u64 *)word;
		bool done;

		if (!old)
			old = __sync_val_compare_and_swap(word, 0, key | bits);
		if (!old)
			return true;
		old = kmt_traced_change(word, key, bits, 0, &done);
		if (done && (old & ~KMT_TRACED_BITS) == key)
			return true;
	}
	return false;
}

__attribute__((noinline)) int kmt_traced_add_bits(__u64 key, __u64 bits)
{
	__u32 first = kmt_hash_64(key, KMT_BPF_TRACED_ORDER), k;

	for (k = 0; config.keeps && k < 2; k++) {
		struct kmt_traced_bucket *bucket = kmt_traced_bucket(first, k);

		if (!bucket || kmt_traced_add_bits_to(bucket, key, bits))
			return 0;
	}
	if (config.keeps)
		kmt_traced_set_full(first);
	return 0;
}

static __always_inline bool kmt_traced_take_bits_of(struct kmt_traced_bucket *bucket, __u64 key,
						    __u64 bits)
{
	bool kept = false;
	__u32 i;

	for (i = 0; i < KMT_TRACED_WAYS; i++) {
		bool done;
		__u64 old = kmt_traced_change(&bucket->keys[i], key, 0, bits, &done);

		if (!done || ((old & ~KMT_TRACED_BITS) == key && (old & bits)))
			kept = true;
	}
	return kept;
}

/* Searches all words: a key may have two words if two CPUs added its bits at the same time. */
__attribute__((noinline)) int kmt_traced_take_bits(__u64 key, __u64 bits)
{
	__u32 first = kmt_hash_64(key, KMT_BPF_TRACED_ORDER), k;
	bool kept = config.keeps && kmt_traced_is_full(first);

	for (k = 0; config.keeps && k < 2; k++) {
		struct kmt_traced_bucket *bucket = kmt_traced_bucket(first, k);

		if (bucket && kmt_traced_take_bits_of(bucket, key, bits))
			kept = true;
	}
	return kept;
}

#endif /* KMEMTRACE_TRACED_ADDRS_H */
