// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hash table of buckets, each a cache line of keys. A key lies in one of two buckets next to each
 * other, put into and taken out of a word by a compare-and-exchange, with its bits if it has some.
 * When both are full, the first is marked, and says from then on that it has every key that belongs
 * there: a free too many is written then, never one too few.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/vmalloc.h>

#include "kept.h"

#define KMT_KEPT_ORDER	16			/* buckets: 65,536 of them, 4 MiB */
#define KMT_KEPT_WAYS	8			/* keys in one */

static u64 *kmt_kept;
static unsigned long *kmt_kept_full;		/* a bit for each bucket */

int kmt_kept_init(void)
{
	kmt_kept = vzalloc(sizeof(u64) * KMT_KEPT_WAYS << KMT_KEPT_ORDER);
	kmt_kept_full = vzalloc(BITS_TO_LONGS(1 << KMT_KEPT_ORDER) * sizeof(long));
	if (kmt_kept && kmt_kept_full)
		return 0;
	kmt_kept_exit();
	return -ENOMEM;
}

void kmt_kept_exit(void)
{
	vfree(kmt_kept);
	vfree(kmt_kept_full);
	kmt_kept = NULL;
	kmt_kept_full = NULL;
}

u64 kmt_kept_bytes(void)
{
	return kmt_kept ? sizeof(u64) * KMT_KEPT_WAYS << KMT_KEPT_ORDER : 0;
}

static unsigned int kmt_bucket_of(u64 key)
{
	return hash_64(key, KMT_KEPT_ORDER);
}

/* The two buckets of @first lie side by side, so both are looked through as one. */
static u64 *kmt_kept_word(unsigned int first, unsigned int i)
{
	unsigned int bucket = first ^ (i / KMT_KEPT_WAYS);

	return &kmt_kept[(size_t)bucket * KMT_KEPT_WAYS + i % KMT_KEPT_WAYS];
}

void kmt_kept_add(u64 key)
{
	unsigned int first = kmt_bucket_of(key), i;

	for (i = 0; i < 2 * KMT_KEPT_WAYS; i++) {
		u64 *word = kmt_kept_word(first, i), old = READ_ONCE(*word);

		if (old == key || (!old && !cmpxchg64(word, 0, key)))
			return;
	}
	set_bit(first, kmt_kept_full);
}

bool kmt_kept_has(u64 key, bool forget)
{
	unsigned int first = kmt_bucket_of(key), i;

	for (i = 0; i < 2 * KMT_KEPT_WAYS; i++) {
		u64 *word = kmt_kept_word(first, i);

		if (READ_ONCE(*word) != key)
			continue;
		if (forget)
			cmpxchg64(word, key, 0);
		return true;
	}
	return test_bit(first, kmt_kept_full);
}

/*
 * If *@word is of @key: sets bits and clears others in it, and empties it when none is left.
 * Returns what it was.
 */
static u64 kmt_kept_change(u64 *word, u64 key, u64 set, u64 clear)
{
	u64 old = READ_ONCE(*word);

	while ((old & ~KMT_KEPT_BITS_MASK) == key) {
		u64 bits = (old & ~clear & KMT_KEPT_BITS_MASK) | set;
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

void kmt_kept_add_bits(u64 key, u64 bits)
{
	unsigned int first = kmt_bucket_of(key), i;

	for (i = 0; i < 2 * KMT_KEPT_WAYS; i++) {
		u64 *word = kmt_kept_word(first, i), old = READ_ONCE(*word);

		if (!old)
			old = cmpxchg64(word, 0, key | bits);
		if (!old || (kmt_kept_change(word, key, bits, 0) & ~KMT_KEPT_BITS_MASK) == key)
			return;
	}
	set_bit(first, kmt_kept_full);
}

/* All words: two CPUs that add bits of a key at the same time may give it two. */
bool kmt_kept_take_bits(u64 key, u64 bits)
{
	unsigned int first = kmt_bucket_of(key), i;
	bool kept = test_bit(first, kmt_kept_full);

	for (i = 0; i < 2 * KMT_KEPT_WAYS; i++) {
		u64 old = kmt_kept_change(kmt_kept_word(first, i), key, 0, bits);

		kept |= (old & ~KMT_KEPT_BITS_MASK) == key && (old & bits);
	}
	return kept;
}
