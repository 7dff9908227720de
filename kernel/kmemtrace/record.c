// SPDX-License-Identifier: GPL-2.0-only
/*
 * The encoders: what a probe knows becomes a record in place, in this CPU's buffer.
 *
 * Interrupts are off from the reservation to the last store, so the records of a CPU are complete,
 * and in order of time, whatever interrupts it. An NMI doesn't write: it is counted.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "kmemtrace.h"

struct kmt_cpu __percpu *kmt_cpus;

static u8 kmt_type(enum kmemtrace_event event)
{
	unsigned int context = KMEMTRACE_CONTEXT_TASK;

	if (in_hardirq())
		context = KMEMTRACE_CONTEXT_HARDIRQ;
	else if (in_serving_softirq())
		context = KMEMTRACE_CONTEXT_SOFTIRQ;
	return event | context << KMEMTRACE_TYPE_CONTEXT_SHIFT;
}

static u8 kmt_node(int node)
{
	if (node < 0)
		return KMEMTRACE_NODE_ANY;
	return min_t(int, node, KMEMTRACE_NODE_HIGH);
}

static u32 kmt_size(size_t bytes)
{
	return min_t(size_t, bytes, U32_MAX);
}

static void kmt_record_task(struct kmt_cpu *cpu, struct kmt_task_slot *slot, u64 time_ns)
{
	struct kmemtrace_record *record = kmt_chan_reserve(cpu);

	if (!record)
		return;
	slot->tid = current->pid;
	memcpy(slot->comm, current->comm, sizeof(slot->comm));

	memset(record, 0, sizeof(*record));
	record->time_ns = time_ns;
	memcpy(record->comm, slot->comm, sizeof(record->comm));
	record->gfp = current->tgid;
	record->tid = current->pid;
	barrier();	/* the type makes it valid */
	record->type = KMEMTRACE_EVENT_TASK;
}

/* Names the current thread in the stream, unless this CPU's stream has told that name already. */
static void kmt_announce_task(struct kmt_cpu *cpu, u64 time_ns)
{
	u32 tid = current->pid;
	struct kmt_task_slot *slot = &cpu->tasks[tid % KMT_TASK_SLOTS];

	BUILD_BUG_ON(sizeof(slot->comm) != TASK_COMM_LEN);
	if (likely(slot->tid == tid && !memcmp(slot->comm, current->comm, sizeof(slot->comm))))
		return;
	if (tid)	/* the idle threads share tid 0, and need no name */
		kmt_record_task(cpu, slot, time_ns);
}

/*
 * A slot with what all events have in common, and interrupts off; or NULL, counted, and interrupts
 * as they were. The caller fills in the rest and ends with kmt_record_end().
 */
static struct kmemtrace_record *kmt_record_begin(struct kmt_origin origin, unsigned long *flags)
{
	struct kmemtrace_record *record;
	struct kmt_cpu *cpu;
	u64 time_ns;

	local_irq_save(*flags);
	cpu = this_cpu_ptr(kmt_cpus);
	if (unlikely(cpu->writing)) {
		cpu->lost[KMEMTRACE_LOSS_RECURSION]++;
		goto restore;
	}
	cpu->writing = true;
	time_ns = ktime_get_mono_fast_ns();
	kmt_announce_task(cpu, time_ns);
	record = kmt_chan_reserve(cpu);
	if (unlikely(!record))
		goto done;
	record->time_ns = time_ns;
	record->call_site = origin.call_site;
	record->stack_id = origin.stack_id;
	record->tid = current->pid;
	return record;

done:
	cpu->writing = false;
restore:
	local_irq_restore(*flags);
	return NULL;
}

static void kmt_record_end(struct kmemtrace_record *record, enum kmemtrace_event event,
			   unsigned long flags)
{
	barrier();	/* the type makes it valid */
	record->type = kmt_type(event);
	this_cpu_write(kmt_cpus->writing, false);
	local_irq_restore(flags);
}

void kmt_record_alloc(enum kmemtrace_event event, const void *ptr, struct kmt_origin origin,
		      size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node, u16 cache)
{
	unsigned long flags;
	struct kmemtrace_record *record = kmt_record_begin(origin, &flags);

	if (!record)
		return;
	record->addr = (unsigned long)ptr;
	record->bytes_req = kmt_size(bytes_req);
	record->bytes_alloc = kmt_size(bytes_alloc);
	record->gfp = (__force u32)gfp;
	record->cache = cache;
	record->node = kmt_node(node);
	kmt_record_end(record, event, flags);
}

void kmt_record_free(enum kmemtrace_event event, const void *ptr, struct kmt_origin origin,
		     u16 cache)
{
	unsigned long flags;
	struct kmemtrace_record *record = kmt_record_begin(origin, &flags);

	if (!record)
		return;
	record->addr = (unsigned long)ptr;
	record->bytes_req = 0;
	record->bytes_alloc = 0;
	record->gfp = 0;
	record->cache = cache;
	record->node = KMEMTRACE_NODE_ANY;
	kmt_record_end(record, event, flags);
}

void kmt_record_page(enum kmemtrace_event event, unsigned long pfn, struct kmt_origin origin,
		     unsigned int order, gfp_t gfp, int migratetype, int node)
{
	unsigned long flags;
	struct kmemtrace_record *record = kmt_record_begin(origin, &flags);

	if (!record)
		return;
	record->addr = pfn;
	record->bytes_req = kmt_size(PAGE_SIZE << order);
	record->bytes_alloc = record->bytes_req;
	record->gfp = (__force u32)gfp;
	record->page.order = order;
	record->page.migratetype = migratetype;
	record->node = kmt_node(node);
	kmt_record_end(record, event, flags);
}

void kmt_record_reset(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(kmt_cpus, cpu), 0, sizeof(struct kmt_cpu));
}
