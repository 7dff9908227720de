// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash table of buckets, each a cache line of keys. A key is in one of two adjacent buckets.
 * Words are set and cleared by compare-and-exchange, with the key's bits if it has some. When both
 * buckets are full, the first is marked as having all of its keys from then on: then too many frees
 * are recorded, never too few.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/vmalloc.h>

#include "traced_addrs.h"

#define KMT_TRACED_ADDRS_ORDER 16 /* buckets: 65,536 of them, 4 MiB */
#define KMT_TRACED_ADDRS_WAYS  8  /* keys per bucket */

static u64 *kmt_traced_addrs;
static unsigned long *kmt_traced_addrs_full; /* a bit for each bucket */

int kmt_traced_addrs_init(void)
{
	kmt_traced_addrs = vzalloc(sizeof(u64) * KMT_TRACED_ADDRS_WAYS << KMT_TRACED_ADDRS_ORDER);
	kmt_traced_addrs_full = vzalloc(BITS_TO_LONGS(1 << KMT_TRACED_ADDRS_ORDER) * sizeof(long));
	if (kmt_traced_addrs && kmt_traced_addrs_full)
		return 0;
	kmt_traced_addrs_exit();
	return -ENOMEM;
}

void kmt_traced_addrs_exit(void)
{
	vfree(kmt_traced_addrs);
	vfree(kmt_traced_addrs_full);
	kmt_traced_addrs = NULL;
	kmt_traced_addrs_full = NULL;
}

u64 kmt_traced_addrs_bytes(void)
{
	return kmt_traced_addrs ? sizeof(u64) * KMT_TRACED_ADDRS_WAYS << KMT_TRACED_ADDRS_ORDER : 0;
}

static unsigned int kmt_bucket_of(u64 key)
{
	return hash_64(key, KMT_TRACED_ADDRS_ORDER);
}

/* Returns word @i of the bucket @first and its neighbour, which are searched as one. */
static u64 *kmt_traced_addrs_word(unsigned int first, unsigned int i)
{
	unsigned int bucket = first ^ (i / KMT_TRACED_ADDRS_WAYS);

	return &kmt_traced_addrs[(size_t)bucket * KMT_TRACED_ADDRS_WAYS +
				 i % KMT_TRACED_ADDRS_WAYS];
}

void kmt_traced_addrs_add(u64 key)
{
	unsigned int first = kmt_bucket_of(key), i;

	for (i = 0; i < 2 * KMT_TRACED_ADDRS_WAYS; i++) {
		u64 *word = kmt_traced_addrs_word(first, i), old = READ_ONCE(*word);

		if (old == key || (!old && !cmpxchg64(word, 0, key)))
			return;
	}
	set_bit(first, kmt_traced_addrs_full);
}

bool kmt_traced_addrs_has(u64 key, bool forget)
{
	unsigned int first = kmt_bucket_of(key), i;

	for (i = 0; i < 2 * KMT_TRACED_ADDRS_WAYS; i++) {
		u64 *word = kmt_traced_addrs_word(first, i);

		if (READ_ONCE(*word) != key)
			continue;
		if (forget)
			cmpxchg64(word, key, 0);
		return true;
	}
	return test_bit(first, kmt_traced_addrs_full);
}

/*
 * If *@word has @key, sets and clears bits in it, and frees the word when none is left. Returns the
 * old value.
 */
static u64 kmt_traced_addrs_change(u64 *word, u64 key, u64 set, u64 clear)
{
	u64 old = READ_ONCE(*word);

	while ((old & ~KMT_TRACED_ADDRS_BITS_MASK) == key) {
		u64 bits = (old & ~clear & KMT_TRACED_ADDRS_BITS_MASK) | set;
		u64 now = bits ? key | bits : 0, found;

		if (now == old)
			break;
		found = cmpxchg64(word, old, now);
		if (found == old)
			break;
		old = found;
	}
	return old;
}

void kmt_traced_addrs_add_bits(u64 key, u64 bits)
{
	unsigned int first = kmt_bucket_of(key), i;

	for (i = 0; i < 2 * KMT_TRACED_ADDRS_WAYS; i++) {
		u64 *word = kmt_traced_addrs_word(first, i), old = READ_ONCE(*word);

		if (!old)
			old = cmpxchg64(word, 0, key | bits);
		if (!old || (kmt_traced_addrs_change(word, key, bits, 0) &
			     ~KMT_TRACED_ADDRS_BITS_MASK) == key)
			return;
	}
	set_bit(first, kmt_traced_addrs_full);
}

/* Searches all words: a key whose bits two CPUs add at the same time may have two words. */
bool kmt_traced_addrs_take_bits(u64 key, u64 bits)
{
	unsigned int first = kmt_bucket_of(key), i;
	bool kept = test_bit(first, kmt_traced_addrs_full);

	for (i = 0; i < 2 * KMT_TRACED_ADDRS_WAYS; i++) {
		u64 old = kmt_traced_addrs_change(kmt_traced_addrs_word(first, i), key, 0, bits);

		kept |= (old & ~KMT_TRACED_ADDRS_BITS_MASK) == key && (old & bits);
	}
	return kept;
}
