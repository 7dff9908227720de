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

#ifdef KMT_LARGE_IS_TOLD_TWICE
void kmt_large_init(void); /* finds the functions, once */
bool kmt_large_is_inside(unsigned long call_site, struct kmt_here here);

/*
 * True if another event of the same kmalloc() follows, which has the caller's call site. @here:
 * the return address of the tracepoint that passed @call_site.
 */
static __always_inline bool kmt_large_comes_again(size_t bytes_req, unsigned long call_site,
						  const struct kmt_here *here)
{
	return unlikely(bytes_req > KMALLOC_MAX_CACHE_SIZE) &&
	       kmt_large_is_inside(call_site, *here);
}
#else
static inline void kmt_large_init(void)
{
}

static __always_inline bool kmt_large_comes_again(size_t bytes_req, unsigned long call_site,
						  const struct kmt_here *here)
{
	return false;
}
#endif

#endif /* KMEMTRACE_DUPLICATE_KMALLOC_H */
