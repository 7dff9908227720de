// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of frames. An entry is written, then published in a slot by a compare-and-exchange, and
 * then constant except for its caller and flags, so lookups take no lock. Entries are never
 * removed; those of an unloaded module get a key that is never looked up.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/vmalloc.h>

#include "frames.h"

#define KMT_FRAME_PROBES 16  /* slots searched before an address counts as unknown */
#define KMT_FRAME_GONE   1UL /* not the key of any code */

/* Set up and torn down while no probe runs. */
static struct {
	struct kmt_frame *frames;
	unsigned int count;
	atomic_t used;            /* frames allocated; may exceed count slightly */
	struct kmt_frame **slots; /* twice as many, by the hash of the key */
	unsigned int bits;        /* log2 of the number of slots */
} kmt_frames;

int kmt_frames_init(unsigned int count)
{
	kmt_frames.bits = ilog2(count) + 1;
	kmt_frames.frames = vzalloc(array_size(count, sizeof(*kmt_frames.frames)));
	kmt_frames.slots = vzalloc(array_size(2 * count, sizeof(*kmt_frames.slots)));
	if (!kmt_frames.frames || !kmt_frames.slots) {
		kmt_frames_exit();
		return -ENOMEM;
	}
	kmt_frames.count = count;
	atomic_set(&kmt_frames.used, 0);
	return 0;
}

void kmt_frames_exit(void)
{
	vfree(kmt_frames.frames);
	vfree(kmt_frames.slots);
	kmt_frames.frames = NULL;
	kmt_frames.slots = NULL;
}

u64 kmt_frames_bytes(void)
{
	if (!kmt_frames.frames)
		return 0;
	return kmt_frames.count * (sizeof(*kmt_frames.frames) + 2ULL * sizeof(*kmt_frames.slots));
}

u64 kmt_frames_known(void)
{
	if (!kmt_frames.frames)
		return 0;
	return min_t(unsigned int, atomic_read(&kmt_frames.used), kmt_frames.count);
}

static struct kmt_frame **kmt_frame_slot(unsigned long key, unsigned int i)
{
	unsigned int mask = (1U << kmt_frames.bits) - 1;

	return &kmt_frames.slots[(hash_64(key, kmt_frames.bits) + i) & mask];
}

struct kmt_frame *kmt_frame_find(unsigned long key)
{
	unsigned int i;

	for (i = 0; i < KMT_FRAME_PROBES; i++) {
		struct kmt_frame *frame = smp_load_acquire(kmt_frame_slot(key, i));

		if (!frame)
			break;
		if (READ_ONCE(frame->key) == key)
			return frame;
	}
	return NULL;
}

static struct kmt_frame *kmt_frame_new(const struct kmt_frame *template)
{
	unsigned int index;

	if (atomic_read(&kmt_frames.used) >= kmt_frames.count)
		return NULL;
	index = atomic_inc_return(&kmt_frames.used) - 1;
	if (index >= kmt_frames.count)
		return NULL;
	kmt_frames.frames[index] = *template;
	return &kmt_frames.frames[index];
}

void kmt_frame_add(const struct kmt_frame *template)
{
	struct kmt_frame *frame = kmt_frame_new(template), *old;
	unsigned int i;

	for (i = 0; frame && i < KMT_FRAME_PROBES; i++) {
		old = cmpxchg(kmt_frame_slot(template->key, i), NULL, frame);
		if (!old || READ_ONCE(old->key) == template->key)
			break;
	}
}

void kmt_frames_forget(unsigned long start, unsigned long size)
{
	u64 known = kmt_frames_known();
	u64 i;

	for (i = 0; i < known; i++) {
		struct kmt_frame *frame = &kmt_frames.frames[i];

		if (frame->key && kmt_frame_ip(frame) - start < size)
			WRITE_ONCE(frame->key, KMT_FRAME_GONE);
	}
}
