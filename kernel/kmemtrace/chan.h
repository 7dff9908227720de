/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-CPU buffers: probes reserve records in them, readers get complete sub-buffers.
 */
#ifndef KMEMTRACE_CHAN_H
#define KMEMTRACE_CHAN_H

#include <linux/poll.h>

#include "cpu.h"
#include "record_size.h"

/*
 * Opens the buffers, with the sizes of kmt_config. @session becomes part of each header. Returns 0
 * or -ENOMEM. The caller holds kmt_mutex; may sleep.
 */
int kmt_chan_open(u64 session);
void kmt_chan_close(void); /* under kmt_mutex, without a reader, not writable; may sleep */
bool kmt_chan_is_open(void);

/* Returns whether @cpu has a buffer: it was online at some time since the open. Under kmt_mutex. */
bool kmt_chan_covers(unsigned int cpu);

/* Which records may be written. */
enum kmt_writable {
	KMT_WRITABLE_NONE, /* initially */
	KMT_WRITABLE_MAPS, /* those of kmt_chan_reserve_map(); only in overwrite mode */
	KMT_WRITABLE_ALL,
};

/*
 * Allows and forbids writing records, on all CPUs at the same instant. A record that is refused is
 * not counted as lost. With KMT_WRITABLE_NONE, no probe uses buffers and stacks any more. The
 * caller holds kmt_mutex; may sleep.
 */
void kmt_chan_set_writable(enum kmt_writable writable);
enum kmt_writable kmt_chan_get_writable(void); /* under kmt_mutex */

void kmt_chan_flush(void); /* completes the last ones; probes run, but may not write; kmt_mutex */

/*
 * Completes the sub-buffers written so far, while probes run. Returns 0; -EBUSY in overwrite mode;
 * -ENODEV if frozen; -EAGAIN: half of a CPU's sub-buffers wait for their reader. The caller holds
 * kmt_mutex; may sleep.
 */
int kmt_chan_flush_running(void);
u64 kmt_chan_flushed_ns(void); /* time of the last such call; 0: none; under kmt_mutex */

/*
 * Prevents new sub-buffers from now on; a record that a CPU is writing is the last one. From any
 * context.
 */
void kmt_chan_freeze(void);
bool kmt_chan_frozen(void);
u64 kmt_chan_frozen_ns(void); /* since when; 0: not frozen */

/* Under kmt_mutex. */
void kmt_chan_wake(void);                   /* wakes readers that poll */
u64 kmt_chan_bytes(void);                   /* memory held */
u64 kmt_chan_overwritten(unsigned int cpu); /* records overwritten before they were read */
u64 kmt_chan_consumed(unsigned int cpu);    /* sub-buffers read or dropped */

const void *kmt_chan_subbuf(unsigned int cpu, unsigned int index); /* for tests */

/*
 * For the files traceN, see kmemtrace_abi.h; all may sleep. kmt_chan_get() makes the caller the one
 * reader of a CPU: 0, -ENODEV if the CPU has no buffer, -EBUSY if it has a reader. Until
 * kmt_chan_put() it may call the others, without kmt_mutex.
 *
 * kmt_chan_read() copies the next complete sub-buffer and releases it. Returns its length in bytes;
 * 0: there is none, and tracing is disabled; -EAGAIN: there is none yet, or it was overwritten;
 * -EINVAL: @count is too small; -EFAULT.
 */
int kmt_chan_get(unsigned int cpu);
void kmt_chan_put(unsigned int cpu);
ssize_t kmt_chan_read(unsigned int cpu, char __user *ubuf, size_t count);
__poll_t kmt_chan_poll(unsigned int cpu, struct file *file, poll_table *wait);
bool kmt_chan_is_read(void); /* any CPU has a reader; under kmt_mutex */

/* Returns whether a missing record is a loss: only while records may be written. Any context. */
bool kmt_chan_counts_losses(void);

/*
 * Count @count records as lost, if kmt_chan_counts_losses(). kmt_chan_count_lost() requires that
 * interrupts are off; the other one may be called in any context, also in an NMI.
 */
void kmt_chan_count_lost(struct kmt_cpu *cpu, enum kmemtrace_loss reason, unsigned int count);
void kmt_chan_count_lost_any_context(enum kmemtrace_loss reason, unsigned long count);

/* Slow path of kmt_chan_reserve(): the sub-buffer is full. */
struct kmemtrace_record *kmt_chan_reserve_next(struct kmt_cpu *cpu);

/*
 * Reserves @count consecutive records in one sub-buffer, at most as many as fit in an empty one.
 * Returns the first; NULL if there is no room, which is not counted. Interrupts must be off.
 */
struct kmemtrace_record *kmt_chan_reserve_run(struct kmt_cpu *cpu, unsigned int count);

/*
 * Returns the next record in this CPU's buffer; NULL if the buffer is full, and then the caller
 * counts the loss. Interrupts must be off until the record is complete.
 */
static __always_inline struct kmemtrace_record *kmt_chan_reserve(struct kmt_cpu *cpu)
{
	/* kmt_chan_flush() of another CPU may set it: then there is no room. */
	struct kmemtrace_record *record = data_race(cpu->next);

	/* kmt_chan_freeze() may clear the limit at any time. */
	if (unlikely(record >= data_race(cpu->limit)))
		return kmt_chan_reserve_next(cpu);
	cpu->next = (void *)record + kmt_record_len();
	cpu->written++;
	return record;
}

/* The same for a record that KMT_WRITABLE_MAPS allows. */
struct kmemtrace_record *kmt_chan_reserve_map(struct kmt_cpu *cpu);

#endif /* KMEMTRACE_CHAN_H */
