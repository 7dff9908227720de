// SPDX-License-Identifier: GPL-2.0-only
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/suspend.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "clock.h"
#include "compat.h"
#include "kmemtrace.h"

#if KMT_HAS_TSC
#include <asm/tsc.h>
#endif

struct kmt_clock kmt_clock;
DEFINE_STATIC_KEY_FALSE(kmt_clock_is_tsc);

#define KMT_CLOCK_TRIES 10
#define KMT_CLOCK_WATCH HZ /* jiffies between checks of the TSC */

static bool kmt_clock_sleeps;   /* suspended, or about to be; under kmt_mutex */
static u64 kmt_clock_failed_ns; /* when the TSC was found unstable; 0: never; under kmt_mutex */

#if KMT_HAS_TSC

/*
 * The TSC is trusted if it is the current clock source: the snapshot's cycles then lie between two
 * reads of the TSC.
 */
static bool kmt_tsc_is_trusted(void)
{
	struct system_time_snapshot snapshot;
	u64 before, after;

	if (system_state == SYSTEM_BOOTING || kmt_clock_sleeps || !tsc_khz || check_tsc_unstable())
		return false;
	before = rdtsc_ordered();
	kmt_get_snapshot(&snapshot);
	after = rdtsc_ordered();
	return snapshot.cycles >= before && snapshot.cycles <= after;
}

/* Reads both clocks at the same time: of several tries, takes the one with the fewest cycles. */
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

#else

static bool kmt_tsc_is_trusted(void)
{
	return false;
}

static void kmt_clock_set(void)
{
}

#endif

/*
 * Switches to CLOCK_MONOTONIC, with an offset if the TSC is ahead: the time of events never steps
 * back. Probes may run.
 */
static void kmt_clock_leave_tsc(void)
{
	unsigned long flags;
	s64 ahead;

	if (!static_key_enabled(&kmt_clock_is_tsc))
		return;
	local_irq_save(flags);
	ahead = kmt_clock_ns() - ktime_get_mono_fast_ns();
	kmt_clock.offset = max_t(s64, ahead, 0);
	local_irq_restore(flags);
	static_branch_disable(&kmt_clock_is_tsc);
}

/* Abandons the TSC if the kernel has. */
static void kmt_clock_check(void)
{
	if (!static_key_enabled(&kmt_clock_is_tsc) || kmt_tsc_is_trusted())
		return;
	kmt_clock_leave_tsc();
	kmt_clock_failed_ns = ktime_get_mono_fast_ns();
	pr_warn("kmemtrace: the kernel no longer trusts the time stamp counter; events now use another clock\n");
}

static void kmt_clock_tick(struct work_struct *work)
{
	/* Its holder may be waiting for this work in kmt_clock_watch(). */
	if (mutex_trylock(&kmt_mutex)) {
		kmt_clock_check();
		mutex_unlock(&kmt_mutex);
	}
	if (static_key_enabled(&kmt_clock_is_tsc))
		schedule_delayed_work(to_delayed_work(work), KMT_CLOCK_WATCH);
}

static DECLARE_DELAYED_WORK(kmt_clock_work, kmt_clock_tick);

void kmt_clock_watch(bool on)
{
	if (!on)
		cancel_delayed_work_sync(&kmt_clock_work);
	kmt_clock_check();
	if (on && static_key_enabled(&kmt_clock_is_tsc))
		schedule_delayed_work(&kmt_clock_work, KMT_CLOCK_WATCH);
}

void kmt_clock_show_path(struct seq_file *seq)
{
	u64 ms = div_u64(kmt_clock_failed_ns, NSEC_PER_MSEC);
	u32 rest;

	if (!kmt_clock_failed_ns)
		return;
	ms = div_u64_rem(ms, MSEC_PER_SEC, &rest);
	seq_printf(seq, "clock unseen: the time stamp counter became unstable before %llu.%03us, ",
		   ms, rest);
	seq_puts(seq, "times may be wrong up to then\n");
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
	kmt_clock_failed_ns = 0;
	if (tsc)
		kmt_clock_set();
	kmt_key_set(&kmt_clock_is_tsc.key, tsc);
}

const char *kmt_clock_name(void)
{
	return static_key_enabled(&kmt_clock_is_tsc) ? "monotonic, scaled tsc" : "monotonic";
}
