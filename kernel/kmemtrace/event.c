// SPDX-License-Identifier: GPL-2.0-only
/*
 * What of writing events is seldom needed: a record that names a thread, and a new start.
 */
#include <linux/string.h>

#include "event.h"

DEFINE_PER_CPU(struct kmt_cpu, kmt_cpu);

noinline void kmt_event_name_task(struct kmt_cpu *cpu, u64 time_ns)
{
	u32 tid = current->pid;
	struct kmt_task_slot *slot = &cpu->tasks[tid % KMT_TASK_SLOTS];
	struct kmemtrace_record *record;

	if (!tid)	/* the idle threads share tid 0, and need no name */
		return;
	record = kmt_chan_reserve(cpu);
	if (!record)
		return;
	slot->tid = tid;
	memcpy(slot->comm, current->comm, sizeof(slot->comm));

	memset(record, 0, sizeof(*record));
	record->time_ns = time_ns;
	memcpy(record->comm, slot->comm, sizeof(record->comm));
	record->gfp = current->tgid;
	record->tid = tid;
	barrier();	/* the type makes it valid */
	record->type = KMEMTRACE_EVENT_TASK;
}

void kmt_event_reset(void)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
		struct kmt_recall *recall = cpu->recall;
		struct kmt_bounds irq_stack = cpu->irq_stack;

		memset(cpu, 0, sizeof(*cpu));
		cpu->recall = recall;
		cpu->irq_stack = irq_stack;
	}
}
