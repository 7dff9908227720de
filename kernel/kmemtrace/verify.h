/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A check for stacks: unwinds each one a second time by stack_trace_save() and compares the two.
 * Costs as much as unwinding every stack.
 */
#ifndef KMEMTRACE_VERIFY_H
#define KMEMTRACE_VERIFY_H

#include <linux/jump_label.h>
#include <linux/seq_file.h>
#include <linux/types.h>

#include "stack_cache.h"

DECLARE_STATIC_KEY_FALSE(kmt_verify_key);

void kmt_verify_stack(unsigned long ip, unsigned long tag, struct kmt_origin origin);

/* Counts since loading. */
u64 kmt_verify_compared(void);
u64 kmt_verify_differed(void);

/* Compares @origin with what stack_trace_save() says, if that is switched on. */
static __always_inline void kmt_verify(unsigned long ip, unsigned long tag,
				       struct kmt_origin origin)
{
	if (static_branch_unlikely(&kmt_verify_key))
		kmt_verify_stack(ip, tag, origin);
}

#endif /* KMEMTRACE_VERIFY_H */
