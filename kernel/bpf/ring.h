/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reserves, publishes and counts records in the ring of this CPU.
 */
#ifndef KMEMTRACE_RING_H
#define KMEMTRACE_RING_H

#include "common.h"

#define KMT_RESERVE_TRIES 8 /* interrupts in a row, each just before the exchange */

#define barrier() asm volatile("" ::: "memory")

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* the loader sets both */
	__type(key, __u32);
	__type(value, struct kmt_bpf_ring);
} rings SEC(".maps");

/* The sub-buffers of all CPUs; those of a CPU are adjacent. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, 4096); /* the loader sets both */
} subbufs SEC(".maps");

struct kmt_slot {
	struct kmemtrace_record *record;
	__u64 time_ns;
};

static __always_inline void kmt_count_lost(struct kmt_bpf_ring *ring, enum kmemtrace_loss reason)
{
	__sync_fetch_and_add(&ring->lost[reason], 1);
}

/* Writes the time and counts at the start of a sub-buffer. The reader adds what it knows. */
static __always_inline void kmt_begin_subbuf(const struct kmt_bpf_ring *ring,
					     struct kmemtrace_subbuf_header *header, __u64 time_ns)
{
	int reason;

	header->time_ns = time_ns;
	header->ignored = ring->ignored;
	for (reason = 0; reason < KMEMTRACE_LOSS_MAX; reason++)
		header->lost[reason] = ring->lost[reason];
}

enum kmt_reserved {
	KMT_RESERVED,
	KMT_RING_FULL,
	KMT_SUBBUF_SHORT, /* its rest has no room for the records */
	KMT_INTERRUPTED,  /* too often */
};

/*
 * Reserves @count adjacent records in the ring of @cpu and stores the first in *@slot. The
 * sub-buffer has room for @room records from there on. @room is a constant, at least @count. Counts
 * no losses.
 */
static __always_inline enum kmt_reserved kmt_reserve_run(struct kmt_bpf_ring *ring, __u32 cpu,
							 __u32 room, __u32 count,
							 struct kmt_slot *slot)
{
	__u64 head, number = 0, used = 0;
	void *subbuf;
	__u32 key;
	int i;

	for (i = 0; i < KMT_RESERVE_TRIES; i++) {
		head = *(volatile __u64 *)&ring->head;
		slot->time_ns = bpf_ktime_get_ns();
		number = head >> KMT_BPF_HEAD_SHIFT;
		used = head & KMT_BPF_HEAD_USED;
		if (used >= config.records) {
			number++;
			used = 0;
		}
		if (used > config.records - room)
			return KMT_SUBBUF_SHORT;
		/* If this is interrupted, more may be consumed, but then the head has changed. */
		if (!config.overwrite &&
		    (__s64)(number - *(volatile __u64 *)&ring->consumed) >= (__s64)config.subbufs)
			return KMT_RING_FULL;
		if (__sync_val_compare_and_swap(&ring->head, head,
						number << KMT_BPF_HEAD_SHIFT | (used + count)) ==
		    head)
			break;
	}
	if (i == KMT_RESERVE_TRIES)
		return KMT_INTERRUPTED;
	key = cpu * config.subbufs + (number & (config.subbufs - 1));
	subbuf = bpf_map_lookup_elem(&subbufs, &key);
	if (!subbuf || used > config.records - room)
		return KMT_RING_FULL;
	if (!used)
		kmt_begin_subbuf(ring, subbuf, slot->time_ns);
	slot->record = subbuf + sizeof(struct kmemtrace_subbuf_header) + used * config.record_bytes;
	return KMT_RESERVED;
}

/* Returns whether a record was reserved in the ring of @cpu. A full ring is a loss for @reason. */
static __always_inline bool kmt_reserve(struct kmt_bpf_ring *ring, __u32 cpu,
					enum kmemtrace_loss reason, struct kmt_slot *slot)
{
	enum kmt_reserved result = kmt_reserve_run(ring, cpu, 1, 1, slot);

	if (result == KMT_RESERVED)
		return true;
	kmt_count_lost(ring, result == KMT_INTERRUPTED ? KMEMTRACE_LOSS_RECURSION : reason);
	return false;
}

/* Returns the record with its additional fields, which it has if user stacks are recorded. */
static __always_inline struct kmemtrace_record_user *kmt_user_record(const struct kmt_slot *slot)
{
	return (struct kmemtrace_record_user *)slot->record;
}

/* Publishes the record: its type is stored last. */
static __always_inline void kmt_publish(const struct kmt_slot *slot, __u8 type)
{
	barrier();
	*(volatile __u8 *)&slot->record->type = type;
}

#endif /* KMEMTRACE_RING_H */
