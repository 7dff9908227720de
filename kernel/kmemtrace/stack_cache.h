/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A per-CPU cache of stacks: a stack is recognized by reading the stack slots that had its return
 * addresses last time.
 *
 * A match is exact: the length of each frame depends only on its return address, so if all
 * addresses are in their slots, they were pushed by the same calls. See stack_cache.c.
 */
#ifndef KMEMTRACE_STACK_CACHE_H
#define KMEMTRACE_STACK_CACHE_H

#include <linux/hash.h>
#include <linux/types.h>

#include "arch.h"
#include "cpu.h"
#include "walk.h"

#define KMT_STACK_CACHE_BITS 10

/* The call site and the stack of an event. */
struct kmt_origin {
	unsigned long call_site; /* 0: unknown */
	u32 stack_id;            /* KMEMTRACE_STACK_NONE: none */
};

/*
 * A part of the stack, see walk.h: the pointer that it starts from, and its addresses. A pointer
 * whose distance has been constant starts no part here, but is compared, too. Offsets are in bytes.
 */
struct kmt_stack_cache_part {
	s16 at;    /* offset of the pointer, from the base of part */
	u8 from;   /* from, or KMT_PART_OF_BP; unused in the first part */
	u8 fixed;  /* number of its entries in kmt_stack_cache_entry.fixed */
	u8 end;    /* index after its last address: of its terminator */
	u16 below; /* bytes below its base that are read */
	u16 room;  /* maximum offset of these from the start of the stack */
};

/* A pointer that must point to @distance from the part's base; it is at @at from there. */
struct kmt_stack_cache_fixed {
	s16 at;
	s16 distance;
};

/* A return address, sign-extended as addresses of code are, and its offset from its part's base. */
struct kmt_stack_cache_addr {
	s32 addr;
	s32 at;
};

#define KMT_STACK_CACHE_PARTS 4
#define KMT_STACK_CACHE_FIXED 8

struct kmt_stack_cache_entry {
	unsigned long ip;  /* the first return address; 0: the entry is empty */
	unsigned long tag; /* see kmt_stack_cache_tag() */
	struct kmt_origin origin;
	s32 bp;    /* bytes from sp to bp, if bp is a fixed pointer; 0: it is not */
	u16 cs_at; /* offset of the user's code segment in the last part; 0: none */
	u8 parts;
	bool odd; /* needs kmt_stack_cache_holds_odd() */
	struct kmt_stack_cache_part part[KMT_STACK_CACHE_PARTS];
	struct kmt_stack_cache_fixed fixed[KMT_STACK_CACHE_FIXED];
	/* kmt_stack_cache_layout.addrs of them, with a terminator after each part. */
	struct kmt_stack_cache_addr addr[];
} ____cacheline_aligned;

/* The size of entries. Changes only while there are no caches. */
struct kmt_stack_cache_layout {
	unsigned int addrs;  /* addresses of an entry, with terminators */
	unsigned int stride; /* bytes from one entry to the next */
};

extern struct kmt_stack_cache_layout kmt_stack_cache_layout;

/*
 * The tag is part of a stack's key: the tracepoint's call site, or 0, and whether the event is in
 * an interrupt. The bits used for the latter are all equal in kernel addresses.
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

/* Returns an entry of a CPU's cache. */
static __always_inline struct kmt_stack_cache_entry *
kmt_stack_cache_at(struct kmt_stack_cache_entry *cache, unsigned long number)
{
	return (void *)cache + number * kmt_stack_cache_layout.stride;
}

/* Returns the entry for a key. @hint: any value that distinguishes stacks of one @ip and @tag. */
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

/* Returns whether everything that is read around @base is on the stack that starts at @low. */
static __always_inline bool kmt_stack_cache_fits(const struct kmt_stack_cache_part *part,
						 unsigned long base, unsigned long low)
{
	return base - part->below - low <= part->room;
}

/*
 * Returns the start of the stack that @sp is on: the thread's, or this CPU's for interrupts, of
 * THREAD_SIZE bytes. If it is on neither, kmt_stack_cache_fits() fails with the result.
 */
static __always_inline unsigned long kmt_stack_cache_low(const struct kmt_cpu *cpu,
							 unsigned long sp)
{
	unsigned long low = (unsigned long)task_stack_page(current);

	return likely(sp - low < THREAD_SIZE) ? low : cpu->irq_stack.low;
}

/*
 * Returns the index of the first of @entry's addresses from @i on that is not in its slot; of the
 * part's terminator if all are. The part must have an address.
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
 * Returns whether @entry is the stack from @sp and @bp on, with @sp on the stack that starts at
 * @low. Like the unwinder, it reads slots that KASAN may have poisoned.
 *
 * Most stacks have one part, or two of which the second is the entry of a system call.
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

#if KMT_HAS_ORC

/* Caches the stack that @walk found from @here, if possible. Interrupts must be off. */
void kmt_stack_cache_keep(struct kmt_stack_cache_entry *entry, const struct kmt_walk *walk,
			  const struct kmt_caller_regs *here, unsigned long tag,
			  struct kmt_origin origin);

/* Clears all caches, or frees them if @depth differs from that before. No probe may run. */
void kmt_stack_cache_reset(unsigned int depth);

/* Allocates the cache of a CPU, if it has none. Probes may run. Returns 0 or -ENOMEM; may sleep. */
int kmt_stack_cache_prepare(unsigned int cpu);
void kmt_stack_cache_exit(void);                   /* no probe may run */
u64 kmt_stack_cache_bytes(void);                   /* memory held by all CPUs */
u64 kmt_stack_cache_bytes_for(unsigned int depth); /* bytes that a CPU needs for this depth */

/*
 * Forgets stacks with an address in [@start, @start + @size), none of which may be in use. Probes
 * may run. May sleep, unless no CPU has a cache.
 */
void kmt_stack_cache_forget(unsigned long start, unsigned long size);

#else /* frame records are walked at each event: nothing is cached */

static inline void kmt_stack_cache_keep(struct kmt_stack_cache_entry *entry,
					const struct kmt_walk *walk,
					const struct kmt_caller_regs *here, unsigned long tag,
					struct kmt_origin origin)
{
}

static inline void kmt_stack_cache_reset(unsigned int depth)
{
}

static inline int kmt_stack_cache_prepare(unsigned int cpu)
{
	return 0;
}

static inline void kmt_stack_cache_exit(void)
{
}

static inline u64 kmt_stack_cache_bytes(void)
{
	return 0;
}

static inline u64 kmt_stack_cache_bytes_for(unsigned int depth)
{
	return 0;
}

static inline void kmt_stack_cache_forget(unsigned long start, unsigned long size)
{
}

#endif

#endif /* KMEMTRACE_STACK_CACHE_H */
