/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the loader's mark into the ring of this CPU. Filters don't apply to marks.
 */
#ifndef KMEMTRACE_MARK_H
#define KMEMTRACE_MARK_H

#include "ring.h"

static __always_inline void kmt_mark_publish(const struct kmt_slot *slot,
					     enum kmemtrace_event event)
{
	if (config.user_stacks) {
		kmt_user_record(slot)->user_stack_id = KMEMTRACE_STACK_NONE;
		kmt_user_record(slot)->tgid = bpf_get_current_pid_tgid() >> 32;
	}
	kmt_publish(slot, KMEMTRACE_CONTEXT_TASK << KMEMTRACE_TYPE_CONTEXT_SHIFT | event);
}

/*
 * Fills up a sub-buffer whose rest is too short for the mark: writes a record that names this
 * thread.
 */
static __always_inline void kmt_mark_name(struct kmt_bpf_ring *ring, __u32 cpu)
{
	__u64 pid_tgid = bpf_get_current_pid_tgid();
	struct kmemtrace_record *record;
	struct kmt_slot slot;

	if (kmt_reserve_run(ring, cpu, 1, 1, &slot) != KMT_RESERVED)
		return;
	record = slot.record;
	__builtin_memset(record, 0, sizeof(*record) - sizeof(record->type));
	record->time_ns = slot.time_ns;
	bpf_get_current_comm(record->comm, sizeof(record->comm));
	record->gfp = pid_tgid >> 32;
	record->tid = (__u32)pid_tgid;
	kmt_mark_publish(&slot, KMEMTRACE_EVENT_TASK);
}

static __always_inline void kmt_mark_write(const struct kmt_slot *first, __u32 parts)
{
	__u32 i;

	for (i = 0; i < KMEMTRACE_MARK_RECORDS && i < parts; i++) {
		const struct kmt_slot slot = { (void *)first->record + i * config.record_bytes,
					       first->time_ns };

		slot.record->time_ns = slot.time_ns;
		__builtin_memcpy(slot.record->text, state.mark.text[i], KMEMTRACE_MARK_TEXT);
		slot.record->tid = state.mark.tid;
		slot.record->mark.part = i;
		slot.record->mark.parts = parts;
		slot.record->node = 0;
		kmt_mark_publish(&slot, KMEMTRACE_EVENT_MARK);
	}
}

/* The body of a loop: writes the mark, or a record after which there may be room for it. */
static long kmt_mark_try(__u32 i, const __u32 *cpu)
{
	struct kmt_bpf_ring *ring = bpf_map_lookup_elem(&rings, cpu);
	__u32 parts = state.mark.parts;
	enum kmt_reserved result;
	struct kmt_slot slot;

	if (!ring || parts > KMEMTRACE_MARK_RECORDS)
		return 1;
	result = kmt_reserve_run(ring, *cpu, KMEMTRACE_MARK_RECORDS, parts, &slot);
	if (result == KMT_SUBBUF_SHORT) {
		kmt_mark_name(ring, *cpu);
		return 0;
	}
	if (result == KMT_RESERVED) {
		kmt_mark_write(&slot, parts);
		state.mark.written = 1;
	}
	return 1;
}

/* Run only by the loader, for one mark at a time. */
SEC("raw_tp")
int kmt_mark(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	state.mark.written = 0;
	if (cpu < config.cpus)
		bpf_loop(KMEMTRACE_MARK_RECORDS + 1, kmt_mark_try, &cpu, 0);
	return 0;
}

#endif /* KMEMTRACE_MARK_H */
