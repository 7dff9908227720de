/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of return addresses: how to get from a function's frame to its caller's, which depends
 * only on the return address. Each address is looked up once in the kernel's unwind tables
 * (unwind_probe.c); after that, a step of a walk costs a few additions.
 */
#ifndef KMEMTRACE_FRAMES_H
#define KMEMTRACE_FRAMES_H

#include <linux/types.h>

/* How to find the CFA (canonical frame address), just above the return address. */
enum kmt_frame_kind {
	KMT_FRAME_UNKNOWN,   /* by none of these rules */
	KMT_FRAME_SP,        /* sp + cfa */
	KMT_FRAME_BP,        /* bp + cfa */
	KMT_FRAME_SP_SAVED,  /* *sp + cfa: the stack was switched */
	KMT_FRAME_BP_SAVED,  /* *(bp + cfa): the function aligned its stack */
	KMT_FRAME_REGS,      /* struct pt_regs at sp + cfa: an exception */
	KMT_FRAME_OUTERMOST, /* no caller */
};

#define KMT_FRAME_IRQ_ENTRY 1 /* entry code of interrupts */
#define KMT_FRAME_KEEPS_BP  2 /* the caller's bp is on the stack, not in bp */
#define KMT_FRAME_MOVES     4 /* the distance from sp to bp varies: stack_cache.c */
#define KMT_FRAME_ALLOCATOR 8 /* kmt_is_allocator(); set only while no stacks are recorded */

struct kmt_frame {
	unsigned long key;        /* see kmt_frame_key() */
	struct kmt_frame *caller; /* the frame of the last caller: a hint; may be NULL */
	s32 cfa;                  /* bytes */
	s16 bp;   /* bytes from the CFA, or with BP_SAVED from bp, to the saved bp */
	u8 kind;  /* enum kmt_frame_kind */
	u8 flags; /* KMT_FRAME_… */
};

/*
 * Returns the key of @ip. For a return address the unwinder looks up the instruction before it, for
 * an address that an exception interrupted the address itself; the key of the latter is the
 * complement, which is not a kernel address.
 */
static inline unsigned long kmt_frame_key(unsigned long ip, bool interrupted)
{
	return interrupted ? ~ip : ip;
}

/* Returns the address of a frame. */
static inline unsigned long kmt_frame_ip(const struct kmt_frame *frame)
{
	return (long)frame->key < 0 ? frame->key : ~frame->key;
}

/* @count: entries, a power of two. Returns 0 or -ENOMEM. No probe may run. May sleep. */
int kmt_frames_init(unsigned int count);
void kmt_frames_exit(void);
u64 kmt_frames_bytes(void); /* memory held */
u64 kmt_frames_known(void); /* entries in use */

/* Lock-free. kmt_frame_find() returns NULL if there is no such entry. */
struct kmt_frame *kmt_frame_find(unsigned long key);
void kmt_frame_add(const struct kmt_frame *frame); /* a copy, if there is room and no such entry */

/* Forgets all addresses in [@start, @start + @size), none of which may be on a stack. */
void kmt_frames_forget(unsigned long start, unsigned long size);

#endif /* KMEMTRACE_FRAMES_H */
