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

/* One more than is recorded, to know whether a stack is cut. */
#define KMT_WALK_MAX (KMEMTRACE_STACK_DEPTH_MAX + KMT_ALLOCATOR_FRAMES + 1)

/* Special values of @want: stop at the first address outside the page allocator, */
#define KMT_WALK_TO_CALLER      0        /* after the function with the tracepoint; */
#define KMT_WALK_PAST_ALLOCATOR UINT_MAX /* from the first address on */

/* The registers as they are in a probe's caller once the probe has returned. */
struct kmt_caller_regs {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp; /* the frame pointer: x29 on arm64 */
};

/*
 * Returns the registers of the calling probe's caller. The probe must be noinline. A function that
 * uses its frame address has its caller's bp there, and its return address above. On arm64 the
 * address above is not the caller's sp, but it is on the same stack.
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

/* Why a walk ended. */
enum kmt_walk_end {
	KMT_WALK_ON,        /* it has not ended */
	KMT_WALK_FAILED,    /* a frame is unknown: needs the unwinder */
	KMT_WALK_CUT,       /* @want is reached, or the entry of an interrupt */
	KMT_WALK_OUTERMOST, /* at a thread's first function */
	KMT_WALK_USER,      /* at the registers of user space */
};

/*
 * The addresses of a stack are divided into parts. Within a part, the distances of their slots
 * depend only on the addresses, as a function's frame has the same size at each call from the same
 * place. A part begins where the walk continues from a pointer: the bp of a function with a frame
 * of variable size, or a stack pointer saved by an exception or a stack switch.
 */
#define KMT_WALK_PARTS 8

struct kmt_walk_part {
	unsigned long base;      /* the pointer; sp for the first part */
	unsigned long slot;      /* where it was found */
	struct kmt_frame *frame; /* whose CFA is based on bp, if that is the pointer; else NULL */
	u8 from;                 /* the part that the slot is in, or KMT_PART_OF_BP */
	u8 first;                /* index of its first address; it may have none */
};

#define KMT_PART_OF_BP 0xff /* the pointer was in bp at the start of the walk */

struct kmt_walk {
	unsigned int count;
	unsigned long addr[KMT_WALK_MAX]; /* return addresses, innermost first */
	/* Where they were found; unset for the first of a walk; unwound: 0 if not on a stack. */
	unsigned long slot[KMT_WALK_MAX];
	unsigned int parts;
	struct kmt_walk_part part[KMT_WALK_PARTS];
	unsigned long user_cs; /* where the user's code segment is saved; 0: not reached */
};

/* The bounds of a stack. It stays mapped while interrupts are off. */
struct kmt_bounds {
	unsigned long low, high;
};

/*
 * Sets *@bounds to the stack that @sp is on: this thread's, or this CPU's for interrupts. False: it
 * is on neither. Interrupts must be off.
 */
bool kmt_walk_bounds(unsigned long sp, struct kmt_bounds *bounds);

/* @frames: entries of the table, a power of two. Returns 0 or -ENOMEM. No probe may run. */
int kmt_walk_init(unsigned int frames);
void kmt_walk_exit(void);
u64 kmt_walk_bytes(void);  /* memory held */
u64 kmt_walk_frames(void); /* frames known */

/* Forgets the frames of code in [@start, @start + @size), which may not be on any stack. */
void kmt_walk_forget(unsigned long start, unsigned long size);

/*
 * Walks by known frames from @here, whose ip is the first address, until there are @want addresses,
 * or with @irq to the entry of the interrupt. Reads only @bounds and this thread's stack.
 * Interrupts must be off.
 */
enum kmt_walk_end kmt_walk(struct kmt_walk *walk, const struct kmt_caller_regs *here,
			   struct kmt_bounds bounds, unsigned int want, bool irq);

/* The same by the kernel's unwinder. Adds frames to the table. */
void kmt_unwind(struct kmt_walk *walk, const struct kmt_caller_regs *here, unsigned int want,
		bool irq);

/*
 * Returns the index of the address of @walk, which was unwound, whose slot has @trampoline: the
 * caller of the function that passed @trampoline as its call site. @walk->count: none.
 */
unsigned int kmt_walk_behind(const struct kmt_walk *walk, unsigned long trampoline);

/* Returns how many of @count addresses a walk with @want would have found. */
unsigned int kmt_walk_cut(const unsigned long *addrs, unsigned int count, unsigned int want);

/*
 * Returns whether @addr is known as a return address outside the page allocator; only while no
 * stacks are recorded. Trampolines of other tracers are never known.
 */
bool kmt_walk_is_caller(unsigned long addr);

#endif /* KMEMTRACE_WALK_H */
