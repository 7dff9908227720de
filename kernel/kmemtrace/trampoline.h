/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recognizes what other tracers write over a return address: kretprobes and function graph tracing
 * put their trampolines there. A function whose return they wait for reads that address as its
 * caller's, and its tracepoint passes it on as the call site.
 */
#ifndef KMEMTRACE_TRAMPOLINE_H
#define KMEMTRACE_TRAMPOLINE_H

#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/types.h>

extern unsigned long kmt_trampolines[2]; /* written at init alone; 1: this kernel has none */

void kmt_trampolines_init(void); /* finds them; not in early boot */

/* True for the address that such a tracer puts there. It's no caller. */
static __always_inline bool kmt_is_trampoline(unsigned long addr)
{
	return unlikely(addr == kmt_trampolines[0] || addr == kmt_trampolines[1]);
}

#endif /* KMEMTRACE_TRAMPOLINE_H */
