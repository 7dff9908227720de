/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of return addresses: how to get from a function's frame to its caller's.
 *
 * That depends on the return address alone. So each address is looked up once in the kernel's
 * unwind tables (unwind_probe.c), and from then on a walk takes a few additions per frame.
 */
#ifndef KMEMTRACE_FRAMES_H
#define KMEMTRACE_FRAMES_H

#include <linux/types.h>

/* How to find the CFA, the place above the return address. */
enum kmt_frame_kind {
	KMT_FRAME_UNKNOWN,   /* in no way that is known here */
	KMT_FRAME_SP,        /* sp + cfa */
	KMT_FRAME_BP,        /* bp + cfa */
	KMT_FRAME_SP_SAVED,  /* *sp + cfa: the stack was switched here */
	KMT_FRAME_BP_SAVED,  /* *(bp + cfa): the function has aligned its stack */
	KMT_FRAME_REGS,      /* sp + cfa, where a struct pt_regs lies: an exception */
	KMT_FRAME_OUTERMOST, /* there is no caller */
};

#define KMT_FRAME_IRQ_ENTRY 1 /* entry code of interrupts */
#define KMT_FRAME_KEEPS_BP  2 /* the caller's bp lies on the stack, not in bp still */
#define KMT_FRAME_MOVES     4 /* its bp isn't always as far from sp: stack_cache.c */
#define KMT_FRAME_ALLOCATOR 8 /* kmt_is_allocator(); set only while no stacks are wanted */

struct kmt_frame {
	unsigned long key;        /* see kmt_frame_key() */
	struct kmt_frame *caller; /* one that was met behind it; a guess that mostly holds */
	s32 cfa;                  /* bytes */
	s16 bp;                   /* where: from the CFA, or with BP_SAVED from bp */
	u8 kind;                  /* enum kmt_frame_kind */
	u8 flags;                 /* KMT_FRAME_… */
};

/*
 * An address that an exception interrupted isn't the same as that address returned to: the one
 * before it decides in the latter case. It is kept as its complement, no address of the kernel's.
 */
static inline unsigned long kmt_frame_key(unsigned long ip, bool interrupted)
{
	return interrupted ? ~ip : ip;
}

static inline unsigned long kmt_frame_ip(const struct kmt_frame *frame)
{
	return (long)frame->key < 0 ? frame->key : ~frame->key;
}

int kmt_frames_init(unsigned int count); /* a power of two */
void kmt_frames_exit(void);
u64 kmt_frames_bytes(void); /* memory held */
u64 kmt_frames_known(void);
struct kmt_frame *kmt_frame_find(unsigned long key); /* NULL: not known */
void kmt_frame_add(const struct kmt_frame *frame);   /* if there is room, and once */

/* From here on no address in [@start, @start + @size) is known. No stack may have one. */
void kmt_frames_forget(unsigned long start, unsigned long size);

#endif /* KMEMTRACE_FRAMES_H */
