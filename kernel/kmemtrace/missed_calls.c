// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/kprobes.h>

#include "chan.h"
#include "cpu.h"
#include "missed_calls.h"

#if KMT_CAN_ATTACH

static unsigned long kmt_missed(const struct kmt_function_probe *function)
{
	return READ_ONCE(function->probe.kp.nmissed) + READ_ONCE(function->probe.nmissed);
}

static void kmt_count_missed(struct kmt_function_probe *function, bool always)
{
	unsigned long reported = READ_ONCE(function->missed), missed;

	smp_rmb(); /* the sum isn't older than the count already reported */
	missed = kmt_missed(function);
	if (likely((long)(missed - reported) <= 0) || (!always && !kmt_chan_counts_losses()) ||
	    cmpxchg(&function->missed, reported, missed) != reported)
		return;
	this_cpu_add(kmt_cpu.lost[KMEMTRACE_LOSS_RECURSION], missed - reported);
}

void kmt_missed_report(struct kmt_function_probe *function)
{
	kmt_count_missed(function, false);
}

void kmt_missed_report_last(struct kmt_function_probe *function)
{
	kmt_count_missed(function, true);
}

void kmt_missed_forget(struct kmt_function_probe *function)
{
	function->missed = kmt_missed(function);
}

#endif
