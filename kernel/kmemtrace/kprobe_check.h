/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks whether kprobes fire. /sys/kernel/debug/kprobes/enabled disables all of them; registering
 * one then still succeeds, and there is no notification. So a function of the module is probed and
 * called. All under kmt_mutex.
 */
#ifndef KMEMTRACE_KPROBE_CHECK_H
#define KMEMTRACE_KPROBE_CHECK_H

#include <linux/types.h>

int kmt_kprobe_check_start(void); /* -errno: cannot be checked */
void kmt_kprobe_check_stop(void);
bool kmt_kprobes_fire(void); /* between start and stop */

#endif /* KMEMTRACE_KPROBE_CHECK_H */
