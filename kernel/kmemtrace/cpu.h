/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU state. Only its own CPU writes it, with interrupts off, or kmt_chan_flush() while no
 * records may be written; any CPU may read it for statistics. NMIs also increment lost[].
 */
#ifndef KMEMTRACE_CPU_H
#define KMEMTRACE_CPU_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"
#include "walk.h"

struct kmt_stack_cache_entry;

#define KMT_TASK_SLOTS   64 /* threads known as named, per CPU; a power of two */
#define KMT_CALLER_PAIRS 64 /* see caller.h; a power of two */

/* A return address in an inner function, or a caller. */
struct kmt_caller {
	s32 addr; /* sign-extended, as addresses of code are; 0: none */
	u16 out;  /* bytes from its stack slot to that of the next address; 0: a caller */
};

/* How stacks are found, the cheapest way first. */
enum kmt_stack_way {
	KMT_STACK_CACHED,  /* in the stack cache: stack_cache.c */
	KMT_STACK_WALKED,  /* by known frames, or frame records: walk_orc.c, walk_records.c */
	KMT_STACK_UNWOUND, /* by the kernel's unwinder */
	KMT_STACK_WAYS,
};

struct kmt_cpu {
	/* Where the next record goes, if below the limit. Both are NULL before the first one. */
	struct kmemtrace_record *next;
	struct kmemtrace_record *limit;
	bool writing; /* an event is being written: another one is recursion; or no event may be */
	u64 written;  /* records */
	u64 ignored;  /* frees of NULL, and first events of duplicate kmallocs */
	u64 lost[KMEMTRACE_LOSS_MAX];                  /* by enum kmemtrace_loss */
	u64 seq;                                       /* of the next sub-buffer */
	u64 stacks[KMT_STACK_WAYS];                    /* by enum kmt_stack_way */
	struct kmt_stack_cache_entry *stack_cache;     /* NULL: not allocated */
	struct kmt_caller caller[KMT_CALLER_PAIRS][2]; /* used while no stacks are recorded */
	struct kmt_bounds irq_stack;                   /* empty until an event was on it */
	u32 named[KMT_TASK_SLOTS];   /* tids with a name in this CPU's stream, by their low bits */
	struct pt_regs *unwind_from; /* where the unwinder starts; NULL: at the probe */
	union {
		struct kmt_walk walk;                  /* of the event that is being written */
		unsigned long addrs[2 * KMT_WALK_MAX]; /* scratch, once that is interned */
	};
};

DECLARE_PER_CPU(struct kmt_cpu, kmt_cpu);

/*
 * Waits until each CPU has left the code that it ran with preemption disabled. Unlike for RCU, it
 * does not matter whether a preempted task gets time to run. May sleep.
 */
void kmt_cpus_wait(void);

/* Reads a counter of any CPU. Its owner increments it without atomics, and nothing is ordered. */
#define kmt_read_counter(counter) data_race(READ_ONCE(counter))

/* Counts data missing from a record; kmt_chan_count_lost() counts missing records. Any context. */
static inline void kmt_count_loss(enum kmemtrace_loss reason)
{
	this_cpu_inc(kmt_cpu.lost[reason]);
}

static inline void kmt_count_ignored(void)
{
	this_cpu_inc(kmt_cpu.ignored);
}

#endif /* KMEMTRACE_CPU_H */
