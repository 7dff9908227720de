/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognizes the code by which interrupts enter the kernel. Stacks of events in interrupts end
 * there: what follows is the interrupted code.
 */
#ifndef KMEMTRACE_IRQ_ENTRY_H
#define KMEMTRACE_IRQ_ENTRY_H

#include "function_size.h"

/*
 * Runs softirqs in newer kernels. __do_softirq(), which is among the entries known to the kernel,
 * jumps to it, so that it is not on the stack. A size of 0: not known. Written only at init.
 */
extern struct kmt_code kmt_softirq_code;

void kmt_irq_entry_init(void); /* finds it; may sleep; not in early boot */

/*
 * Returns how many of @count addresses, innermost first, a stack has that ends at the first entry;
 * @count: it has no entry. Any context.
 */
unsigned int kmt_irq_entry_cut(unsigned long *addr, unsigned int count);

/* Returns whether the return address @addr is in such code. Any context. */
bool kmt_is_irq_entry(unsigned long addr);

#endif /* KMEMTRACE_IRQ_ENTRY_H */
