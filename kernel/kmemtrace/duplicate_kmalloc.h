/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Large kmallocs that some kernels report twice: first from the function that takes the pages,
 * with a call site inside the allocator, then from the function that the caller called. compat.h
 * says which kernels.
 */
#ifndef KMEMTRACE_DUPLICATE_KMALLOC_H
#define KMEMTRACE_DUPLICATE_KMALLOC_H

#include <linux/compiler.h>
#include <linux/slab.h>

#include "compat.h"
#include "walk.h"

#ifdef KMT_KMALLOC_LARGE_HAS_TWO_EVENTS
void kmt_duplicate_kmalloc_init(void); /* finds the functions, once */
bool kmt_kmalloc_is_nested(unsigned long call_site, struct kmt_caller_regs here);

/*
 * True if another event of the same kmalloc() follows, which has the caller's call site. @here:
 * the return address of the tracepoint that passed @call_site.
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
