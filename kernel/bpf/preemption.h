/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Preemption of programs. Since 7.0 a thread may be preempted at a tracepoint. If that happens in a
 * program, the program does not run for other threads of the CPU, perhaps for a long time. A record
 * that it has reserved but not written holds up the reader, or is overwritten. So programs for
 * these kernels record with preemption off.
 *
 * A thread may still be preempted while the kernel calls a program or returns from it. Until the
 * thread runs again, that program does not run on that CPU, and an interrupt in the second program
 * would find none left. So tracepoints and functions have three programs.
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
 * If a reschedule is pending, enabling preemption would switch to the other thread at once, within
 * the program. With interrupts off it does not, and the kernel reschedules after it has left the
 * program. A count below 0 means that none is pending, which is usual. Then interrupts stay on:
 * otherwise all of them would come within the program.
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
