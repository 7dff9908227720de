// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel calls the probe before it changes a name. Until then, an event of the thread on
 * another CPU would find the old name and record it as a later one. So the last names that threads
 * were given are kept here, in sets that are hashed by tid.
 *
 * A rename holds its set: the sequence is odd until the rename is recorded. Code that names a
 * thread at another event reads the sequence before the name and after the time. If both values are
 * the same and even, no earlier record of the thread has a later name. Otherwise it tries again. No
 * CPU waits long: a holder has interrupts off, and if its virtual CPU does not run meanwhile, the
 * name counts as lost.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/random.h>
#include <linux/string.h>

#include "chan.h"
#include "clock.h"
#include "kmemtrace.h"
#include "names.h"
#include "user_stack.h"

#define KMT_GIVEN_BITS  8
#define KMT_GIVEN_WAYS  4
#define KMT_GIVEN_TRIES 1000 /* waiting for a set to be released: some tens of microseconds */
#define KMT_NAMES_TRIES 4    /* to name a thread that is being renamed */

/* The last name that a thread was given. Kept until the kernel has stored it, and longer. */
struct kmt_given {
	u64 start_ns; /* of the thread: another one may have its tid later */
	u32 tid;      /* 0: unused */
	char comm[TASK_COMM_LEN];
};

static struct kmt_given_set {
	u32 sequence;
	u32 victim; /* the entry that the next thread replaces, modulo KMT_GIVEN_WAYS */
	struct kmt_given given[KMT_GIVEN_WAYS];
} kmt_given[1 << KMT_GIVEN_BITS];

static u32 kmt_given_seed; /* so that users don't know which threads share a set */

static struct kmt_given_set *kmt_given_set(const struct task_struct *task)
{
	return &kmt_given[hash_32(task->pid ^ kmt_given_seed, KMT_GIVEN_BITS)];
}

/* Returns the entry of @task, or NULL. */
static struct kmt_given *kmt_given_find(struct kmt_given_set *set, const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < KMT_GIVEN_WAYS; i++) {
		struct kmt_given *given = &set->given[i];

		if (data_race(given->tid == (u32)task->pid && given->start_ns == task->start_time))
			return given;
	}
	return NULL;
}

/* Returns the sequence, which is odd if another CPU did not release the set in time. */
static u32 kmt_given_wait(const struct kmt_given_set *set)
{
	unsigned int tries = KMT_GIVEN_TRIES;
	u32 sequence;

	while ((sequence = smp_load_acquire(&set->sequence)) & 1 && --tries)
		cpu_relax();
	return sequence;
}

/* Interrupts must be off until kmt_given_release(). False: another CPU did not release the set. */
static bool kmt_given_hold(struct kmt_given_set *set)
{
	unsigned int tries = KMT_GIVEN_TRIES;

	while (tries--) {
		u32 sequence = READ_ONCE(set->sequence);

		if (!(sequence & 1) && cmpxchg(&set->sequence, sequence, sequence + 1) == sequence)
			return true;
		cpu_relax();
	}
	return false;
}

static void kmt_given_release(struct kmt_given_set *set)
{
	smp_store_release(&set->sequence, READ_ONCE(set->sequence) + 1);
}

/* @set must be held. */
static void kmt_given_put(struct kmt_given_set *set, const struct task_struct *task,
			  const char *comm)
{
	struct kmt_given *given = kmt_given_find(set, task);

	if (!given)
		given = &set->given[set->victim++ % KMT_GIVEN_WAYS];
	WRITE_ONCE(given->tid, task->pid);
	WRITE_ONCE(given->start_ns, task->start_time);
	data_race(strscpy(given->comm, comm, sizeof(given->comm)));
}

/*
 * Forgets the entry of a thread whose new name can't be kept. The set may be held, even by code
 * that this call interrupts.
 */
static void kmt_given_forget(const struct task_struct *task)
{
	struct kmt_given *given = kmt_given_find(kmt_given_set(task), task);

	if (given)
		WRITE_ONCE(given->tid, 0);
}

/*
 * Forgets, for all CPUs, that their streams have a name of the thread. Another CPU may change the
 * word at the same time: then a thread is named once more.
 */
static void kmt_named_forget(const struct task_struct *task)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		u32 *named = kmt_named(per_cpu_ptr(&kmt_cpu, cpu_nr), task->pid);

		if (READ_ONCE(*named) == (u32)task->pid)
			WRITE_ONCE(*named, 0);
	}
}

/* Fills in the record except its type, which makes it valid. */
static void kmt_fill_task(struct kmt_cpu *cpu, struct kmemtrace_record *record,
			  const struct task_struct *task, const char *comm)
{
	memset(record, 0, kmt_record_len());
	if (kmt_user_is_on())
		kmt_record_user(record)->tgid = task->tgid;
	data_race(strscpy(record->comm, comm, sizeof(record->comm)));
	record->gfp = task->tgid;
	record->tid = task->pid;
	record->time_ns = kmt_clock_ns();
	WRITE_ONCE(*kmt_named(cpu, task->pid), task->pid);
	barrier();
}

/* Writes the current name of @task to @record. False: it may have got another one before. */
static bool kmt_names_write(struct kmt_cpu *cpu, struct kmemtrace_record *record,
			    const struct task_struct *task)
{
	struct kmt_given_set *set = kmt_given_set(task);
	unsigned int tries = KMT_NAMES_TRIES;
	bool is_latest;

	do {
		u32 sequence = kmt_given_wait(set);
		const struct kmt_given *given = kmt_given_find(set, task);

		kmt_fill_task(cpu, record, task, given ? given->comm : task->comm);
		/* Pairs with a rename's cmpxchg(), before its time and kmt_named_forget(). */
		smp_mb();
		is_latest = !(sequence & 1) && READ_ONCE(set->sequence) == sequence;
	} while (!is_latest && --tries);
	record->type = KMEMTRACE_EVENT_TASK;
	return is_latest;
}

static void kmt_names_count_lost(struct kmt_cpu *cpu, const struct task_struct *task)
{
	kmt_named_forget(task);
	kmt_chan_count_lost(cpu, KMEMTRACE_LOSS_NAME, 1);
}

/* Idle threads share tid 0, and need no name. */
static bool kmt_names_needs_current(struct kmt_cpu *cpu)
{
	return current->pid && !kmt_names_has(cpu, current->pid);
}

noinline struct kmemtrace_record *kmt_names_current(struct kmt_cpu *cpu,
						    struct kmemtrace_record *record)
{
	bool is_latest = true;

	/* In overwrite mode, repeat if the new record is in another sub-buffer. */
	while (record && is_latest && kmt_names_needs_current(cpu)) {
		is_latest = kmt_names_write(cpu, record, current);
		if (!is_latest)
			kmt_names_count_lost(cpu, current);
		record = kmt_chan_reserve(cpu);
	}
	return record;
}

void kmt_names_current_before_mark(struct kmt_cpu *cpu)
{
	struct kmemtrace_record *record;

	if (!kmt_names_needs_current(cpu))
		return;
	record = kmt_chan_reserve(cpu);
	if (record && !kmt_names_write(cpu, record, current))
		kmt_names_count_lost(cpu, current);
}

static bool kmt_names_record_new(struct kmt_cpu *cpu, const struct task_struct *task)
{
	struct kmemtrace_record *record = kmt_chan_reserve(cpu);

	return record && kmt_names_write(cpu, record, task);
}

static bool kmt_names_record_given(struct kmt_cpu *cpu, const struct task_struct *task,
				   const char *comm)
{
	struct kmt_given_set *set = kmt_given_set(task);
	bool held = kmt_given_hold(set);
	struct kmemtrace_record *record;

	if (held)
		kmt_given_put(set, task, comm);
	else
		kmt_given_forget(task);
	record = kmt_chan_reserve(cpu);
	if (record) {
		kmt_fill_task(cpu, record, task, comm);
		record->type = KMEMTRACE_EVENT_TASK;
	}
	if (held)
		kmt_given_release(set);
	return held && record;
}

/* @comm: NULL for a new thread. */
static void kmt_names_record(const struct task_struct *task, const char *comm)
{
	struct kmt_cpu *cpu;
	unsigned long flags;
	bool is_recorded = false;

	if (in_nmi()) {
		kmt_chan_count_lost_any_context(KMEMTRACE_LOSS_NAME, 1);
		return;
	}
	local_irq_save(flags);
	cpu = this_cpu_ptr(&kmt_cpu);
	if (cpu->writing) {
		kmt_given_forget(task);
	} else {
		cpu->writing = true;
		is_recorded = comm ? kmt_names_record_given(cpu, task, comm)
				   : kmt_names_record_new(cpu, task);
		cpu->writing = false;
	}
	if (!is_recorded)
		kmt_names_count_lost(cpu, task);
	else if (kmt_config.overwrite) /* events of other CPUs may outlive this record */
		kmt_named_forget(task);
	local_irq_restore(flags);
}

void kmt_names_new_task(const struct task_struct *task)
{
	kmt_names_record(task, NULL);
}

void kmt_names_rename(const struct task_struct *task, const char *comm)
{
	kmt_names_record(task, comm);
}

void kmt_names_forget(void)
{
	unsigned int cpu_nr;

	for_each_possible_cpu(cpu_nr) {
		struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);

		memset(cpu->named, 0, sizeof(cpu->named));
	}
	memset(kmt_given, 0, sizeof(kmt_given));
	kmt_given_seed = get_random_u32();
}
