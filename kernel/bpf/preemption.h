/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preemption of programs. Since 7.0 a thread may be preempted at a tracepoint. A program in which
 * one was preempted is not run for the other threads of the CPU, perhaps for long; and a record
 * that it has reserved, but not written, keeps the reader from those behind it, or is overwritten.
 * So programs for these kernels record with preemption off.
 *
 * But a thread may still be preempted as the kernel calls a program or comes back from it. Until it
 * runs again, its program is not run on that CPU, and an interrupt in the other one would find
 * none. So tracepoints and functions have three of them.
 */
#ifndef KMEMTRACE_PREEMPTION_H
#define KMEMTRACE_PREEMPTION_H

#include "common.h"

#ifdef KMT_PREEMPTIBLE

#define KMT_TURN_LAST     2U   /* of the last program of a tracepoint or function */
#define KMT_AT_TRACEPOINT true /* whether a thread may be preempted there */

extern const int __preempt_count __ksym;
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
 * With interrupts off it does not: then the kernel does so when it has left the program. The count
 * is below 0 if no other thread is to run, the usual case: then interrupts, which would all come in
 * the program, need not be held back.
 */
static __always_inline void kmt_enable_preemption(void)
{
	unsigned long flags;

	if (*(const volatile int *)bpf_this_cpu_ptr(&__preempt_count) < 0) {
		bpf_preempt_enable();
		return;
	}
	bpf_local_irq_save(&flags);
	bpf_preempt_enable();
	bpf_local_irq_restore(&flags);
}

#else

#define KMT_TURN_LAST     1U
#define KMT_AT_TRACEPOINT false

static __always_inline void kmt_disable_preemption(void)
{
}

static __always_inline void kmt_enable_preemption(void)
{
}

#endif /* KMT_PREEMPTIBLE */

#endif /* KMEMTRACE_PREEMPTION_H */
