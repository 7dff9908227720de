/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps of a walk, for walk_orc.c and walk_records.c. */
#ifndef KMEMTRACE_WALK_STEP_H
#define KMEMTRACE_WALK_STEP_H

#include <linux/compiler.h>

#include "allocator_functions.h"
#include "frames.h"
#include "walk.h"

static inline struct kmt_bounds kmt_thread_bounds(void)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	return (struct kmt_bounds){ low, low + THREAD_SIZE };
}

static inline bool kmt_within(const struct kmt_bounds *bounds, unsigned long at,
			      unsigned long bytes)
{
	return at >= bounds->low && at < bounds->high && bounds->high - at >= bytes;
}

static inline unsigned long kmt_word(unsigned long at)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)at);
}

/* Returns whether @addr is in the page allocator. @frame: that of @addr, or NULL. */
static inline bool kmt_frame_is_allocator(const struct kmt_frame *frame, unsigned long addr)
{
	return frame ? frame->flags & KMT_FRAME_ALLOCATOR : kmt_is_allocator(addr);
}

/* Returns whether @addrs are all that is wanted. @frame: that of the last one, or NULL. */
static inline bool kmt_walk_is_done(const unsigned long *addrs, unsigned int count,
				    unsigned int want, const struct kmt_frame *frame)
{
	unsigned int before = 0; /* leading addresses that are not the caller */

	if (want == KMT_WALK_TO_CALLER)
		before = count == 2 ? 1 + kmt_is_iterator(addrs[0]) : 1;
	else if (want != KMT_WALK_PAST_ALLOCATOR)
		return count == want;
	return count == KMT_WALK_MAX ||
	       (count > before && !kmt_frame_is_allocator(frame, addrs[count - 1]));
}

#endif /* KMEMTRACE_WALK_STEP_H */
