/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the caller of an event when no stack is recorded: the first function outside of the page
 * allocator.
 *
 * The distance on the stack from a return address in an inner function (allocator_functions.h) to
 * the next return address depends on the former alone; so does the first one's distance from the
 * probe's frame. These distances are cached per CPU, so an event reads one word per inner function.
 *
 * Another tracer may have replaced a return address. Therefore an address counts only if a walk
 * found it before, since a walk recognizes replaced ones.
 */
#ifndef KMEMTRACE_CALLER_H
#define KMEMTRACE_CALLER_H

#include "cpu.h"
#include "stack_cache.h"

/* Returns the two entries that may hold @addr. */
static __always_inline struct kmt_caller *kmt_caller_pair(struct kmt_cpu *cpu, unsigned long addr)
{
	return cpu->caller[addr % KMT_CALLER_PAIRS];
}

/* Returns the entry of @addr; NULL if there is none. */
static __always_inline const struct kmt_caller *kmt_caller_known(struct kmt_cpu *cpu,
								 unsigned long addr)
{
	const struct kmt_caller *pair = kmt_caller_pair(cpu, addr);

	if (likely((long)pair[0].addr == (long)addr))
		return &pair[0];
	return likely((long)pair[1].addr == (long)addr) ? &pair[1] : NULL;
}

/* Returns the stack slot that holds, or held, the return address @here->ip. */
static __always_inline unsigned long kmt_caller_start(const struct kmt_caller_regs *here)
{
	return here->sp - sizeof(long);
}

/*
 * Sets *@addr to the caller of the function that @here is in. False: unknown. Interrupts must be
 * off. Reads nothing outside the stack that @here is on.
 */
static __always_inline bool kmt_caller_find(struct kmt_cpu *cpu, const struct kmt_caller_regs *here,
					    unsigned long *addr)
{
	unsigned long low = kmt_stack_cache_low(cpu, here->sp), at = kmt_caller_start(here);
	const struct kmt_caller *caller;
	unsigned long ip = here->ip;

	if (!KMT_HAS_ORC) /* walk_records.c finds it */
		return false;
	for (;;) {
		caller = kmt_caller_known(cpu, ip);
		if (unlikely(!caller))
			return false;
		if (!caller->out)
			break;
		at += caller->out;
		if (unlikely(at - low > THREAD_SIZE - sizeof(long)))
			return false;
		ip = READ_ONCE_NOCHECK(*(unsigned long *)at);
	}
	*addr = ip;
	return true;
}

#if KMT_HAS_ORC
/*
 * Caches the distances from @here to the caller, the last address of @walk. False: they are not
 * constant. Interrupts must be off.
 */
bool kmt_caller_keep(struct kmt_cpu *cpu, const struct kmt_walk *walk,
		     const struct kmt_caller_regs *here);
#else
static inline bool kmt_caller_keep(struct kmt_cpu *cpu, const struct kmt_walk *walk,
				   const struct kmt_caller_regs *here)
{
	return false;
}
#endif

#endif /* KMEMTRACE_CALLER_H */
