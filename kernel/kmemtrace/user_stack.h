/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks: the calls in a program that led to an allocation in the kernel. While disabled, they
 * cost two no-op instructions per event.
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
 * Fills in the fields of struct kmemtrace_record_user for the current thread. @take: find its user
 * stack; only in task context. Interrupts must be off.
 */
void kmt_user_note(struct kmt_cpu *cpu, struct kmemtrace_record *record, bool take);

#endif /* KMEMTRACE_USER_STACK_H */
