/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks: the calls in a program that led to an allocation in the kernel. Disabled, they cost
 * two no-op instructions per event.
 */
#ifndef KMEMTRACE_USER_STACK_H
#define KMEMTRACE_USER_STACK_H

#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "compat.h"
#include "kmemtrace_abi.h"

struct kmt_cpu;

/*
 * Fills in what records have behind the others with user stacks: of the current thread. @take: its
 * user stack is to be found; it's in task context. Interrupts are off.
 */
void kmt_user_note(struct kmt_cpu *cpu, struct kmemtrace_record *record, bool take);

#endif /* KMEMTRACE_USER_STACK_H */
