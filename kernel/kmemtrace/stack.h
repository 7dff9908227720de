/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of events: how one is found, in the cheapest way that is right, and the table that
 * keeps them.
 */
#ifndef KMEMTRACE_STACK_H
#define KMEMTRACE_STACK_H

#include <linux/types.h>

#include "cpu.h"
#include "recall.h"

int kmt_stack_init(unsigned int bytes, u64 session);
void kmt_stack_exit(void);
bool kmt_stack_is_ready(void);
u64 kmt_stack_bytes(void);		/* memory held */
u64 kmt_stack_used(void);		/* bytes of the table in use */
ssize_t kmt_stack_read(char __user *ubuf, size_t count, loff_t *pos);

/*
 * The origin of an event whose probe was called at @ip, @sp, @bp; interrupts are off. @tag is
 * kmt_recall_tag() of the call site that the tracepoint told, or of 0: then it's the caller of the
 * function that has the tracepoint. @hint tells likely stacks apart, see recall.h.
 */
struct kmt_origin kmt_stack_origin(struct kmt_cpu *cpu, unsigned long ip, unsigned long sp,
				   unsigned long bp, unsigned long tag, unsigned long hint);

/* From an address in @iterator on: the trampoline of a tracepoint, left out of stacks. */
void kmt_stack_hide(const void *iterator);

/* For verify.c: how many addresses are looked for, which of them are kept, and what was kept. */
unsigned int kmt_stack_want(void);
unsigned int kmt_stack_trim(const unsigned long **addrs, unsigned int count,
			    unsigned long *call_site);
const struct kmemtrace_stack *kmt_stack_of_id(u32 id);

#endif /* KMEMTRACE_STACK_H */
