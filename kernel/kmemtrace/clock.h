/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of events: nanoseconds of CLOCK_MONOTONIC, the same on all CPUs.
 *
 * ktime_get_mono_fast_ns() is a third of the cost of an event without a stack. If the kernel's
 * clock source is the TSC of x86, the TSC is scaled here instead, as sched_clock() does, from one
 * reference point for as long as the buffers exist. Its rate may drift by a few parts per million
 * from CLOCK_MONOTONIC, which NTP adjusts. A suspend may reset the TSC. So it is abandoned before a
 * suspend, and within a second after the kernel marks it unstable, until the next session.
 */
#ifndef KMEMTRACE_CLOCK_H
#define KMEMTRACE_CLOCK_H

#include <linux/jump_label.h>
#include <linux/ktime.h>

#include "arch.h"

#if KMT_HAS_TSC
#include <asm/msr.h>
#endif

struct seq_file;

struct kmt_clock {
	u64 cycles, ns; /* of the TSC and of CLOCK_MONOTONIC, at the same instant */
	u64 ns_a_cycle; /* fixed point, 32 fractional bits */
	u64 offset;     /* without the TSC: ns by which events are ahead of CLOCK_MONOTONIC */
};

extern struct kmt_clock kmt_clock; /* a field is changed while no probe uses it */
DECLARE_STATIC_KEY_FALSE(kmt_clock_is_tsc);

int kmt_clock_init(void); /* 0 or -errno */
void kmt_clock_exit(void);
void kmt_clock_start(void);       /* chooses the clock of a session; no probe may run */
const char *kmt_clock_name(void); /* as in the view "abi" */

/*
 * Starts or stops checking each second whether the TSC is still stable; checks once immediately.
 * Under kmt_mutex; may sleep.
 */
void kmt_clock_watch(bool on);
void kmt_clock_show_path(struct seq_file *seq); /* a line if it was unstable; under kmt_mutex */

#if KMT_HAS_TSC
/*
 * Returns @cycles in ns. Avoids 128-bit variables: some compilers align the stack for them, and the
 * frame of a probe that has arguments on the stack is then unusual, see kmt_caller_regs().
 */
static __always_inline u64 kmt_clock_scale(u64 cycles)
{
	u64 low, high;

	asm("mulq %[rate]"
	    : "=a"(low), "=d"(high)
	    : "0"(cycles), [rate] "rm"(kmt_clock.ns_a_cycle)
	    : "cc");
	return high << 32 | low >> 32;
}
#endif

/* Returns the time of an event. From any context, also in an NMI. */
static __always_inline u64 kmt_clock_ns(void)
{
#if KMT_HAS_TSC
	/* Ordered: the time is not read before the allocation that is recorded. */
	if (static_branch_likely(&kmt_clock_is_tsc))
		return kmt_clock.ns + kmt_clock_scale(rdtsc_ordered() - kmt_clock.cycles);
#endif
	return ktime_get_mono_fast_ns() + kmt_clock.offset;
}

#endif /* KMEMTRACE_CLOCK_H */
