/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the caller of a function from the registers at its entry. */
#ifndef KMEMTRACE_FUNCTION_ENTRY_H
#define KMEMTRACE_FUNCTION_ENTRY_H

#include <linux/ptrace.h>

#include "arch.h"
#include "caller.h"
#include "event.h"
#include "trampoline.h"

/*
 * Returns where the function was called from. Its return address is on top of the stack, or in the
 * link register.
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

/*
 * Returns the call site only. A tracer that saw the call earlier may have put its trampoline there.
 */
static inline unsigned long kmt_entry_call_site(struct pt_regs *regs)
{
	unsigned long ip = kmt_entry_caller_regs(regs).ip;

	return kmt_is_trampoline(ip) ? kmt_entry_origin(regs).call_site : ip;
}

#endif /* KMEMTRACE_FUNCTION_ENTRY_H */
