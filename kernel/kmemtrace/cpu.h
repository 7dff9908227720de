/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-CPU state. Only its own CPU writes it, with interrupts disabled; anybody may read it for
 * statistics. NMIs also increment lost[NMI].
 */
#ifndef KMEMTRACE_CPU_H
#define KMEMTRACE_CPU_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"
#include "walk.h"

struct kmt_stack_cache_entry;

#define KMT_TASK_SLOTS   64 /* threads remembered as named, for each CPU; a power of two */
#define KMT_CALLER_PAIRS 64 /* see caller.h; a power of two */

/* A return address that was met on the way to a caller, or a caller. */
struct kmt_caller {
	s32 addr; /* sign-extended, as addresses of code are; 0: none */
	u16 out;  /* bytes from its place to the next one's; 0: a caller */
};

/* How the stacks of events were found, from the cheapest way to the dearest. */
enum kmt_stack_way {
	KMT_STACK_CACHED,  /* found in the stack cache: stack_cache.c */
	KMT_STACK_WALKED,  /* through frames that are known: walk.c */
	KMT_STACK_UNWOUND, /* by the kernel's own unwinder */
	KMT_STACK_WAYS,
};

struct kmt_cpu {
	/* Where the next record goes, if that's below the limit. Both NULL: none was yet. */
	struct kmemtrace_record *next;
	struct kmemtrace_record *limit;
	bool writing;                 /* an event meanwhile is recursion */
	u64 written;                  /* records */
	u64 ignored;                  /* frees of nothing, the first event of two of one call */
	u64 lost[KMEMTRACE_LOSS_MAX]; /* by enum kmemtrace_loss */
	u64 seq;                      /* of the next sub-buffer */
	u64 stacks[KMT_STACK_WAYS];   /* by enum kmt_stack_way */
	struct kmt_stack_cache_entry *stack_cache;     /* its entries; NULL: not allocated */
	struct kmt_caller caller[KMT_CALLER_PAIRS][2]; /* used while stacks aren't wanted */
	struct kmt_bounds irq_stack;                   /* once it was met; else empty */
	u32 named[KMT_TASK_SLOTS];   /* tids whose names are in its stream, by their low bits */
	struct pt_regs *unwind_from; /* where the unwinder is to start; NULL: at the probe */
	union {
		struct kmt_walk walk;                  /* of the event that is being written */
		unsigned long addrs[2 * KMT_WALK_MAX]; /* any others, once that is interned */
	};
};

DECLARE_PER_CPU(struct kmt_cpu, kmt_cpu);

/*
 * A counter of any CPU. Its owner adds to it with one plain instruction, so the value read may be
 * slightly old, and orders nothing.
 */
#define kmt_read_counter(counter) data_race(READ_ONCE(counter))

/* Data missing from a record. kmt_chan_count_lost() counts missing records. */
static inline void kmt_count_loss(enum kmemtrace_loss reason)
{
	this_cpu_inc(kmt_cpu.lost[reason]);
}

static inline void kmt_count_ignored(void)
{
	this_cpu_inc(kmt_cpu.ignored);
}

#endif /* KMEMTRACE_CPU_H */
