// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/suspend.h>
#include <linux/time64.h>

#include "clock.h"
#include "kmemtrace.h"

#ifdef CONFIG_X86_64
#include <asm/tsc.h>
#endif

struct kmt_clock kmt_clock;
DEFINE_STATIC_KEY_FALSE(kmt_clock_is_tsc);

#ifdef CONFIG_X86_64

#define KMT_CLOCK_TRIES	10

static bool kmt_clock_sleeps;	/* the machine is about to, or does; under kmt_mutex */

/*
 * The kernel watches the counter, and keeps its own time by it only while it trusts it. So it's
 * good enough for us if it is what the time is read from now.
 */
static bool kmt_tsc_is_trusted(void)
{
	struct system_time_snapshot snapshot;
	u64 before, after;

	if (system_state == SYSTEM_BOOTING || kmt_clock_sleeps || !tsc_khz || check_tsc_unstable())
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

/* Goes on without the counter, from the time that it is. Probes may run. */
static void kmt_clock_leave_tsc(void)
{
	unsigned long flags;

	if (!static_key_enabled(&kmt_clock_is_tsc))
		return;
	local_irq_save(flags);
	kmt_clock.offset = kmt_clock_ns() - ktime_get_mono_fast_ns();
	local_irq_restore(flags);
	static_branch_disable(&kmt_clock_is_tsc);
}

static int kmt_clock_notify(struct notifier_block *block, unsigned long action, void *data)
{
	mutex_lock(&kmt_mutex);
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		kmt_clock_sleeps = true;
		kmt_clock_leave_tsc();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		kmt_clock_sleeps = false;
		break;
	}
	mutex_unlock(&kmt_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block kmt_clock_notifier = { .notifier_call = kmt_clock_notify };

int kmt_clock_init(void)
{
	return register_pm_notifier(&kmt_clock_notifier);
}

void kmt_clock_exit(void)
{
	unregister_pm_notifier(&kmt_clock_notifier);
}

void kmt_clock_start(void)
{
	bool tsc = kmt_tsc_is_trusted();

	kmt_clock.offset = 0;
	if (tsc)
		kmt_clock_set();
	kmt_key_set(&kmt_clock_is_tsc.key, tsc);
}

#else

int kmt_clock_init(void)
{
	return 0;
}

void kmt_clock_exit(void)
{
}

void kmt_clock_start(void)
{
}

#endif /* CONFIG_X86_64 */

const char *kmt_clock_name(void)
{
	return static_key_enabled(&kmt_clock_is_tsc) ? "monotonic, scaled tsc" : "monotonic";
}
