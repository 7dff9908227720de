/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check of stacks, enabled by the parameter verify_stacks: compares each one with that of
 * stack_trace_save(). Costs as much as unwinding every stack.
 */
#ifndef KMEMTRACE_VERIFY_H
#define KMEMTRACE_VERIFY_H

#include <linux/jump_label.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "stack_cache.h"

DECLARE_STATIC_KEY_FALSE(kmt_verify_key);

void kmt_verify_stack(unsigned long ip, unsigned long tag, struct kmt_origin origin);

/* Numbers of stacks since the module was loaded. */
u64 kmt_verify_compared(void);
u64 kmt_verify_differed(void);

/*
 * Compares @origin, which was found for the probe's return address @ip and for @tag (see
 * stack_cache.h), if the check is enabled. Prints the first differences. Interrupts must be off.
 */
static __always_inline void kmt_verify(unsigned long ip, unsigned long tag,
				       struct kmt_origin origin)
{
	if (static_branch_unlikely(&kmt_verify_key))
		kmt_verify_stack(ip, tag, origin);
}

#endif /* KMEMTRACE_VERIFY_H */
