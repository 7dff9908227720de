// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembered stacks.
 *
 * Why it's enough to compare: the walk from a return address outwards depends on that address and
 * on what it finds on the stack, see walk.c. If the first address is the same, then so is the place
 * of the second; if that holds the same address, so is the place of the third, and so on. Where the
 * way goes on from a pointer, the place of that pointer follows from what came before, and it is
 * read anew.
 *
 * A stack that has more parts or addresses than there is room for isn't remembered, but walked.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "recall.h"

#define KMT_RECALL_BYTES	(sizeof(struct kmt_recall) << KMT_RECALL_BITS)

static __always_inline unsigned long kmt_at(unsigned long base, int offset)
{
	return READ_ONCE_NOCHECK(*(unsigned long *)(base + offset));
}

/* Whether all that @part looks at around @base is on the stack. */
static __always_inline bool kmt_part_fits(const struct kmt_recall_part *part, unsigned long base,
					  struct kmt_bounds bounds)
{
	return base - part->below - bounds.low < THREAD_SIZE &&
	       base + part->above - bounds.low <= THREAD_SIZE;
}

/* The base of a part that isn't the first, or 0 if it's not where such a part may be. */
static __always_inline unsigned long kmt_part_base(const struct kmt_recall_part *part,
						   const unsigned long *bases, unsigned long bp,
						   struct kmt_bounds *bounds)
{
	unsigned long base = bp;

	if (part->from != KMT_PART_OF_BP)
		base = kmt_at(bases[part->from], part->at);
	if (likely(kmt_part_fits(part, base, *bounds)))
		return base;
	/* From the interrupts' stack back to the thread's. */
	bounds->low = (unsigned long)task_stack_page(current);
	bounds->high = bounds->low + THREAD_SIZE;
	return kmt_part_fits(part, base, *bounds) ? base : 0;
}

bool kmt_recall_holds(const struct kmt_recall *recall, unsigned long sp, unsigned long bp,
		      struct kmt_bounds bounds)
{
	const struct kmt_recall_part *part = recall->part;
	const struct kmt_recall_part *last = part + recall->parts;
	const unsigned long *addr = recall->addr;
	unsigned long bases[KMT_WALK_PARTS], base = sp;
	const u16 *at = recall->at, *end;
	unsigned int i = 0;

	BUILD_BUG_ON(KMT_RECALL_GROUP != 2);
	if (unlikely(!kmt_part_fits(part, sp, bounds)))
		return false;
	for (;;) {
		for (end = at + part->groups * KMT_RECALL_GROUP; at != end;
		     at += KMT_RECALL_GROUP, addr += KMT_RECALL_GROUP) {
			if (kmt_at(base, at[0]) != addr[0] || kmt_at(base, at[1]) != addr[1])
				return false;
		}
		bases[i++] = base;
		if (++part == last)
			break;
		base = kmt_part_base(part, bases, bp, &bounds);
		if (unlikely(!base))
			return false;
	}
	return !recall->cs_at || kmt_at(base, recall->cs_at) & 3;
}

/* Notes that the word at @at is looked at from @part, whose base is @base. */
static bool kmt_part_covers(struct kmt_recall_part *part, unsigned long base, unsigned long at)
{
	long distance = at - base;

	if (abs(distance) > S16_MAX - (long)sizeof(long))
		return false;
	if (distance < 0)
		part->below = max_t(u16, part->below, -distance);
	else
		part->above = max_t(u16, part->above, distance + sizeof(long));
	return true;
}

/* Puts the addresses [@first, @end) of @walk into @part, from slot *@filled on. */
static bool kmt_part_fill(struct kmt_recall *recall, struct kmt_recall_part *part,
			  const struct kmt_walk *walk, unsigned long base, unsigned int first,
			  unsigned int end, unsigned int *filled)
{
	unsigned int start = *filled, i;

	for (i = first; i < end; i++) {
		if (*filled == KMT_RECALL_SLOTS || walk->slot[i] < base ||
		    !kmt_part_covers(part, base, walk->slot[i]))
			return false;
		recall->at[*filled] = walk->slot[i] - base;
		recall->addr[(*filled)++] = walk->addr[i];
	}
	for (; (*filled - start) % KMT_RECALL_GROUP; (*filled)++) {
		if (*filled == KMT_RECALL_SLOTS)
			return false;
		recall->at[*filled] = recall->at[*filled - 1];
		recall->addr[*filled] = recall->addr[*filled - 1];
	}
	part->groups = (*filled - start) / KMT_RECALL_GROUP;
	return true;
}

static bool kmt_recall_fill(struct kmt_recall *recall, const struct kmt_walk *walk)
{
	unsigned int i, filled = 0;

	memset(recall->part, 0, sizeof(recall->part));
	recall->cs_at = 0;
	recall->parts = walk->parts;
	for (i = 0; i < walk->parts; i++) {
		const struct kmt_walk_part *from = &walk->part[i];
		unsigned int end = i + 1 < walk->parts ? walk->part[i + 1].first : walk->count;
		struct kmt_recall_part *part = &recall->part[i];

		if (!kmt_part_fill(recall, part, walk, from->base, from->first, end, &filled))
			return false;
		part->from = from->from;
		if (!i || from->from == KMT_PART_OF_BP)
			continue;
		if (!kmt_part_covers(&recall->part[from->from], walk->part[from->from].base,
				     from->slot))
			return false;
		part->at = from->slot - walk->part[from->from].base;
	}
	if (!walk->user_cs)
		return true;
	i = walk->parts - 1;
	recall->cs_at = walk->user_cs - walk->part[i].base;
	return walk->user_cs > walk->part[i].base &&
	       kmt_part_covers(&recall->part[i], walk->part[i].base, walk->user_cs);
}

void kmt_recall_keep(struct kmt_recall *recall, const struct kmt_walk *walk,
		     const struct kmt_here *here, unsigned long tag, struct kmt_origin origin)
{
	recall->ip = 0;
	if (!kmt_recall_fill(recall, walk))
		return;
	recall->tag = tag;
	recall->origin = origin;
	recall->ip = here->ip;
}

int kmt_recall_prepare(unsigned int cpu_nr)
{
	struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
	struct kmt_recall *recall;

	if (cpu->recall)
		return 0;
	recall = vzalloc_node(KMT_RECALL_BYTES, cpu_to_node(cpu_nr));
	if (!recall)
		return -ENOMEM;
	smp_store_release(&cpu->recall, recall);
	return 0;
}

void kmt_recall_clear(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct kmt_recall *recall = per_cpu_ptr(&kmt_cpu, cpu)->recall;

		if (recall)
			memset(recall, 0, KMT_RECALL_BYTES);
	}
}

void kmt_recall_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(&kmt_cpu, cpu)->recall);
		per_cpu_ptr(&kmt_cpu, cpu)->recall = NULL;
	}
}

u64 kmt_recall_bytes(void)
{
	unsigned int cpu;
	u64 bytes = 0;

	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(&kmt_cpu, cpu)->recall)
			bytes += KMT_RECALL_BYTES;
	}
	return bytes;
}

static bool kmt_recall_has(const struct kmt_recall *recall, unsigned long start, unsigned long size)
{
	unsigned int i;

	if (recall->ip - start < size)
		return true;
	for (i = 0; i < KMT_RECALL_SLOTS; i++) {
		if (recall->addr[i] - start < size)
			return true;
	}
	return false;
}

/*
 * Another CPU may be keeping a new stack in an entry just now. It has no such address: to lose that
 * one does no harm, nor to leave it.
 */
void kmt_recall_forget(unsigned long start, unsigned long size)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct kmt_recall *recall = per_cpu_ptr(&kmt_cpu, cpu)->recall;

		for (i = 0; recall && i < 1U << KMT_RECALL_BITS; i++) {
			if (recall[i].ip && kmt_recall_has(&recall[i], start, size))
				WRITE_ONCE(recall[i].ip, 0);
		}
	}
}
