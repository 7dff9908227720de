/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks a stack from the return address of a probe to the kernel's entry.
 */
#ifndef KMEMTRACE_WALK_H
#define KMEMTRACE_WALK_H

#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include "kmemtrace_abi.h"

#define KMT_ALLOCATOR_FRAMES 4 /* at most between the probe and the call site */
struct kmt_frame;

/* One more than is kept: whether there is one. */
#define KMT_WALK_MAX (KMEMTRACE_STACK_DEPTH_MAX + KMT_ALLOCATOR_FRAMES + 1)

/* Special values of @want: stop at the first address outside the page allocator, */
#define KMT_WALK_TO_CALLER      0        /* not counting the function with the tracepoint */
#define KMT_WALK_PAST_ALLOCATOR UINT_MAX /* counting the first address, too */

/* The registers as they are in a probe's caller once the probe has returned. */
struct kmt_caller_regs {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
};

/*
 * For a probe itself, which must not be inlined: on x86 a function that asks for its frame's
 * address has its caller's bp there, and its return address above it.
 */
#define kmt_caller_regs()                                                                          \
	({                                                                                         \
		unsigned long *__frame = __builtin_frame_address(0);                               \
		(struct kmt_caller_regs){                                                          \
			.ip = (unsigned long)__builtin_return_address(0),                          \
			.sp = (unsigned long)(__frame + 2),                                        \
			.bp = __frame[0],                                                          \
		};                                                                                 \
	})

/* Whether and why a walk ended. */
enum kmt_walk_end {
	KMT_WALK_ON,        /* it didn't */
	KMT_WALK_FAILED,    /* a frame isn't known: only the unwinder can walk it */
	KMT_WALK_CUT,       /* all that was wanted, or at the entry of an interrupt */
	KMT_WALK_OUTERMOST, /* a thread's first function */
	KMT_WALK_USER,      /* the registers of user space */
};

/*
 * The addresses of a stack lie in parts. Within a part their distances follow from the addresses
 * alone, as a function's frame has the same size each time it calls from the same place. A new part
 * begins where the walk continues from a pointer: the bp of a function with a frame of variable
 * size, or a stack pointer saved by an exception or a switch of stacks.
 */
#define KMT_WALK_PARTS 8

struct kmt_walk_part {
	unsigned long base;      /* what the pointer was; sp for the first part */
	unsigned long slot;      /* where it was found */
	struct kmt_frame *frame; /* whose bp it is, or that found its CFA by bp; NULL: neither */
	u8 from;                 /* the part that the slot lies in, or KMT_PART_OF_BP */
	u8 first;                /* index of the first address in it; it may have none */
};

#define KMT_PART_OF_BP 0xff /* the pointer was in bp from the start */

struct kmt_walk {
	unsigned int count;
	unsigned long addr[KMT_WALK_MAX]; /* return addresses, innermost first */
	/*
	 * Where they were found, which is nothing for the first of a walk; unwound: 0 for what lies
	 * on no stack.
	 */
	unsigned long slot[KMT_WALK_MAX];
	unsigned int parts;
	struct kmt_walk_part part[KMT_WALK_PARTS];
	unsigned long user_cs; /* where the code segment of user space is saved, if it ended so */
};

/* The bounds of a stack that is mapped for as long as interrupts are off. */
struct kmt_bounds {
	unsigned long low, high;
};

/* The stack that @sp is on, if it's this thread's or this CPU's for interrupts; else false. */
bool kmt_walk_bounds(unsigned long sp, struct kmt_bounds *bounds);

int kmt_walk_init(unsigned int frames);
void kmt_walk_exit(void);
u64 kmt_walk_bytes(void);  /* memory held */
u64 kmt_walk_frames(void); /* frames known */

/*
 * Forgets everything known about code at [@start, @start + @size), where other code will be loaded.
 */
void kmt_walk_forget(unsigned long start, unsigned long size);

/*
 * Walks through frames that are known, until there are @want addresses, the first of them @here's
 * own, or those that KMT_WALK_TO_CALLER and the like ask for; with @irq it ends at the entry of the
 * interrupt. Never reads outside @bounds, or this thread's stack.
 */
enum kmt_walk_end kmt_walk(struct kmt_walk *walk, const struct kmt_caller_regs *here,
			   struct kmt_bounds bounds, unsigned int want, bool irq);

/* The same by the kernel's own unwinder. Learns the frames that it meets. */
void kmt_unwind(struct kmt_walk *walk, const struct kmt_caller_regs *here, unsigned int want,
		bool irq);

/*
 * The index of the address of @walk, which was unwound, in whose place on the stack @trampoline
 * lies: that of the caller that a function passed as its call site. @walk->count: none.
 */
unsigned int kmt_walk_behind(const struct kmt_walk *walk, unsigned long trampoline);

/* How many of @count addresses a walk would have found that wants @want. */
unsigned int kmt_walk_cut(const unsigned long *addrs, unsigned int count, unsigned int want);

/*
 * True for a return address that was met before and isn't inner, while no stacks are wanted. What
 * another tracer puts in the place of a return address is never met.
 */
bool kmt_walk_is_caller(unsigned long addr);

#endif /* KMEMTRACE_WALK_H */
