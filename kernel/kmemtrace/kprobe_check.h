/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether kprobes fire. /sys/kernel/debug/kprobes/enabled disables all of them without
 * notification, and registering one still succeeds. So a function of the module is probed and
 * called. All functions are called under kmt_mutex, and the first two may sleep.
 */
#ifndef KMEMTRACE_KPROBE_CHECK_H
#define KMEMTRACE_KPROBE_CHECK_H

#include <linux/types.h>

#define KMT_ENTRY_BYTES 16 /* ftrace's call is within this many bytes from a function's start */

int kmt_kprobe_check_start(void); /* 0; -errno: it can't be checked */
void kmt_kprobe_check_stop(void);
bool kmt_kprobes_fire(void); /* between start and stop */

void kmt_entry_check(void); /* does nothing; ftrace reports that it was called */

#endif /* KMEMTRACE_KPROBE_CHECK_H */
