/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For start_kernel(): include/linux/kmemtrace.h of a kernel with kmemtrace built in.
 */
#ifndef _LINUX_KMEMTRACE_H
#define _LINUX_KMEMTRACE_H

#include <linux/init.h>
#include <linux/kconfig.h>

#if IS_BUILTIN(CONFIG_KMEMTRACE)
/*
 * Starts tracing if kmemtrace.enable=1 is on the command line. Needs the slab allocator, vmalloc(),
 * per-CPU areas and get_random_u64(). Called on the boot CPU with interrupts off.
 */
void __init kmemtrace_init_early(void);
#else
static inline void kmemtrace_init_early(void)
{
}
#endif

#endif /* _LINUX_KMEMTRACE_H */
