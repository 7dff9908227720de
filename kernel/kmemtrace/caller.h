/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who called the function that has a tracepoint, when no more of the stack is wanted: an address at
 * a distance from sp that depends on the tracepoint's place alone, so it's found by one look.
 *
 * Another tracer may have put its own in the place of a return address. So an address counts only
 * if it was found by a walk before, which tells the two apart.
 */
#ifndef KMEMTRACE_CALLER_H
#define KMEMTRACE_CALLER_H

#include <linux/sched/task_stack.h>

#include "cpu.h"

static __always_inline struct kmt_caller_place *kmt_caller_place(struct kmt_cpu *cpu,
								 unsigned long ip)
{
	return &cpu->caller_place[ip % KMT_CALLER_PLACES];
}

static __always_inline unsigned long *kmt_caller_slot(struct kmt_cpu *cpu, unsigned long addr)
{
	return &cpu->caller[addr % KMT_CALLERS];
}

/* Whether the caller is looked for on the stack that starts at @low, and that is where @sp is. */
static __always_inline bool kmt_caller_is_on(const struct kmt_caller_place *place,
					     unsigned long sp, unsigned long low)
{
	return sp - low <= place->room;
}

/* Finds *@addr, the caller of the function that @here is in; interrupts are off. False: unknown. */
static __always_inline bool kmt_caller_find(struct kmt_cpu *cpu, const struct kmt_here *here,
					    unsigned long *addr)
{
	const struct kmt_caller_place *place = kmt_caller_place(cpu, here->ip);

	if (unlikely(place->ip != here->ip))
		return false;
	if (unlikely(!kmt_caller_is_on(place, here->sp, (unsigned long)task_stack_page(current))) &&
	    !kmt_caller_is_on(place, here->sp, cpu->irq_stack.low))
		return false;
	*addr = READ_ONCE_NOCHECK(*(unsigned long *)(here->sp + place->at));
	return likely(*kmt_caller_slot(cpu, *addr) == *addr);
}

/* Remembers the caller that @walk found from @here. */
static inline void kmt_caller_keep(struct kmt_cpu *cpu, const struct kmt_walk *walk,
				   const struct kmt_here *here)
{
	unsigned long at = walk->slot[1] - here->sp;

	if (walk->count < 2 || at >= THREAD_SIZE / 2)
		return;
	/* Behind a pointer it's anywhere. */
	if (walk->parts > 1 && walk->part[1].first < 2)
		return;
	*kmt_caller_place(cpu, here->ip) = (struct kmt_caller_place){
		.ip = here->ip, .at = at, .room = THREAD_SIZE - at - sizeof(long),
	};
	*kmt_caller_slot(cpu, walk->addr[1]) = walk->addr[1];
}

#endif /* KMEMTRACE_CALLER_H */
