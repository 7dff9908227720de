/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts and stops tracing. The caller holds kmt_mutex unless noted otherwise.
 */
#ifndef KMEMTRACE_CORE_H
#define KMEMTRACE_CORE_H

#include <linux/types.h>

void kmt_enable_wait(void); /* for what keeps kmt_enable() from it; not under kmt_mutex */
int kmt_enable(void);       /* sets buffers up if there are none, registers the probes */
void kmt_disable(void); /* returns when no probe runs any more and the last records can be read */
int kmt_reset(void);    /* drops buffers, stacks, counters; -EBUSY while enabled or being read */
void kmt_check_sources(void); /* notes paths that are no longer traced; while enabled */
bool kmt_has_buffers(void);

/* All that tracing needs, and nothing that needs more than the allocators. Without kmt_mutex. */
int kmt_core_init(void);
void kmt_core_exit(void);
void kmt_core_boot_is_over(void); /* from here on functions can be probed */

#endif /* KMEMTRACE_CORE_H */
