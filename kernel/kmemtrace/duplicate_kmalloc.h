/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large kmallocs that some kernels, see compat.h, report twice: first in the function that
 * allocates the pages, with a call site in the allocator, then in the function that the caller
 * called.
 */
#ifndef KMEMTRACE_DUPLICATE_KMALLOC_H
#define KMEMTRACE_DUPLICATE_KMALLOC_H

#include <linux/compiler.h>
#include <linux/slab.h>

#include "compat.h"
#include "walk.h"

#ifdef KMT_KMALLOC_LARGE_HAS_TWO_EVENTS
void kmt_duplicate_kmalloc_init(void); /* finds the functions; once */
bool kmt_kmalloc_is_nested(unsigned long call_site, struct kmt_caller_regs here);

/*
 * Returns whether another event of the same kmalloc() follows, with the caller's call site. @here
 * is where the probe was called, and @call_site what the tracepoint passed. From any context.
 */
static __always_inline bool kmt_kmalloc_is_duplicate(size_t bytes_req, unsigned long call_site,
						     const struct kmt_caller_regs *here)
{
	return unlikely(bytes_req > KMALLOC_MAX_CACHE_SIZE) &&
	       kmt_kmalloc_is_nested(call_site, *here);
}
#else
static inline void kmt_duplicate_kmalloc_init(void)
{
}

static __always_inline bool kmt_kmalloc_is_duplicate(size_t bytes_req, unsigned long call_site,
						     const struct kmt_caller_regs *here)
{
	return false;
}
#endif

#endif /* KMEMTRACE_DUPLICATE_KMALLOC_H */
