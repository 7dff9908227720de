/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether kprobes fire. /sys/kernel/debug/kprobes/enabled disables all of them, without
 * notification, and registering one then still succeeds. So a function of the module is probed and
 * called. All functions are called under kmt_mutex, and the first two may sleep.
 */
#ifndef KMEMTRACE_KPROBE_CHECK_H
#define KMEMTRACE_KPROBE_CHECK_H

#include <linux/types.h>

int kmt_kprobe_check_start(void); /* 0; -errno: it can't be checked */
void kmt_kprobe_check_stop(void);
bool kmt_kprobes_fire(void); /* between start and stop */

#endif /* KMEMTRACE_KPROBE_CHECK_H */
