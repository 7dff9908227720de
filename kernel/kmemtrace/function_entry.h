/* SPDX-License-Identifier: GPL-2.0-only */
/* Who called a function, as its probe sees it at the function's entry. */
#ifndef KMEMTRACE_FUNCTION_ENTRY_H
#define KMEMTRACE_FUNCTION_ENTRY_H

#include <linux/ptrace.h>

#include "arch.h"
#include "caller.h"
#include "event.h"
#include "trampoline.h"

/*
 * Where the function was called from: its return address is on top of the stack, or in the link
 * register.
 */
static inline struct kmt_caller_regs kmt_entry_caller_regs(const struct pt_regs *regs)
{
	struct kmt_caller_regs here = { .bp = kmt_frame_pointer(regs) };

#ifdef CONFIG_X86_64
	here.ip = *(unsigned long *)regs->sp;
	here.sp = regs->sp + sizeof(long);
#else
	here.ip = regs->regs[30];
	here.sp = regs->sp;
#endif
	return here;
}

static inline struct kmt_origin kmt_entry_origin(struct pt_regs *regs)
{
	struct kmt_caller_regs here = kmt_entry_caller_regs(regs);

	return kmt_event_origin_of_call(&here, regs);
}

/* The caller alone. A tracer that heard of the call before may have put its trampoline there. */
static inline unsigned long kmt_entry_call_site(struct pt_regs *regs)
{
	unsigned long ip = kmt_entry_caller_regs(regs).ip;

	return kmt_is_trampoline(ip) ? kmt_entry_origin(regs).call_site : ip;
}

#endif /* KMEMTRACE_FUNCTION_ENTRY_H */
