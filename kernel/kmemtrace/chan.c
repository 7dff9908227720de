// SPDX-License-Identifier: GPL-2.0-only
/*
 * The relay channel: one buffer per CPU, divided into sub-buffers. The only file that uses relay.
 *
 * The channel has no base name, so that it can be opened before there are file systems; debugfs.c
 * has the files. A reader gets only complete sub-buffers, so it never sees a record that is being
 * written.
 *
 * Invariants: a buffer is written only on its own CPU, with interrupts off, or by kmt_chan_flush()
 * while no records may be written. Sub-buffers are counted as consumed by the one reader that
 * kmt_chan_get() admits, and as dropped when tracing is disabled, both under the spinlock of that
 * CPU's reader. The channel is opened and closed under kmt_mutex, and closed only when there is no
 * reader and no event can begin. Between two calls of kmt_chan_set_writable() either all CPUs may
 * write records or none may.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/relay.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "chan.h"
#include "clock.h"
#include "compat.h"
#include "kmemtrace.h"

/* The reader of a CPU's buffer. */
struct kmt_reader {
	struct mutex lock; /* one read() at a time: threads may share the file */
	/* Protects subbufs_consumed and the counters: a read() may hold the mutex forever. */
	spinlock_t consumed_lock;
	u64 read_end;    /* records up to the end of the sub-buffer that was read last */
	u64 overwritten; /* those of them that were overwritten before they were read */
	bool present;    /* under kmt_mutex */
};

static struct rchan *kmt_chan; /* under kmt_mutex; while open, also used by probes and readers */
static u64 kmt_chan_session;   /* constant while the channel is open */
static struct kmt_reader *kmt_readers; /* nr_cpu_ids of them, while the channel is open */
static unsigned int kmt_reader_count;  /* of present ones; under kmt_mutex */

static enum kmt_writable kmt_chan_writable; /* changed in stop_machine() */
static bool kmt_chan_is_frozen;             /* no new sub-buffer is started */
static u64 kmt_chan_froze_ns;               /* when that began */
static u64 kmt_flushed_ns; /* older records can be read; 0: never flushed; under kmt_mutex */

/* relay only checks that create_buf_file() does not return NULL. */
static struct dentry kmt_no_dentry;

static struct dentry *kmt_create_buf_file(const char *filename, struct dentry *parent, umode_t mode,
					  struct rchan_buf *buf, int *is_global)
{
	return &kmt_no_dentry;
}

static int kmt_remove_buf_file(struct dentry *dentry)
{
	return 0;
}

static void kmt_write_header(struct kmemtrace_subbuf_header *header, unsigned int cpu_nr)
{
	struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);

	memset(header, 0, sizeof(*header));
	header->magic = KMEMTRACE_SUBBUF_MAGIC;
	header->abi_version = KMEMTRACE_ABI_VERSION;
	header->header_len = sizeof(*header);
	header->record_len = kmt_record_len();
	header->byte_order = IS_ENABLED(CONFIG_CPU_BIG_ENDIAN) ? KMEMTRACE_BYTE_ORDER_BIG
							       : KMEMTRACE_BYTE_ORDER_LITTLE;
	header->word_size = sizeof(long);
	header->cpu = cpu_nr;
	header->seq = cpu->seq++;
	header->time_ns = kmt_clock_ns();
	header->session = kmt_chan_session;
	header->written = cpu->written;
	header->ignored = cpu->ignored;
	memcpy(header->lost, cpu->lost, sizeof(header->lost));
}

/*
 * Also called for the first sub-buffer of each CPU, on any CPU, before there are writers.
 */
static int kmt_subbuf_start(KMT_SUBBUF_START_ARGS)
{
	if (READ_ONCE(kmt_chan_is_frozen) || (!kmt_config.overwrite && relay_buf_full(buf)))
		return 0;
	kmt_write_header(subbuf, buf->cpu);
	if (kmt_config.overwrite) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, buf->cpu);

		memset(cpu->named, 0, sizeof(cpu->named));
	}
	subbuf_start_reserve(buf, sizeof(struct kmemtrace_subbuf_header));
	return 1;
}

static const struct rchan_callbacks kmt_chan_callbacks = {
	.subbuf_start = kmt_subbuf_start,
	.create_buf_file = kmt_create_buf_file,
	.remove_buf_file = kmt_remove_buf_file,
};

static int kmt_readers_init(void)
{
	unsigned int cpu;

	kmt_readers = kcalloc(nr_cpu_ids, sizeof(*kmt_readers), GFP_KERNEL);
	if (!kmt_readers)
		return -ENOMEM;
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		mutex_init(&kmt_readers[cpu].lock);
		spin_lock_init(&kmt_readers[cpu].consumed_lock);
	}
	return 0;
}

int kmt_chan_open(u64 session)
{
	int ret = kmt_readers_init();

	if (ret)
		return ret;
	kmt_chan_session = session;
	kmt_flushed_ns = 0;
	kmt_chan = relay_open(NULL, NULL, kmt_config.subbuf_size, kmt_config.subbufs,
			      &kmt_chan_callbacks, NULL);
	return kmt_chan ? 0 : -ENOMEM;
}

void kmt_chan_close(void)
{
	if (kmt_chan)
		relay_close(kmt_chan);
	kmt_chan = NULL;
	kmt_chan_is_frozen = false;
	kfree(kmt_readers);
	kmt_readers = NULL;
}

bool kmt_chan_is_open(void)
{
	return kmt_chan;
}

static struct rchan_buf *kmt_chan_buf(unsigned int cpu)
{
	return kmt_chan ? *per_cpu_ptr(kmt_chan->buf, cpu) : NULL;
}

bool kmt_chan_covers(unsigned int cpu)
{
	return kmt_chan_buf(cpu);
}

void kmt_chan_wake(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct rchan_buf *buf = kmt_chan_buf(cpu);

		if (buf)
			wake_up_interruptible(&buf->read_wait);
	}
}

u64 kmt_chan_bytes(void)
{
	unsigned int cpu;
	u64 bytes = 0;

	for_each_possible_cpu(cpu) {
		if (kmt_chan_buf(cpu))
			bytes += kmt_chan->alloc_size;
	}
	return bytes;
}

/*
 * Probes advance only cpu->next; it is copied to relay's own offset before each call of relay.
 *
 * The records of a sub-buffer and its padding must be visible before relay publishes it. relay sets
 * the padding without a barrier, so it is set here, to the same value.
 */
static void kmt_chan_sync_relay(struct rchan_buf *buf, const struct kmt_cpu *cpu)
{
	const struct rchan *chan = buf->chan;

	if (cpu->next)
		WRITE_ONCE(buf->offset, (void *)cpu->next - buf->data);
	if (buf->offset <= chan->subbuf_size)
		buf->padding[buf->subbufs_produced % chan->n_subbufs] =
			chan->subbuf_size - buf->offset;
	smp_wmb(); /* pairs with smp_rmb() in kmt_chan_read() */
}

/*
 * Sets the limit for records in the current sub-buffer. There is no room if all sub-buffers are
 * full. While records may not be written, this may be another CPU than the one of the buffer, whose
 * probes still run: they must not see room even for a moment.
 */
static void kmt_chan_set_room(const struct rchan_buf *buf, struct kmt_cpu *cpu)
{
	cpu->next = buf->data + buf->offset;
	if (kmt_chan_writable != KMT_WRITABLE_ALL) {
		WRITE_ONCE(cpu->limit, NULL);
		return;
	}
	/* The lowest address at which a record would exceed the end. */
	WRITE_ONCE(cpu->limit, buf->data + buf->chan->subbuf_size - kmt_record_len() + 1);
	smp_mb(); /* pairs with smp_mb() in kmt_chan_freeze() */
	if (READ_ONCE(kmt_chan_is_frozen))
		WRITE_ONCE(cpu->limit, NULL);
}

static int kmt_set_writable(void *data)
{
	unsigned int cpu_nr;

	kmt_chan_writable = *(const enum kmt_writable *)data;
	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
		const struct rchan_buf *buf = kmt_chan_buf(cpu_nr);

		/* A tracepoint's probe that was preempted before may begin an event later. */
		cpu->writing = kmt_chan_writable == KMT_WRITABLE_NONE;
		if (kmt_chan_writable != KMT_WRITABLE_ALL)
			WRITE_ONCE(cpu->limit, NULL);
		else if (buf && cpu->next)
			kmt_chan_set_room(buf, cpu);
	}
	return 0;
}

/*
 * Switches all CPUs at the same instant. Otherwise the free of an object could be missing while the
 * later free of its page, on another CPU, is recorded.
 */
void kmt_chan_set_writable(enum kmt_writable writable)
{
	stop_machine(kmt_set_writable, &writable, NULL);
}

enum kmt_writable kmt_chan_get_writable(void)
{
	return kmt_chan_writable;
}

/*
 * In overwrite mode the writer has passed the reader. All sub-buffers hold the newest records,
 * except the one that was started last, which is empty.
 */
static void kmt_chan_drop_overwritten(struct rchan_buf *buf)
{
	size_t kept = buf->chan->n_subbufs - 1;

	spin_lock(&kmt_readers[buf->cpu].consumed_lock);
	if (buf->subbufs_produced - buf->subbufs_consumed > kept)
		WRITE_ONCE(buf->subbufs_consumed, buf->subbufs_produced - kept);
	spin_unlock(&kmt_readers[buf->cpu].consumed_lock);
}

/*
 * Returns how many records precede the oldest sub-buffer, from its header, which may be overwritten
 * meanwhile.
 */
static u64 kmt_chan_before(const struct rchan_buf *buf)
{
	size_t produced, count = kmt_chan->n_subbufs;
	u64 written = 0;

	do {
		const struct kmemtrace_subbuf_header *header;

		produced = READ_ONCE(buf->subbufs_produced);
		if (produced < count)
			return 0;
		smp_rmb(); /* pairs with smp_wmb() in kmt_chan_sync_relay() */
		header = buf->start + (produced + 1) % count * kmt_chan->subbuf_size;
		/* The writer may start this sub-buffer again right now. */
		written = data_race(READ_ONCE(header->written));
		smp_rmb(); /* before the check that it was not overwritten */
	} while (produced != READ_ONCE(buf->subbufs_produced));
	return written;
}

u64 kmt_chan_overwritten(unsigned int cpu)
{
	struct rchan_buf *buf = kmt_chan_buf(cpu);
	u64 before, count;

	if (!buf)
		return 0;
	/* Since a reader continues, none is overwritten any more, but some may have been. */
	before = kmt_config.overwrite ? kmt_chan_before(buf) : 0;
	spin_lock(&kmt_readers[cpu].consumed_lock);
	count = kmt_readers[cpu].overwritten;
	if (before > kmt_readers[cpu].read_end)
		count += before - kmt_readers[cpu].read_end;
	spin_unlock(&kmt_readers[cpu].consumed_lock);
	return count;
}

u64 kmt_chan_consumed(unsigned int cpu)
{
	struct rchan_buf *buf = kmt_chan_buf(cpu);
	u64 consumed;

	if (!buf)
		return 0;
	spin_lock(&kmt_readers[cpu].consumed_lock);
	consumed = buf->subbufs_consumed;
	spin_unlock(&kmt_readers[cpu].consumed_lock);
	return consumed;
}

void kmt_chan_flush(void)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
		struct rchan_buf *buf = kmt_chan_buf(cpu_nr);

		if (!buf)
			continue;
		kmt_chan_sync_relay(buf, cpu);
		relay_switch_subbuf(buf, 0);
		kmt_chan_set_room(buf, cpu);
		if (kmt_config.overwrite)
			kmt_chan_drop_overwritten(buf);
	}
}

/*
 * Returns whether a sub-buffer may be completed before it is full: half of the sub-buffers, and at
 * least two, must be free. So frequent flushes leave half of them to the probes.
 */
static bool kmt_may_flush(const struct rchan_buf *buf)
{
	size_t count = buf->chan->n_subbufs;
	size_t unread = buf->subbufs_produced - READ_ONCE(buf->subbufs_consumed);

	return unread + max_t(size_t, count / 2, 2) <= count;
}

/*
 * Completes the current sub-buffer if it has records; for this CPU or one that is offline. False:
 * it has records, but the reader must read first.
 */
static bool kmt_flush_cpu(unsigned int cpu_nr)
{
	struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
	struct rchan_buf *buf = kmt_chan_buf(cpu_nr);
	size_t used;

	if (!buf || !cpu->next)
		return true;
	used = (void *)cpu->next - buf->data;
	if (used <= sizeof(struct kmemtrace_subbuf_header) || used > buf->chan->subbuf_size)
		return true; /* empty; or all sub-buffers are full, and complete */
	if (!kmt_may_flush(buf))
		return false;
	kmt_chan_sync_relay(buf, cpu);
	relay_switch_subbuf(buf, 0);
	kmt_chan_set_room(buf, cpu);
	return true;
}

/* Interrupts are off, so no probe runs on this CPU; in an NMI probes write nothing. */
static void kmt_flush_this_cpu(void *full)
{
	if (!kmt_flush_cpu(smp_processor_id()))
		atomic_inc(full);
}

/*
 * A record with a time before "now" was begun earlier, with interrupts off, so it is complete when
 * its CPU handles the interrupt. CPUs that are offline write nothing, and cpus_read_lock() keeps
 * them offline. No CPU is skipped as empty: it may have just begun a record.
 */
int kmt_chan_flush_running(void)
{
	atomic_t full = ATOMIC_INIT(0);
	unsigned int cpu;
	u64 now;

	if (kmt_config.overwrite)
		return -EBUSY;
	if (kmt_chan_frozen())
		return -ENODEV;
	cpus_read_lock();
	now = kmt_clock_ns();
	on_each_cpu(kmt_flush_this_cpu, &full, true);
	for_each_possible_cpu(cpu) {
		if (!cpu_online(cpu) && !kmt_flush_cpu(cpu))
			atomic_inc(&full);
	}
	cpus_read_unlock();
	if (atomic_read(&full))
		return -EAGAIN;
	kmt_flushed_ns = now;
	return 0;
}

u64 kmt_chan_flushed_ns(void)
{
	return kmt_flushed_ns;
}

void kmt_chan_freeze(void)
{
	unsigned int cpu;

	WRITE_ONCE(kmt_chan_froze_ns, kmt_clock_ns());
	WRITE_ONCE(kmt_chan_is_frozen, true);
	smp_mb(); /* pairs with smp_mb() in kmt_chan_set_room(): one of the two sees the other */
	/* Takes effect at once, not only at the end of the sub-buffer. */
	for_each_possible_cpu(cpu)
		WRITE_ONCE(per_cpu_ptr(&kmt_cpu, cpu)->limit, NULL);
}

bool kmt_chan_frozen(void)
{
	return READ_ONCE(kmt_chan_is_frozen);
}

u64 kmt_chan_frozen_ns(void)
{
	return kmt_chan_frozen() ? READ_ONCE(kmt_chan_froze_ns) : 0;
}

bool kmt_chan_counts_losses(void)
{
	return kmt_chan_writable == KMT_WRITABLE_ALL && !kmt_chan_frozen();
}

noinline void kmt_chan_count_lost(struct kmt_cpu *cpu, enum kmemtrace_loss reason,
				  unsigned int count)
{
	if (kmt_chan_counts_losses())
		cpu->lost[reason] += count;
}

noinline void kmt_chan_count_lost_any_context(enum kmemtrace_loss reason, unsigned long count)
{
	if (kmt_chan_counts_losses())
		this_cpu_add(kmt_cpu.lost[reason], count);
}

noinline struct kmemtrace_record *kmt_chan_reserve_next(struct kmt_cpu *cpu)
{
	struct rchan_buf *buf = *this_cpu_ptr(kmt_chan->buf);

	if (kmt_chan_writable != KMT_WRITABLE_ALL || READ_ONCE(kmt_chan_is_frozen) || !buf)
		return NULL;
	if (!cpu->next) { /* the first record on this CPU */
		kmt_chan_set_room(buf, cpu);
		return kmt_chan_reserve(cpu);
	}
	kmt_chan_sync_relay(buf, cpu);
	relay_switch_subbuf(buf, kmt_record_len());
	kmt_chan_set_room(buf, cpu);
	return cpu->next < READ_ONCE(cpu->limit) ? kmt_chan_reserve(cpu) : NULL;
}

/* While only mappings are recorded, the limit is NULL, and cpu->next is advanced here alone. */
static struct kmemtrace_record *kmt_chan_reserve_kept(struct kmt_cpu *cpu)
{
	struct rchan_buf *buf = *this_cpu_ptr(kmt_chan->buf);
	struct kmemtrace_record *record;

	if (READ_ONCE(kmt_chan_is_frozen) || !buf)
		return NULL;
	if (!cpu->next) {
		kmt_chan_set_room(buf, cpu);
	} else if ((void *)cpu->next + kmt_record_len() > buf->data + buf->chan->subbuf_size) {
		kmt_chan_sync_relay(buf, cpu);
		relay_switch_subbuf(buf, kmt_record_len());
		kmt_chan_set_room(buf, cpu);
	}
	/* kmt_chan_freeze() may have come before the switch: then there is no next sub-buffer. */
	record = cpu->next;
	if ((void *)record + kmt_record_len() > buf->data + buf->chan->subbuf_size)
		return NULL;
	cpu->next = (void *)record + kmt_record_len();
	cpu->written++;
	return record;
}

struct kmemtrace_record *kmt_chan_reserve_map(struct kmt_cpu *cpu)
{
	return kmt_chan_writable == KMT_WRITABLE_MAPS ? kmt_chan_reserve_kept(cpu)
						      : kmt_chan_reserve(cpu);
}

struct kmemtrace_record *kmt_chan_reserve_run(struct kmt_cpu *cpu, unsigned int count)
{
	size_t more = (count - 1) * kmt_record_len();
	/* kmt_chan_flush() of another CPU may set both: then there is no room. */
	void *next = data_race(cpu->next);
	bool fits = next && next + more < (void *)READ_ONCE(cpu->limit);
	struct kmemtrace_record *first = fits ? kmt_chan_reserve(cpu) : kmt_chan_reserve_next(cpu);

	if (!first)
		return NULL;
	cpu->next = (void *)cpu->next + more;
	cpu->written += count - 1;
	return first;
}

const void *kmt_chan_subbuf(unsigned int cpu, unsigned int index)
{
	return kmt_chan_buf(cpu)->start + index * kmt_chan->subbuf_size;
}

int kmt_chan_get(unsigned int cpu)
{
	int ret = 0;

	mutex_lock(&kmt_mutex);
	if (!kmt_chan_buf(cpu)) {
		ret = -ENODEV;
	} else if (kmt_readers[cpu].present) {
		ret = -EBUSY;
	} else {
		kmt_readers[cpu].present = true;
		kmt_reader_count++;
	}
	mutex_unlock(&kmt_mutex);
	return ret;
}

void kmt_chan_put(unsigned int cpu)
{
	mutex_lock(&kmt_mutex);
	kmt_readers[cpu].present = false;
	kmt_reader_count--;
	mutex_unlock(&kmt_mutex);
}

bool kmt_chan_is_read(void)
{
	return kmt_reader_count;
}

static bool kmt_subbuf_is_ready(struct rchan_buf *buf)
{
	return READ_ONCE(buf->subbufs_produced) != buf->subbufs_consumed;
}

/*
 * Tracing may have been enabled again since the reader looked. In overwrite mode, the sub-buffer
 * was overwritten if more sub-buffers are complete or started than there are.
 */
static bool kmt_was_overwritten(const struct rchan_buf *buf)
{
	const struct rchan *chan = buf->chan;
	bool begun = READ_ONCE(buf->offset) <= chan->subbuf_size;

	return kmt_config.overwrite &&
	       READ_ONCE(buf->subbufs_produced) + begun - buf->subbufs_consumed > chan->n_subbufs;
}

/*
 * Releases sub-buffer @consumed, whose records @from to @to were read. False: it may have been
 * overwritten meanwhile.
 */
static bool kmt_consume_subbuf(struct rchan_buf *buf, size_t consumed, u64 from, u64 to)
{
	struct kmt_reader *reader = &kmt_readers[buf->cpu];
	bool held;

	spin_lock(&reader->consumed_lock);
	held = consumed == buf->subbufs_consumed && !kmt_was_overwritten(buf);
	if (held) {
		reader->overwritten += from - reader->read_end;
		reader->read_end = to;
		relay_subbufs_consumed(buf->chan, buf->cpu, 1);
	}
	spin_unlock(&reader->consumed_lock);
	return held;
}

/* copy_to_user() may block indefinitely, so only the mutex of this CPU's reader is held. */
static ssize_t kmt_read_subbuf(struct rchan_buf *buf, char __user *ubuf, size_t count)
{
	size_t consumed = READ_ONCE(buf->subbufs_consumed);
	size_t index = consumed % buf->chan->n_subbufs;
	const struct kmemtrace_subbuf_header *header = buf->start + index * buf->chan->subbuf_size;
	/* May be overwritten meanwhile: kmt_consume_subbuf() checks. */
	size_t len = buf->chan->subbuf_size - data_race(buf->padding[index]);
	u64 from = data_race(header->written);
	u64 to = from + (len - sizeof(*header)) / kmt_record_len();

	if (count < len)
		return -EINVAL;
	if (copy_to_user(ubuf, header, len))
		return -EFAULT;
	smp_mb(); /* read it, then check that it was not overwritten, then release it */
	return kmt_consume_subbuf(buf, consumed, from, to) ? len : -EAGAIN;
}

ssize_t kmt_chan_read(unsigned int cpu, char __user *ubuf, size_t count)
{
	struct rchan_buf *buf = kmt_chan_buf(cpu);
	bool enabled = kmt_is_enabled(); /* before the buffer: the last records must be seen */
	ssize_t ret;

	smp_rmb();
	mutex_lock(&kmt_readers[cpu].lock);
	if (kmt_subbuf_is_ready(buf) && !(enabled && kmt_config.overwrite)) {
		smp_rmb(); /* pairs with smp_wmb() in kmt_chan_sync_relay() */
		ret = kmt_read_subbuf(buf, ubuf, count);
	} else {
		ret = enabled ? -EAGAIN : 0;
	}
	mutex_unlock(&kmt_readers[cpu].lock);
	return ret;
}

__poll_t kmt_chan_poll(unsigned int cpu, struct file *file, poll_table *wait)
{
	struct rchan_buf *buf = kmt_chan_buf(cpu);
	bool enabled = kmt_is_enabled();

	poll_wait(file, &buf->read_wait, wait);
	if (kmt_subbuf_is_ready(buf) && !(enabled && kmt_config.overwrite))
		return EPOLLIN | EPOLLRDNORM;
	return enabled ? 0 : EPOLLIN | EPOLLRDNORM | EPOLLHUP;
}
