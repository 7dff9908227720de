/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The relay buffers: probes reserve records in them, readers get complete sub-buffers.
 */
#ifndef KMEMTRACE_CHAN_H
#define KMEMTRACE_CHAN_H

#include <linux/poll.h>

#include "cpu.h"
#include "record_size.h"

int kmt_chan_open(u64 session); /* caller holds kmt_mutex */
void kmt_chan_close(void);      /* the same; no reader, no probe */
bool kmt_chan_is_open(void);
bool kmt_chan_covers(unsigned int cpu); /* was online since; caller holds kmt_mutex */

/*
 * Allows or forbids writing records, on all CPUs at the same instant. A record that is refused is
 * not counted as lost. Initially forbidden. Caller holds kmt_mutex; may sleep.
 */
void kmt_chan_set_writable(bool writable);
void kmt_chan_flush(void); /* completes the last sub-buffers; no probe may write */

/*
 * Completes the sub-buffers written so far, while probes run. Returns 0; -EBUSY: sub-buffers are
 * overwritten; -ENODEV: frozen; -EAGAIN: half of a CPU's sub-buffers wait for their reader. Caller
 * holds kmt_mutex, and may sleep.
 */
int kmt_chan_flush_running(void);
u64 kmt_chan_flushed_ns(void); /* when that was last done; 0: never; the same lock */

/* No sub-buffer is begun any more, and hardly a record written. From any context. */
void kmt_chan_freeze(void);
bool kmt_chan_frozen(void);

void kmt_chan_wake(void);                   /* wakes readers that poll */
u64 kmt_chan_bytes(void);                   /* memory held */
u64 kmt_chan_overwritten(unsigned int cpu); /* records overwritten by newer ones */
u64 kmt_chan_consumed(unsigned int cpu);    /* sub-buffers that were read or dropped */

const void *kmt_chan_subbuf(unsigned int cpu, unsigned int index); /* for tests */

/* For the trace files: see the views in kmemtrace_abi.h. */
int kmt_chan_get(unsigned int cpu); /* takes the one reader's place */
void kmt_chan_put(unsigned int cpu);
ssize_t kmt_chan_read(unsigned int cpu, char __user *ubuf, size_t count);
__poll_t kmt_chan_poll(unsigned int cpu, struct file *file, poll_table *wait);
bool kmt_chan_is_read(void); /* has a reader now; caller holds kmt_mutex */

/* Returns whether an unwritten record is a loss: only while records may be written. */
bool kmt_chan_counts_losses(void);

/*
 * Counts @count records that found no room. What comes after a freeze is not wanted, and no loss.
 * Interrupts must be off; or it may be anywhere, in an NMI too.
 */
void kmt_chan_count_lost(struct kmt_cpu *cpu, enum kmemtrace_loss reason, unsigned int count);
void kmt_chan_count_lost_any_context(enum kmemtrace_loss reason, unsigned long count);

/* Slow path of kmt_chan_reserve(): the sub-buffer is full. */
struct kmemtrace_record *kmt_chan_reserve_next(struct kmt_cpu *cpu);

/*
 * Reserves @count consecutive records in one sub-buffer, at most as many as fit in an empty one.
 * NULL if there is no room, which is not counted.
 */
struct kmemtrace_record *kmt_chan_reserve_run(struct kmt_cpu *cpu, unsigned int count);

/*
 * The slot of the next record in this CPU's buffer, or NULL if the buffer is full: the caller then
 * counts the lost event. Interrupts must be off from here to the end of writing.
 */
static __always_inline struct kmemtrace_record *kmt_chan_reserve(struct kmt_cpu *cpu)
{
	struct kmemtrace_record *record = cpu->next;

	/* kmt_chan_freeze() may take the limit away at any time. */
	if (unlikely(record >= data_race(cpu->limit)))
		return kmt_chan_reserve_next(cpu);
	cpu->next = (void *)record + kmt_record_len();
	cpu->written++;
	return record;
}

#endif /* KMEMTRACE_CHAN_H */
