// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/stacktrace.h>

#include "irq_entry.h"

struct kmt_code kmt_softirq_code __ro_after_init;

void __init kmt_irq_entry_init(void)
{
	/* With PREEMPT_RT it has one caller, and GCC leaves out its argument. */
	static const char *const names[] = { "handle_softirqs", "handle_softirqs.constprop.0",
					     "handle_softirqs.isra.0" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names) && !kmt_softirq_code.start; i++)
		kmt_function_find(names[i], &kmt_softirq_code.start);
	if (kmt_softirq_code.start)
		kmt_softirq_code.size = kmt_function_size(kmt_softirq_code.start);
}

unsigned int kmt_irq_entry_cut(unsigned long *addr, unsigned int count)
{
	unsigned int i;

	count = filter_irq_stacks(addr, count);
	for (i = 0; i < count; i++) {
		if (kmt_code_has(&kmt_softirq_code, addr[i]))
			return i + 1;
	}
	return count;
}

bool kmt_is_irq_entry(unsigned long addr)
{
	unsigned long stack[] = { addr, 0 };

	return kmt_irq_entry_cut(stack, ARRAY_SIZE(stack)) == 1;
}
