/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes events: kmt_event_begin() reserves a record and fills in the common fields, the probe
 * fills in the rest, and kmt_event_end() publishes it. All of it is inlined into each probe, since
 * it adds to the cost of each allocation.
 *
 * Interrupts are disabled from begin to end, so the records of a CPU are complete and in time
 * order. In an NMI events are only counted.
 */
#ifndef KMEMTRACE_EVENT_H
#define KMEMTRACE_EVENT_H

#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "arch.h"
#include "caller.h"
#include "chan.h"
#include "clock.h"
#include "cpu.h"
#include "kmemtrace.h"
#include "names.h"
#include "stack.h"
#include "trampoline.h"
#include "user_stack.h"
#include "verify.h"

/* An event that is being written; lives in registers. */
struct kmt_event {
	struct kmt_cpu *cpu;
	struct kmemtrace_record *record;
	unsigned long flags; /* of local_irq_save() */
	u8 context;          /* KMEMTRACE_CONTEXT_…, shifted as in the record's type */
};

/*
 * Clears the state of all CPUs; no probe may run. No event begins before kmt_chan_set_writable().
 */
void kmt_event_reset(void);

/* Bits of the preemption count that determine the context of an event. */
#define KMT_PREEMPT_NMI     NMI_MASK
#define KMT_PREEMPT_HARDIRQ HARDIRQ_MASK
#define KMT_PREEMPT_SOFTIRQ SOFTIRQ_OFFSET
#define KMT_PREEMPT_ODD     (KMT_PREEMPT_NMI | KMT_PREEMPT_HARDIRQ | KMT_PREEMPT_SOFTIRQ)

/*
 * Returns the preemption count, with the bit of softirqs also with PREEMPT_RT, where each thread
 * counts softirqs itself. Threaded interrupt handlers count as tasks.
 */
static __always_inline unsigned int kmt_event_preempt(void)
{
	unsigned int preempt = preempt_count();

#ifdef CONFIG_PREEMPT_RT
	preempt |= current->softirq_disable_cnt & KMT_PREEMPT_SOFTIRQ;
#endif
	return preempt;
}

static __always_inline u8 kmt_event_context(unsigned int preempt)
{
	if (likely(!(preempt & KMT_PREEMPT_ODD)))
		return KMEMTRACE_CONTEXT_TASK << KMEMTRACE_TYPE_CONTEXT_SHIFT;
	return (preempt & KMT_PREEMPT_HARDIRQ ? KMEMTRACE_CONTEXT_HARDIRQ
					      : KMEMTRACE_CONTEXT_SOFTIRQ)
	       << KMEMTRACE_TYPE_CONTEXT_SHIFT;
}

/* Returns the number of the system call, which best distinguishes stacks of one call site. */
static __always_inline unsigned long kmt_event_hint(void)
{
	return kmt_system_call();
}

/* Returns the call site and stack of an event. Its @call_site is 0 if the tracepoint has none. */
static __always_inline struct kmt_origin kmt_event_origin(struct kmt_cpu *cpu,
							  const struct kmt_caller_regs *here,
							  unsigned long call_site,
							  unsigned long hint, u8 context)
{
	struct kmt_origin origin = { call_site, KMEMTRACE_STACK_NONE };
	unsigned long tag;

	/* With stacks, those with a trampoline as call site are never cached. */
	if (!kmt_stack_is_on() && call_site && !kmt_is_trampoline(call_site))
		return origin;
	tag = kmt_stack_cache_tag(call_site, context);
	if (!kmt_stack_is_on() && !call_site &&
	    likely(kmt_caller_find(cpu, here, &origin.call_site))) {
		cpu->stacks[KMT_STACK_CACHED]++;
		kmt_verify(here->ip, tag, origin);
		return origin;
	}
	origin = kmt_stack_origin(cpu, here, tag, hint ^ kmt_event_hint());
	kmt_verify(here->ip, tag, origin);
	return origin;
}

/*
 * Returns @call_site, which the tracepoint at @here passed, or if that is a trampoline, the caller
 * that it replaced. For probes that need the caller before they begin an event.
 */
unsigned long kmt_event_call_site(const struct kmt_caller_regs *here, unsigned long call_site);

/*
 * Returns the origin of the events of a probed function that was called at @here; @regs are the
 * registers at its entry. It may be used for several events, also later.
 */
struct kmt_origin kmt_event_origin_of_call(const struct kmt_caller_regs *here,
					   struct pt_regs *regs);

/*
 * Disables interrupts and begins to write on this CPU. False in an NMI, or while another event is
 * being written on this CPU; with @is_event, that counts as a lost event.
 */
static __always_inline bool kmt_event_try(struct kmt_event *event, bool is_event)
{
	unsigned int preempt = kmt_event_preempt();

	if (unlikely(preempt & KMT_PREEMPT_NMI)) {
		if (is_event)
			kmt_chan_count_lost_any_context(KMEMTRACE_LOSS_NMI, 1);
		return false;
	}
	event->context = kmt_event_context(preempt);
	local_irq_save(event->flags);
	event->cpu = this_cpu_ptr(&kmt_cpu);
	if (likely(!event->cpu->writing)) {
		event->cpu->writing = true;
		return true;
	}
	if (is_event)
		kmt_chan_count_lost(event->cpu, KMEMTRACE_LOSS_RECURSION, 1);
	local_irq_restore(event->flags);
	return false;
}

/* As kmt_event_try(), for an event. kmt_event_leave() must follow. */
static __always_inline bool kmt_event_enter(struct kmt_event *event)
{
	return kmt_event_try(event, true);
}

static __always_inline void kmt_event_leave(const struct kmt_event *event)
{
	event->cpu->writing = false;
	local_irq_restore(event->flags);
}

/* Reserves the record and fills in the common fields. False: leaves, and counts the loss. */
static __always_inline bool kmt_event_reserve(struct kmt_event *event, struct kmt_origin origin)
{
	struct kmt_cpu *cpu = event->cpu;
	struct kmemtrace_record *record;

	record = kmt_chan_reserve(cpu);
	if (unlikely(!kmt_names_has(cpu, current->pid)))
		record = kmt_names_current(cpu, record);
	if (unlikely(!record)) {
		kmt_chan_count_lost(cpu, KMEMTRACE_LOSS_BUFFER_FULL, 1);
		kmt_event_leave(event);
		return false;
	}
	record->time_ns = kmt_clock_ns(); /* after kmt_chan_reserve(), which may write a header */
	record->call_site = origin.call_site;
	record->stack_id = origin.stack_id;
	record->tid = current->pid;
	event->record = record;
	return true;
}

/*
 * Begins an event of a probe that was called at @here. False: it is not recorded, and counted if
 * lost. Otherwise the caller fills in the other fields of @event->record, and calls
 * kmt_event_end(). @call_site: from the tracepoint, 0: to be found; @hint: see stack_cache.h.
 */
static __always_inline bool kmt_event_begin(struct kmt_event *event,
					    const struct kmt_caller_regs *here,
					    unsigned long call_site, unsigned long hint)
{
	if (!kmt_event_enter(event))
		return false;
	return kmt_event_reserve(
		event, kmt_event_origin(event->cpu, here, call_site, hint, event->context));
}

/* As kmt_event_begin(), with a known origin. */
static __always_inline bool kmt_event_begin_known(struct kmt_event *event, struct kmt_origin origin)
{
	return kmt_event_enter(event) && kmt_event_reserve(event, origin);
}

static __always_inline bool kmt_event_allocates(enum kmemtrace_event type)
{
	return type == KMEMTRACE_EVENT_KMALLOC || type == KMEMTRACE_EVENT_CACHE_ALLOC ||
	       type == KMEMTRACE_EVENT_PAGE_ALLOC || type == KMEMTRACE_EVENT_PERCPU_ALLOC ||
	       type == KMEMTRACE_EVENT_VMAP_ALLOC;
}

/* Publishes the record, which is complete but for its type, and restores interrupts. */
static __always_inline void kmt_event_end(const struct kmt_event *event, enum kmemtrace_event type)
{
	if (kmt_user_is_on())
		kmt_user_note(event->cpu, event->record,
			      kmt_event_allocates(type) &&
				      event->context == KMEMTRACE_CONTEXT_TASK);
	barrier(); /* the type makes it valid */
	event->record->type = type | event->context;
	kmt_event_leave(event);
}

#endif /* KMEMTRACE_EVENT_H */
