/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions between a probe and the caller of an event: the tracepoints' trampolines, and the page
 * allocator's own functions.
 */
#ifndef KMEMTRACE_ALLOCATOR_FUNCTIONS_H
#define KMEMTRACE_ALLOCATOR_FUNCTIONS_H

#include <linux/types.h>

/* From an address in @iterator on: the trampoline of a tracepoint, left out of stacks. */
void kmt_hide_iterator(const void *iterator);

/* True for an address in such a trampoline. */
bool kmt_is_iterator(unsigned long addr);

/*
 * True for a return address in a function of the page allocator that others call to allocate or
 * free. It asks for the symbol's name, which takes microseconds; interrupts are off.
 */
bool kmt_is_allocator(unsigned long addr);

/*
 * True for a return address in a function of the slab allocator that gets its caller as an argument
 * and passes it on as the call site instead of its own return address. As slow as
 * kmt_is_allocator().
 */
bool kmt_passes_caller(unsigned long addr);

#endif /* KMEMTRACE_ALLOCATOR_FUNCTIONS_H */
