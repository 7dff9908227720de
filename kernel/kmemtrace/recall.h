/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks remembered whole, for each CPU: a stack that comes again is known by looking at the places
 * where its return addresses were. It is the same stack, not a likely one: each frame's length
 * depends on its return address alone, so addresses that are all in place were pushed by the same
 * calls. See recall.c.
 */
#ifndef KMEMTRACE_RECALL_H
#define KMEMTRACE_RECALL_H

#include <linux/hash.h>
#include <linux/types.h>

#include "cpu.h"
#include "walk.h"

#define KMT_RECALL_BITS		10
#define KMT_RECALL_GROUP	2	/* addresses are looked at in groups */
#define KMT_RECALL_SLOTS	24	/* addresses at most, in whole groups; the first needs none */

/* What an event's stack gave. */
struct kmt_origin {
	unsigned long call_site;	/* 0: not known */
	u32 stack_id;			/* KMEMTRACE_STACK_NONE: none */
};

/* A part of the stack, see walk.h: the pointer that it is found by, and its addresses. */
struct kmt_recall_part {
	s16 at;			/* where the pointer is, from the base of */
	u8 from;		/* this part, or KMT_PART_OF_BP; nothing for the first part */
	u8 groups;		/* of addresses */
	u16 below, above;	/* bytes of the stack around the base that are looked at */
};

struct kmt_recall {
	unsigned long ip;		/* the first return address; 0: nothing is remembered */
	unsigned long tag;		/* see kmt_recall_tag() */
	struct kmt_origin origin;
	u16 cs_at;			/* where user space's code segment is, in the last part; 0: not */
	u8 parts;
	struct kmt_recall_part part[KMT_WALK_PARTS];
	u16 at[KMT_RECALL_SLOTS];	/* where each address is; unfilled ends of groups repeat one */
	unsigned long addr[KMT_RECALL_SLOTS];
} ____cacheline_aligned;

/* What else decides how a stack is kept: the call site that was told, if it was, and the context. */
static inline unsigned long kmt_recall_tag(unsigned long call_site, bool irq)
{
	return call_site << 1 | irq;
}

/* Addresses of the kernel have equal bits at their top, so none is lost. */
static inline unsigned long kmt_recall_call_site(unsigned long tag)
{
	return (long)tag >> 1;
}

/* @hint: anything that tells stacks of the same @ip and @tag apart. */
static inline struct kmt_recall *kmt_recall_slot(const struct kmt_cpu *cpu, unsigned long ip,
						 unsigned long tag, unsigned long hint)
{
	return &cpu->recall[hash_64(ip ^ tag ^ hint, KMT_RECALL_BITS)];
}

/* True if this is the stack from @sp and @bp on, with @sp within @bounds. */
bool kmt_recall_holds(const struct kmt_recall *recall, unsigned long sp, unsigned long bp,
		      struct kmt_bounds bounds);

/* Remembers the stack that @walk found from @here, if it's of a kind that can be. */
void kmt_recall_keep(struct kmt_recall *recall, const struct kmt_walk *walk,
		     const struct kmt_here *here, unsigned long tag, struct kmt_origin origin);

int kmt_recall_prepare(unsigned int cpu);	/* memory for a CPU that has none; it may sleep */
void kmt_recall_clear(void);			/* forgets all; no probe may run */
void kmt_recall_exit(void);
u64 kmt_recall_bytes(void);			/* memory held */

/* Forgets stacks with an address in [@start, @start + @size); none is in use. */
void kmt_recall_forget(unsigned long start, unsigned long size);

#endif /* KMEMTRACE_RECALL_H */
