/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether kprobes are heard. /sys/kernel/debug/kprobes/enabled switches all of them off, and one
 * that is registered then is no error. The kernel tells nobody, so a function of our own is probed
 * and called. All under kmt_mutex.
 */
#ifndef KMEMTRACE_HEARD_H
#define KMEMTRACE_HEARD_H

#include <linux/types.h>

int kmt_heard_start(void); /* an error: it can't be known */
void kmt_heard_stop(void);
bool kmt_heard_now(void); /* only between the two */

#endif /* KMEMTRACE_HEARD_H */
