// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slow paths of event.h: thread-name records and resetting per-CPU state.
 */
#include <linux/string.h>

#include "event.h"

static void kmt_fill_task(struct kmt_cpu *cpu, struct kmemtrace_record *record,
			  const struct task_struct *task, const char *comm)
{
	WRITE_ONCE(cpu->named[(u32)task->pid % KMT_TASK_SLOTS], task->pid);
	memset(record, 0, kmt_record_len());
	if (kmt_user_is_on())
		kmt_record_user(record)->tgid = task->tgid;
	record->time_ns = kmt_clock_ns();
	strscpy(record->comm, comm, sizeof(record->comm));
	record->gfp = task->tgid;
	record->tid = task->pid;
	barrier(); /* the type makes it valid */
	record->type = KMEMTRACE_EVENT_TASK;
}

static bool kmt_write_task(struct kmt_cpu *cpu, const struct task_struct *task, const char *comm)
{
	struct kmemtrace_record *record = kmt_chan_reserve(cpu);

	if (record)
		kmt_fill_task(cpu, record, task, comm);
	return record;
}

/*
 * Forgets the names that the streams of all CPUs have for the thread. Another CPU may be changing
 * the word: then a thread is named once more.
 */
static void kmt_forget_name(const struct task_struct *task)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
		u32 *named = &cpu->named[(u32)task->pid % KMT_TASK_SLOTS];

		if (READ_ONCE(*named) == (u32)task->pid)
			WRITE_ONCE(*named, 0);
	}
}

static void kmt_count_lost_name(struct kmt_cpu *cpu, const struct task_struct *task)
{
	kmt_forget_name(task);
	kmt_chan_count_lost(cpu, KMEMTRACE_LOSS_NAME, 1);
}

/* Idle threads share tid 0, and need no name. */
noinline struct kmemtrace_record *kmt_event_name_current(struct kmt_cpu *cpu,
							 struct kmemtrace_record *record)
{
	while (record && current->pid && !kmt_task_is_named(cpu, current->pid)) {
		kmt_fill_task(cpu, record, current, current->comm);
		record = kmt_chan_reserve(cpu);
	}
	return record;
}

void kmt_event_name_before_mark(struct kmt_cpu *cpu)
{
	if (current->pid && !kmt_task_is_named(cpu, current->pid))
		kmt_write_task(cpu, current, current->comm);
}

void kmt_event_task(const struct task_struct *task, const char *comm)
{
	struct kmt_cpu *cpu;
	unsigned long flags;

	if (in_nmi()) {
		kmt_chan_count_lost_any_context(KMEMTRACE_LOSS_NAME, 1);
		return;
	}
	local_irq_save(flags);
	cpu = this_cpu_ptr(&kmt_cpu);
	/* This CPU's stream may lose the name earlier than others lose events of the thread. */
	if (kmt_config.overwrite)
		kmt_forget_name(task);
	if (cpu->writing) {
		kmt_count_lost_name(cpu, task);
	} else {
		cpu->writing = true;
		if (!kmt_write_task(cpu, task, comm))
			kmt_count_lost_name(cpu, task);
		cpu->writing = false;
	}
	local_irq_restore(flags);
}

struct kmt_origin kmt_event_origin_of_call(const struct kmt_caller_regs *here, struct pt_regs *regs)
{
	struct kmt_origin origin = { here->ip, KMEMTRACE_STACK_NONE };
	struct kmt_event event;

	/* The event itself comes later, and counts as lost then. */
	if (!kmt_event_try(&event, false))
		return origin;
	/* Without stacks, most of these addresses are known as callers. */
	if (kmt_stack_is_on() || (!kmt_walk_is_caller(here->ip) &&
				  !kmt_caller_find(event.cpu, here, &origin.call_site))) {
		/* The unwinder, if needed, starts at the function's entry, not in the probe. */
		event.cpu->unwind_from = regs;
		origin = kmt_stack_origin(event.cpu, here,
					  kmt_stack_cache_tag(here->ip, event.context),
					  kmt_event_hint());
		event.cpu->unwind_from = NULL;
	}
	kmt_event_leave(&event);
	return origin;
}

unsigned long kmt_event_call_site(const struct kmt_caller_regs *here, unsigned long call_site)
{
	struct kmt_event event;

	if (!kmt_is_trampoline(call_site) || !kmt_event_try(&event, false))
		return call_site;
	call_site = kmt_stack_origin(event.cpu, here, kmt_stack_cache_tag(call_site, event.context),
				     kmt_event_hint())
			    .call_site;
	kmt_event_leave(&event);
	return call_site;
}

void kmt_event_forget_names(void)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);

		memset(cpu->named, 0, sizeof(cpu->named));
	}
}

void kmt_event_reset(void)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
		struct kmt_stack_cache_entry *stack_cache = cpu->stack_cache;
		struct kmt_bounds irq_stack = cpu->irq_stack;

		memset(cpu, 0, sizeof(*cpu));
		cpu->stack_cache = stack_cache;
		cpu->irq_stack = irq_stack;
	}
}
