/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preemption of programs. Since 7.0 a thread may be preempted at a tracepoint. A program in which
 * one was preempted is not run for the other threads of the CPU, perhaps for long; and a record
 * that it has reserved, but not written, keeps the reader from those behind it, or is overwritten.
 * So programs for these kernels record with preemption off.
 */
#ifndef KMEMTRACE_PREEMPTION_H
#define KMEMTRACE_PREEMPTION_H

#include "common.h"

#ifdef KMT_PREEMPTIBLE

extern void bpf_preempt_disable(void) __ksym;
extern void bpf_preempt_enable(void) __ksym;
extern void bpf_local_irq_save(unsigned long *flags) __ksym;
extern void bpf_local_irq_restore(unsigned long *flags) __ksym;

static __always_inline void kmt_disable_preemption(void)
{
	bpf_preempt_disable();
}

/*
 * If another thread is to run, switching preemption on would switch to it at once, in the program.
 * With interrupts off it does not: then the kernel does so when it has left the program.
 */
static __always_inline void kmt_enable_preemption(void)
{
	unsigned long flags;

	bpf_local_irq_save(&flags);
	bpf_preempt_enable();
	bpf_local_irq_restore(&flags);
}

#else

static __always_inline void kmt_disable_preemption(void)
{
}

static __always_inline void kmt_enable_preemption(void)
{
}

#endif /* KMT_PREEMPTIBLE */

#endif /* KMEMTRACE_PREEMPTION_H */
