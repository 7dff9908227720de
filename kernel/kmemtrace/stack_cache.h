/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A per-CPU cache of whole stacks: a stack is recognized by reading the stack slots that held its
 * return addresses last time.
 *
 * A match is proof, not a guess: the length of each frame depends on its return address alone, so
 * addresses that are all in place were pushed by the same calls. See stack_cache.c.
 */
#ifndef KMEMTRACE_STACK_CACHE_H
#define KMEMTRACE_STACK_CACHE_H

#include <linux/hash.h>
#include <linux/types.h>

#include "cpu.h"
#include "walk.h"

#define KMT_STACK_CACHE_BITS 10

/* The call site and the stack of an event. */
struct kmt_origin {
	unsigned long call_site; /* 0: not known */
	u32 stack_id;            /* KMEMTRACE_STACK_NONE: none */
};

/*
 * A part of the stack, see walk.h: the pointer that it is found by, and its addresses. A pointer
 * that was always equally far from what it's found from begins no part here, but is looked at too.
 */
struct kmt_stack_cache_part {
	s16 at;    /* where the pointer is, from the base of */
	u8 from;   /* this part, or KMT_PART_OF_BP; nothing for the first part */
	u8 fixed;  /* pointers in it that are as far from its base as they were */
	u8 end;    /* index behind its last address */
	u16 below; /* bytes of the stack below its base that are looked at, */
	u16 room;  /* and how far from the stack's start these may start at most */
};

/* A pointer to look at: a word at @at is @distance from the part's base. */
struct kmt_stack_cache_fixed {
	s16 at;
	s16 distance;
};

/* A return address, sign-extended as addresses of code are, and its place from its part's base. */
struct kmt_stack_cache_addr {
	s32 addr;
	s32 at;
};

#define KMT_STACK_CACHE_PARTS 4
#define KMT_STACK_CACHE_FIXED 8

struct kmt_stack_cache_entry {
	unsigned long ip;  /* the first return address; 0: nothing is remembered */
	unsigned long tag; /* see kmt_stack_cache_tag() */
	struct kmt_origin origin;
	s32 bp;    /* from sp to bp, if that is a pointer; 0: isn't */
	u16 cs_at; /* user space's code segment, in the last part; 0: none */
	u8 parts;
	bool odd; /* has fixed pointers, empty parts, or others than most */
	struct kmt_stack_cache_part part[KMT_STACK_CACHE_PARTS];
	struct kmt_stack_cache_fixed fixed[KMT_STACK_CACHE_FIXED];
	/* As many as kmt_stack_cache_layout has room for, with a terminator behind each part. */
	struct kmt_stack_cache_addr addr[];
} ____cacheline_aligned;

/* Changes only while there are no caches. */
struct kmt_stack_cache_layout {
	unsigned int addrs;  /* that an entry has room for */
	unsigned int stride; /* bytes from one entry to the next */
};

extern struct kmt_stack_cache_layout kmt_stack_cache_layout;

/*
 * The rest of a stack's key: the tracepoint's call site, if it has one, and whether the event is in
 * an interrupt. The bits that hold the latter are all equal in addresses of the kernel.
 */
#define KMT_TAG_IRQ_SHIFT 48

static __always_inline unsigned long kmt_stack_cache_tag(unsigned long call_site, u8 irq)
{
	return call_site ^ (unsigned long)irq << KMT_TAG_IRQ_SHIFT;
}

static inline bool kmt_tag_is_irq(unsigned long tag)
{
	return (tag ^ tag << 1) >> KMT_TAG_IRQ_SHIFT & 0x7fff;
}

static inline unsigned long kmt_tag_call_site(unsigned long tag)
{
	return (long)(tag << (64 - KMT_TAG_IRQ_SHIFT)) >> (64 - KMT_TAG_IRQ_SHIFT);
}

/* The entry of a CPU's cache with this number. */
static __always_inline struct kmt_stack_cache_entry *
kmt_stack_cache_at(struct kmt_stack_cache_entry *cache, unsigned long number)
{
	return (void *)cache + number * kmt_stack_cache_layout.stride;
}

/* @hint: any value that distinguishes stacks of the same @ip and @tag. */
static inline struct kmt_stack_cache_entry *kmt_stack_cache_slot(const struct kmt_cpu *cpu,
								 unsigned long ip,
								 unsigned long tag,
								 unsigned long hint)
{
	return kmt_stack_cache_at(cpu->stack_cache, hash_64(ip ^ tag ^ hint, KMT_STACK_CACHE_BITS));
}

static __always_inline unsigned long kmt_stack_cache_word(unsigned long base, long offset)
{
	return *(unsigned long *)(base + offset);
}

/* Whether all that is looked at around @base is on the stack that starts at @low. */
static __always_inline bool kmt_stack_cache_fits(const struct kmt_stack_cache_part *part,
						 unsigned long base, unsigned long low)
{
	return base - part->below - low <= part->room;
}

/* The start of the stack that @sp is on, a THREAD_SIZE long; any other place if it's on neither. */
static __always_inline unsigned long kmt_stack_cache_low(const struct kmt_cpu *cpu,
							 unsigned long sp)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	return likely(sp - low < THREAD_SIZE) ? low : cpu->irq_stack.low;
}

/*
 * The index of the first of @entry's addresses from @i on that isn't in its place. There is one:
 * behind each part's addresses, of which there must be one, is one that isn't anywhere.
 */
static __always_inline unsigned int
kmt_stack_cache_differs(const struct kmt_stack_cache_entry *entry, unsigned int i,
			unsigned long base)
{
	const struct kmt_stack_cache_addr *addr = entry->addr + i;

#define KMT_DIFFERS(n) (kmt_stack_cache_word(base, addr[n].at) != (long)addr[n].addr)
	for (;; i += 8, addr += 8) {
		if (KMT_DIFFERS(0))
			return i;
		if (KMT_DIFFERS(1))
			return i + 1;
		if (KMT_DIFFERS(2))
			return i + 2;
		if (KMT_DIFFERS(3))
			return i + 3;
		if (KMT_DIFFERS(4))
			return i + 4;
		if (KMT_DIFFERS(5))
			return i + 5;
		if (KMT_DIFFERS(6))
			return i + 6;
		if (KMT_DIFFERS(7))
			return i + 7;
	}
#undef KMT_DIFFERS
}

/* Slow path of kmt_stack_cache_holds(), for any stack. */
bool kmt_stack_cache_holds_odd(const struct kmt_stack_cache_entry *entry, unsigned long sp,
			       unsigned long bp, unsigned long low);

/*
 * True if this is the stack from @sp and @bp on, where @sp is on the stack that starts at @low.
 * Stacks are as mapped here as they are for the unwinder, KASAN need not know.
 *
 * Most stacks are either one part, or two of which the second is the entry of a system call.
 */
static __always_inline __no_sanitize_address bool
kmt_stack_cache_holds(const struct kmt_stack_cache_entry *entry, unsigned long sp, unsigned long bp,
		      unsigned long low)
{
	const struct kmt_stack_cache_part *part = entry->part;
	unsigned long base = sp;

	if (unlikely(entry->odd))
		return kmt_stack_cache_holds_odd(entry, sp, bp, low);
	if (entry->bp && bp - sp != entry->bp)
		return false;
	if (unlikely(!kmt_stack_cache_fits(part, base, low)) ||
	    kmt_stack_cache_differs(entry, 0, base) != part->end)
		return false;
	if (likely(entry->parts > 1)) {
		unsigned int i = part->end + 1;

		part++;
		base = kmt_stack_cache_word(sp, part->at);
		if (unlikely(!kmt_stack_cache_fits(part, base, low)) ||
		    kmt_stack_cache_differs(entry, i, base) != part->end)
			return false;
	}
	return !entry->cs_at || kmt_stack_cache_word(base, entry->cs_at) & 3;
}

/* Remembers the stack that @walk found from @here, if it's of a kind that can be. */
void kmt_stack_cache_keep(struct kmt_stack_cache_entry *entry, const struct kmt_walk *walk,
			  const struct kmt_caller_regs *here, unsigned long tag,
			  struct kmt_origin origin);

/* Forgets all, and makes room for stacks of @depth addresses from now on; no probe may run. */
void kmt_stack_cache_reset(unsigned int depth);

int kmt_stack_cache_prepare(unsigned int cpu); /* memory for a CPU that has none; it may sleep */
void kmt_stack_cache_exit(void);
u64 kmt_stack_cache_bytes(void);                   /* memory held, by all CPUs */
u64 kmt_stack_cache_bytes_for(unsigned int depth); /* that a CPU needs for this depth */

/*
 * Forgets stacks with an address in [@start, @start + @size); none is in use. May sleep if any CPU
 * has a cache.
 */
void kmt_stack_cache_forget(unsigned long start, unsigned long size);

#endif /* KMEMTRACE_STACK_CACHE_H */
