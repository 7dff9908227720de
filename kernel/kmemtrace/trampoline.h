/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognizes return addresses that other tracers replaced: kretprobes and function graph tracing
 * write the address of their trampoline to the stack. The function then reads that as its return
 * address, and its tracepoint passes it as the call site.
 */
#ifndef KMEMTRACE_TRAMPOLINE_H
#define KMEMTRACE_TRAMPOLINE_H

#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

extern unsigned long kmt_trampolines[2]; /* written only at init; 1: this kernel has none */

void kmt_trampolines_init(void); /* finds them; may sleep; not in early boot */

/* Returns whether @addr is such a trampoline, and not a caller. */
static __always_inline bool kmt_is_trampoline(unsigned long addr)
{
	return unlikely(addr == kmt_trampolines[0] || addr == kmt_trampolines[1]);
}

#endif /* KMEMTRACE_TRAMPOLINE_H */
