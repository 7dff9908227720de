// SPDX-License-Identifier: GPL-2.0-only
/*
 * Common code of walks by ORC (walk_orc.c) and by frame records (walk_records.c): where they end.
 */
#include <linux/minmax.h>

#include "allocator_functions.h"
#include "arch.h"
#include "frames.h"
#include "walk.h"
#include "walk_step.h"

u64 kmt_walk_frames(void)
{
	return kmt_frames_known();
}

void kmt_walk_forget(unsigned long start, unsigned long size)
{
	kmt_frames_forget(start, size);
}

bool kmt_walk_is_caller(unsigned long addr)
{
	const struct kmt_frame *frame = kmt_frame_find(kmt_frame_key(addr, false));

	return frame && !(frame->flags & KMT_FRAME_ALLOCATOR);
}

unsigned int kmt_walk_cut(const unsigned long *addrs, unsigned int count, unsigned int want)
{
	unsigned int i;

	if (want != KMT_WALK_TO_CALLER && want != KMT_WALK_PAST_ALLOCATOR)
		return min(count, want);
	for (i = 1; i < count; i++) {
		unsigned long key = kmt_frame_key(addrs[i - 1], false);

		if (kmt_walk_is_done(addrs, i, want, kmt_frame_find(key)))
			break;
	}
	return min(i, count);
}

unsigned int kmt_walk_behind(const struct kmt_walk *walk, unsigned long trampoline)
{
	unsigned int i, count = min(walk->count, KMT_ALLOCATOR_FRAMES + 1U);

	for (i = 0; i < count; i++) {
		if (walk->slot[i] && kmt_code_addr(kmt_word(walk->slot[i])) == trampoline &&
		    !(i && kmt_passes_caller(walk->addr[i - 1])))
			return i;
	}
	return walk->count;
}
