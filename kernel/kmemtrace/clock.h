/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of events: nanoseconds of CLOCK_MONOTONIC, the same on all CPUs.
 *
 * ktime_get_mono_fast_ns() is a third of the cost of an event without a stack. If the kernel's
 * clock source is the TSC, the TSC is scaled here instead, as sched_clock() does, from one point
 * of time on for as long as the buffers exist. The rate is then the counter's own and may drift
 * from CLOCK_MONOTONIC, which NTP adjusts, by a few parts per million. After a suspend the counter
 * may start anew, so the TSC is abandoned for good before that. It is also abandoned within a
 * second when the kernel marks it unstable.
 */
#ifndef KMEMTRACE_CLOCK_H
#define KMEMTRACE_CLOCK_H

#include <linux/jump_label.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include <asm/msr.h>

struct seq_file;

struct kmt_clock {
	u64 cycles, ns; /* the point of time */
	u64 ns_a_cycle; /* times 2^32 */
	u64 offset;     /* of the time of events to CLOCK_MONOTONIC, without the counter */
};

extern struct kmt_clock kmt_clock; /* changed while no probe runs, or looks at the field */
DECLARE_STATIC_KEY_FALSE(kmt_clock_is_tsc);

int kmt_clock_init(void);
void kmt_clock_exit(void);
void kmt_clock_start(void); /* decides which clock it is; no probe may run */
const char *kmt_clock_name(void);

/*
 * Starts or stops checking each second whether the counter is still stable; checks once
 * immediately. Under kmt_mutex.
 */
void kmt_clock_watch(bool on);
void kmt_clock_show_path(struct seq_file *seq); /* a line if it was not; the same */

static __always_inline u64 kmt_clock_ns(void)
{
	/* Ordered: not read before the allocation that the event is about. */
	if (static_branch_likely(&kmt_clock_is_tsc))
		return kmt_clock.ns + mul_u64_u64_shr(rdtsc_ordered() - kmt_clock.cycles,
						      kmt_clock.ns_a_cycle, 32);
	return ktime_get_mono_fast_ns() + kmt_clock.offset;
}

#endif /* KMEMTRACE_CLOCK_H */
