/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts and stops tracing. All functions may sleep. The caller holds kmt_mutex unless noted
 * otherwise.
 */
#ifndef KMEMTRACE_CORE_H
#define KMEMTRACE_CORE_H

#include <linux/types.h>

/*
 * Allocates buffers if there are none, and registers the probes. Returns 0, also if tracing is
 * already enabled; -ENOMEM; or another -errno.
 */
int kmt_enable(void);

/*
 * From now on only records the mappings of processes, until kmt_disable(). Whoever reads the
 * mappings in /proc then overwrites no earlier events with those of the reading. Returns 0; -EINVAL
 * if disabled, or without overwriting or user stacks.
 */
int kmt_keep_maps(void);
bool kmt_is_keeping_maps(void);

/* Returns when no event is being written and the last records can be read. */
void kmt_disable(void);

/*
 * Frees buffers and stacks, and clears counters. Returns 0; -EBUSY if enabled or being read.
 * @follows: the next session traces the processes that this one does, with their children.
 */
int kmt_reset(bool follows);
void kmt_unfollow(void);      /* the next session selects processes anew */
void kmt_check_sources(void); /* notes sources that are no longer traced; while enabled */
bool kmt_has_buffers(void);

/*
 * Sets up what tracing needs, as far as possible in early boot, with only the allocators. Returns 0
 * or -errno. These three are called without kmt_mutex.
 */
int kmt_core_init(void);
void kmt_core_exit(void);         /* tracing must be disabled, and reset */
void kmt_core_boot_is_over(void); /* functions can be probed from now on */

#endif /* KMEMTRACE_CORE_H */
