/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of threads. A thread is named by a record when it is created or renamed; one that already
 * exists, or whose record was lost, by its next event on each CPU. In overwrite mode each
 * sub-buffer has the names of its threads, as the others may be overwritten.
 */
#ifndef KMEMTRACE_NAMES_H
#define KMEMTRACE_NAMES_H

#include <linux/sched.h>

#include "cpu.h"

/* Returns where the CPU notes which thread has a name in its stream. */
static __always_inline u32 *kmt_named(struct kmt_cpu *cpu, u32 tid)
{
	return &cpu->named[tid % KMT_TASK_SLOTS];
}

/* Returns whether this CPU's stream has a name of the thread. */
static __always_inline bool kmt_names_has(struct kmt_cpu *cpu, u32 tid)
{
	return READ_ONCE(*kmt_named(cpu, tid)) == tid;
}

/*
 * Writes the name of the current thread to @record, which is reserved, if this CPU's stream has
 * none, and returns another record in the same sub-buffer; NULL: there is no room. @record may be
 * NULL. Interrupts must be off.
 */
struct kmemtrace_record *kmt_names_current(struct kmt_cpu *cpu, struct kmemtrace_record *record);

/* The same before a mark is reserved. If there is no room for the name, this is no loss. */
void kmt_names_current_before_mark(struct kmt_cpu *cpu);

/* Record the name of a thread that was created, or gets the name @comm. From any context. */
void kmt_names_new_task(const struct task_struct *task);
void kmt_names_rename(const struct task_struct *task, const char *comm);

/* Names all threads again: tids and names may have changed since. No probe may run. */
void kmt_names_forget(void);

#endif /* KMEMTRACE_NAMES_H */
