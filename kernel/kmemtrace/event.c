// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow paths of event.h, and resetting per-CPU state.
 */
#include <linux/string.h>

#include "event.h"

struct kmt_origin kmt_event_origin_of_call(const struct kmt_caller_regs *here, struct pt_regs *regs)
{
	struct kmt_origin origin = { here->ip, KMEMTRACE_STACK_NONE };
	struct kmt_event event;

	/* The event itself comes later, and counts as lost then. */
	if (!kmt_event_try(&event, false))
		return origin;
	/* Without stacks, most of these addresses are known as callers. */
	if (kmt_stack_is_on() || (!kmt_walk_is_caller(here->ip) &&
				  !kmt_caller_find(event.cpu, here, &origin.call_site))) {
		/* The unwinder, if needed, starts at the function's entry, not in the probe. */
		event.cpu->unwind_from = regs;
		origin = kmt_stack_origin(event.cpu, here,
					  kmt_stack_cache_tag(here->ip, event.context),
					  kmt_event_hint());
		event.cpu->unwind_from = NULL;
	}
	kmt_event_leave(&event);
	return origin;
}

unsigned long kmt_event_call_site(const struct kmt_caller_regs *here, unsigned long call_site)
{
	struct kmt_event event;

	if (!kmt_is_trampoline(call_site) || !kmt_event_try(&event, false))
		return call_site;
	call_site = kmt_stack_origin(event.cpu, here, kmt_stack_cache_tag(call_site, event.context),
				     kmt_event_hint())
			    .call_site;
	kmt_event_leave(&event);
	return call_site;
}

void kmt_event_reset(void)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
		struct kmt_stack_cache_entry *stack_cache = cpu->stack_cache;
		struct kmt_bounds irq_stack = cpu->irq_stack;

		memset(cpu, 0, sizeof(*cpu));
		cpu->writing = true; /* until kmt_chan_set_writable() */
		cpu->stack_cache = stack_cache;
		cpu->irq_stack = irq_stack;
	}
	kmt_names_forget();
}
