/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface for the kernel's own start-up code: include/linux/kmemtrace.h of a kernel with
 * kmemtrace built in.
 */
#ifndef _LINUX_KMEMTRACE_H
#define _LINUX_KMEMTRACE_H

#include <linux/init.h>
#include <linux/kconfig.h>

#if IS_BUILTIN(CONFIG_KMEMTRACE)
/* Starts tracing, if the command line says so. Slab and vmalloc work, and nothing else need. */
void __init kmemtrace_init_early(void);
#else
static inline void kmemtrace_init_early(void)
{
}
#endif

#endif /* _LINUX_KMEMTRACE_H */
