/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the names of threads. A thread is named when it is created or renamed. A thread that
 * already existed, or whose name was lost, is named at its next event on each CPU. In overwrite
 * mode, each sub-buffer has the names of its threads, since others may be overwritten.
 */
#ifndef KMEMTRACE_NAMES_H
#define KMEMTRACE_NAMES_H

#include <linux/sched.h>

#include "cpu.h"

/* Returns the word in which the CPU notes that its stream has a name of the thread. */
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
 * If this CPU's stream has no name of the current thread, writes it to @record, which is reserved,
 * and returns another record in the same sub-buffer; NULL: there is no room. Otherwise returns
 * @record, which may be NULL. Interrupts must be off.
 */
struct kmemtrace_record *kmt_names_current(struct kmt_cpu *cpu, struct kmemtrace_record *record);

/* The same before a mark is reserved. Without room for the name, nothing is lost. */
void kmt_names_current_before_mark(struct kmt_cpu *cpu);

/* Record the name of a new thread, or the name @comm that a thread gets. From any context. */
void kmt_names_new_task(const struct task_struct *task);
void kmt_names_rename(const struct task_struct *task, const char *comm);

/* Forgets all names, since tids and names may have changed. No probe may run. */
void kmt_names_forget(void);

#endif /* KMEMTRACE_NAMES_H */
