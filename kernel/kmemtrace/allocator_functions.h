/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions between a probe and the caller of an event: the iterators of tracepoints, which are
 * __traceiter_*(), and functions of the page allocator.
 */
#ifndef KMEMTRACE_ALLOCATOR_FUNCTIONS_H
#define KMEMTRACE_ALLOCATOR_FUNCTIONS_H

#include <linux/types.h>

/* Adds a tracepoint's iterator to those that are left out of stacks. Only at init. */
void kmt_hide_iterator(const void *iterator);

/* Returns whether @addr is in such an iterator. From any context. */
bool kmt_is_iterator(unsigned long addr);

/*
 * Returns whether the return address @addr is in a function of the page allocator. Looks up the
 * symbol, which takes microseconds. Interrupts must be off.
 */
bool kmt_is_allocator(unsigned long addr);

/*
 * Returns whether the return address @addr is in a function of the slab allocator whose tracepoint
 * passes a call site that was given as an argument, instead of its own return address. Cost and
 * context as of kmt_is_allocator().
 */
bool kmt_passes_caller(unsigned long addr);

#endif /* KMEMTRACE_ALLOCATOR_FUNCTIONS_H */
