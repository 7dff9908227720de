// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/time64.h>

#include "clock.h"

#ifdef CONFIG_X86_64
#include <asm/tsc.h>
#endif

struct kmt_clock kmt_clock;
DEFINE_STATIC_KEY_FALSE(kmt_clock_is_tsc);

#ifdef CONFIG_X86_64

#define KMT_CLOCK_TRIES	10

/*
 * The kernel watches the counter, and keeps its own time by it only while it trusts it. So it's
 * good enough for us if it is what the time is read from now.
 */
static bool kmt_tsc_is_trusted(void)
{
	struct system_time_snapshot snapshot;
	u64 before, after;

	if (system_state == SYSTEM_BOOTING || !tsc_khz || check_tsc_unstable())
		return false;
	before = rdtsc_ordered();
	ktime_get_snapshot(&snapshot);
	after = rdtsc_ordered();
	return snapshot.cycles >= before && snapshot.cycles <= after;
}

/* Both clocks at one time: of several tries the shortest, which nothing came between. */
static void kmt_clock_set(void)
{
	u64 shortest = U64_MAX, before, after, ns;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < KMT_CLOCK_TRIES; i++) {
		local_irq_save(flags);
		before = rdtsc_ordered();
		ns = ktime_get_mono_fast_ns();
		after = rdtsc_ordered();
		local_irq_restore(flags);
		if (after - before >= shortest)
			continue;
		shortest = after - before;
		kmt_clock.cycles = before + shortest / 2;
		kmt_clock.ns = ns;
	}
	kmt_clock.ns_a_cycle = div64_u64((u64)NSEC_PER_MSEC << 32, tsc_khz);
}

void kmt_clock_start(void)
{
	if (kmt_tsc_is_trusted()) {
		kmt_clock_set();
		static_branch_enable(&kmt_clock_is_tsc);
	} else {
		static_branch_disable(&kmt_clock_is_tsc);
	}
}

#else

void kmt_clock_start(void)
{
}

#endif /* CONFIG_X86_64 */

const char *kmt_clock_name(void)
{
	return static_key_enabled(&kmt_clock_is_tsc) ? "monotonic, scaled tsc" : "monotonic";
}
