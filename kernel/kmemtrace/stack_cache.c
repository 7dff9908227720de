// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack cache.
 *
 * Comparing addresses is sufficient: the walk from a return address outwards depends only on that
 * address and on what it reads from the stack, see walk.c. If the first address is the same, so is
 * the slot of the second; if that has the same address, so is the slot of the third, and so on.
 * Where the walk continues from a saved pointer, the slot of that pointer follows from the frames
 * before it, and the pointer is read again.
 *
 * A stack with more parts or addresses than an entry has room for is not cached.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "frames.h"
#include "stack_cache.h"

/*
 * Minimum addresses of an entry, which is also used to find callers while no stacks are recorded.
 */
#define KMT_STACK_CACHE_LEAST 24U

struct kmt_stack_cache_layout kmt_stack_cache_layout __read_mostly;

/* Returns the layout of entries for stacks of @depth addresses. */
static struct kmt_stack_cache_layout kmt_stack_cache_layout_of(unsigned int depth)
{
	unsigned int addrs = depth + KMT_ALLOCATOR_FRAMES + 1 + KMT_STACK_CACHE_PARTS;

	addrs = max(addrs, KMT_STACK_CACHE_LEAST);
	return (struct kmt_stack_cache_layout){
		.addrs = addrs,
		.stride = ALIGN(struct_size((struct kmt_stack_cache_entry *)NULL, addr, addrs),
				SMP_CACHE_BYTES),
	};
}

/* Returns the bytes of a CPU's cache. */
static size_t kmt_stack_cache_size(struct kmt_stack_cache_layout layout)
{
	return (size_t)layout.stride << KMT_STACK_CACHE_BITS;
}

static __always_inline bool kmt_stack_cache_is_fixed(const struct kmt_stack_cache_fixed *fixed,
						     unsigned int count, unsigned long base)
{
	for (; count--; fixed++) {
		if (kmt_stack_cache_word(base, fixed->at) - base != fixed->distance)
			return false;
	}
	return true;
}

noinline __no_sanitize_address bool
kmt_stack_cache_holds_odd(const struct kmt_stack_cache_entry *entry, unsigned long sp,
			  unsigned long bp, unsigned long low)
{
	const struct kmt_stack_cache_fixed *fixed = entry->fixed;
	const struct kmt_stack_cache_part *part = entry->part;
	unsigned long bases[KMT_STACK_CACHE_PARTS], base = sp;
	unsigned int parts = entry->parts, i = 0;

	if (entry->bp && bp - sp != entry->bp)
		return false;
	for (;;) {
		if (unlikely(!kmt_stack_cache_fits(part, base, low))) {
			/* From the interrupts' stack back to the thread's? */
			low = (unsigned long)task_stack_page(current);
			if (!kmt_stack_cache_fits(part, base, low))
				return false;
		}
		if (!kmt_stack_cache_is_fixed(fixed, part->fixed, base))
			return false;
		/* A part without addresses has no terminator, and nothing to compare. */
		if (part->end != i && kmt_stack_cache_differs(entry, i, base) != part->end)
			return false;
		if (!--parts)
			break;
		fixed += part->fixed;
		i = part->end + 1;
		bases[part - entry->part] = base;
		part++;
		base = part->from == KMT_PART_OF_BP
			       ? bp
			       : kmt_stack_cache_word(bases[part->from], part->at);
	}
	return !entry->cs_at || kmt_stack_cache_word(base, entry->cs_at) & 3;
}

/* State of filling an entry from a walk. */
struct kmt_filling {
	struct kmt_stack_cache_entry *entry;
	const struct kmt_walk *walk;
	unsigned int slots, fixed; /* used in the entry */
	bool has_empty;            /* a part has no addresses */
	struct {
		unsigned long base;
		u16 above; /* bytes above base that are read */
	} part[KMT_STACK_CACHE_PARTS];
	u8 part_of[KMT_WALK_PARTS]; /* the entry's part, for each of the walk's */
	struct kmt_frame *fixed_frame[KMT_STACK_CACHE_FIXED]; /* owners of the fixed pointers */
	struct kmt_frame *bp_frame;                           /* owner of entry->bp */
};

/* Notes that the word at @at is read in part @index. Sets *@distance: bytes from the base. */
static bool kmt_part_covers(struct kmt_filling *filling, unsigned int index, unsigned long at,
			    s16 *distance)
{
	struct kmt_stack_cache_part *part = &filling->entry->part[index];
	long bytes = at - filling->part[index].base;

	if (abs(bytes) > S16_MAX - (long)sizeof(long))
		return false;
	if (bytes < 0)
		part->below = max_t(u16, part->below, -bytes);
	else
		filling->part[index].above =
			max_t(u16, filling->part[index].above, bytes + sizeof(long));
	*distance = bytes;
	return true;
}

/* Returns whether the pointer that begins the walk's part @from has had a constant distance. */
static bool kmt_is_fixed(const struct kmt_walk_part *from)
{
	return from->frame && !(READ_ONCE(from->frame->flags) & KMT_FRAME_MOVES);
}

static bool kmt_add_fixed(struct kmt_filling *filling, const struct kmt_walk_part *from)
{
	struct kmt_stack_cache_entry *entry = filling->entry;
	unsigned int index = entry->parts - 1;
	unsigned long base = filling->part[index].base;
	long distance = from->base - base;
	struct kmt_stack_cache_fixed *fixed;

	if (abs(distance) > S16_MAX || filling->fixed == KMT_STACK_CACHE_FIXED)
		return false;
	if (from->from == KMT_PART_OF_BP) {
		entry->bp = distance;
		filling->bp_frame = from->frame;
		return !index && distance;
	}
	if (filling->part_of[from->from] != index)
		return false;
	filling->fixed_frame[filling->fixed] = from->frame;
	fixed = &entry->fixed[filling->fixed++];
	fixed->distance = distance;
	entry->part[index].fixed++;
	return kmt_part_covers(filling, index, from->slot, &fixed->at);
}

static bool kmt_add_part(struct kmt_filling *filling, const struct kmt_walk_part *from)
{
	struct kmt_stack_cache_entry *entry = filling->entry;
	unsigned int index = entry->parts;
	struct kmt_stack_cache_part *part = &entry->part[index];

	if (index == KMT_STACK_CACHE_PARTS)
		return false;
	entry->parts++;
	filling->part[index].base = from->base;
	part->from = from->from;
	if (!index || from->from == KMT_PART_OF_BP)
		return true;
	part->from = filling->part_of[from->from];
	return kmt_part_covers(filling, part->from, from->slot, &part->at);
}

static bool kmt_add_address(struct kmt_filling *filling, unsigned long at, unsigned long addr)
{
	struct kmt_stack_cache_entry *entry = filling->entry;
	s16 distance;

	if (filling->slots == kmt_stack_cache_layout.addrs || (long)addr != (s32)addr ||
	    !kmt_part_covers(filling, entry->parts - 1, at, &distance))
		return false;
	entry->addr[filling->slots++] = (struct kmt_stack_cache_addr){ addr, distance };
	return true;
}

/*
 * Ends the last part with a terminator: it expects 0 in the slot of the last address, which never
 * matches. A part without addresses has no such slot, and is not compared.
 */
static bool kmt_end_part(struct kmt_filling *filling, unsigned int first)
{
	struct kmt_stack_cache_entry *entry = filling->entry;
	unsigned int index = entry->parts - 1, end = filling->slots;

	if (end == kmt_stack_cache_layout.addrs)
		return false;
	entry->part[index].end = end;
	entry->addr[end].at = end > first ? entry->addr[end - 1].at : 0;
	entry->addr[end].addr = 0;
	filling->has_empty |= end == first;
	filling->part[index].above = max_t(u16, filling->part[index].above, sizeof(long));
	filling->slots++;
	return true;
}

static bool kmt_fill_parts(struct kmt_filling *filling)
{
	const struct kmt_walk *walk = filling->walk;
	unsigned int i, address, first = 0;

	for (i = 0; i < walk->parts; i++) {
		const struct kmt_walk_part *from = &walk->part[i];
		unsigned int end = i + 1 < walk->parts ? from[1].first : walk->count;

		if (i && kmt_is_fixed(from)) {
			if (!kmt_add_fixed(filling, from))
				return false;
		} else {
			if (i && !kmt_end_part(filling, first))
				return false;
			first = filling->slots;
			if (!kmt_add_part(filling, from))
				return false;
		}
		filling->part_of[i] = filling->entry->parts - 1;
		for (address = from->first; address < end; address++) {
			if (!kmt_add_address(filling, walk->slot[address], walk->addr[address]))
				return false;
		}
	}
	return kmt_end_part(filling, first);
}

/* Returns whether the walk continues on another stack. */
static bool kmt_leaves(const struct kmt_walk *walk)
{
	return walk->part[walk->parts - 1].base - walk->part[0].base >= THREAD_SIZE;
}

static bool kmt_stack_cache_fill(struct kmt_filling *filling)
{
	struct kmt_stack_cache_entry *entry = filling->entry;
	const struct kmt_walk *walk = filling->walk;
	unsigned int i;
	s16 cs_at = 0;

	memset(entry->part, 0, sizeof(entry->part));
	entry->bp = 0;
	entry->parts = 0;
	if (!kmt_fill_parts(filling))
		return false;
	if (walk->user_cs &&
	    (!kmt_part_covers(filling, entry->parts - 1, walk->user_cs, &cs_at) || cs_at <= 0))
		return false;
	entry->cs_at = cs_at;
	for (i = 0; i < entry->parts; i++) {
		unsigned int looked_at = entry->part[i].below + filling->part[i].above;

		if (looked_at > THREAD_SIZE)
			return false;
		entry->part[i].room = THREAD_SIZE - looked_at;
	}
	entry->odd = filling->fixed || filling->has_empty || entry->parts > 2 ||
		     (entry->parts == 2 && (entry->part[1].from || kmt_leaves(walk)));
	return true;
}

static void kmt_mark_moving(struct kmt_frame *frame)
{
	WRITE_ONCE(frame->flags, frame->flags | KMT_FRAME_MOVES);
}

/*
 * If a stack was cached but did not match, a pointer whose distance was taken as constant has
 * moved: its function has a frame of variable size. Marks that frame, so that no stack relies on
 * it, and returns true if there is one. @bp and @fixed are the cached distances.
 */
static bool kmt_note_moves(const struct kmt_filling *filling, s32 bp,
			   const struct kmt_stack_cache_fixed *fixed)
{
	const struct kmt_stack_cache_entry *entry = filling->entry;
	bool moves = false;
	unsigned int i;

	if (bp && entry->bp && bp != entry->bp) {
		kmt_mark_moving(filling->bp_frame);
		moves = true;
	}
	for (i = 0; i < filling->fixed; i++) {
		if (fixed[i].at != entry->fixed[i].at)
			break;
		if (fixed[i].distance != entry->fixed[i].distance) {
			kmt_mark_moving(filling->fixed_frame[i]);
			moves = true;
		}
	}
	return moves;
}

void kmt_stack_cache_keep(struct kmt_stack_cache_entry *entry, const struct kmt_walk *walk,
			  const struct kmt_caller_regs *here, unsigned long tag,
			  struct kmt_origin origin)
{
	bool known = entry->ip == here->ip && entry->tag == tag &&
		     entry->origin.stack_id == origin.stack_id;
	struct kmt_filling filling = { .entry = entry, .walk = walk };
	struct kmt_stack_cache_fixed fixed[KMT_STACK_CACHE_FIXED];
	s32 bp = entry->bp;

	memcpy(fixed, entry->fixed, sizeof(fixed));
	entry->ip = 0;
	if (!kmt_stack_cache_fill(&filling))
		return;
	if (known && kmt_note_moves(&filling, bp, fixed)) {
		filling = (struct kmt_filling){ .entry = entry, .walk = walk };
		if (!kmt_stack_cache_fill(&filling))
			return;
	}
	entry->tag = tag;
	entry->origin = origin;
	entry->ip = here->ip;
}

int kmt_stack_cache_prepare(unsigned int cpu_nr)
{
	struct kmt_cpu *cpu = per_cpu_ptr(&kmt_cpu, cpu_nr);
	struct kmt_stack_cache_entry *cache;

	if (cpu->stack_cache)
		return 0;
	cache = vzalloc_node(kmt_stack_cache_size(kmt_stack_cache_layout), cpu_to_node(cpu_nr));
	if (!cache)
		return -ENOMEM;
	smp_store_release(&cpu->stack_cache, cache);
	return 0;
}

void kmt_stack_cache_reset(unsigned int depth)
{
	struct kmt_stack_cache_layout layout = kmt_stack_cache_layout_of(depth);
	unsigned int cpu;

	if (layout.addrs != kmt_stack_cache_layout.addrs) {
		kmt_stack_cache_exit();
		kmt_stack_cache_layout = layout;
		return;
	}
	for_each_possible_cpu(cpu) {
		struct kmt_stack_cache_entry *cache = per_cpu_ptr(&kmt_cpu, cpu)->stack_cache;

		if (cache)
			memset(cache, 0, kmt_stack_cache_size(layout));
	}
}

void kmt_stack_cache_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(&kmt_cpu, cpu)->stack_cache);
		per_cpu_ptr(&kmt_cpu, cpu)->stack_cache = NULL;
	}
}

u64 kmt_stack_cache_bytes(void)
{
	unsigned int cpu;
	u64 bytes = 0;

	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(&kmt_cpu, cpu)->stack_cache)
			bytes += kmt_stack_cache_size(kmt_stack_cache_layout);
	}
	return bytes;
}

u64 kmt_stack_cache_bytes_for(unsigned int depth)
{
	return kmt_stack_cache_size(kmt_stack_cache_layout_of(depth));
}

static bool kmt_stack_cache_has(const struct kmt_stack_cache_entry *entry, unsigned long start,
				unsigned long size)
{
	unsigned int i, used = kmt_stack_cache_layout.addrs, parts = READ_ONCE(entry->parts);

	/* Another CPU may be filling the entry, see below. */
	if (parts && parts <= KMT_STACK_CACHE_PARTS)
		used = min_t(unsigned int, used, READ_ONCE(entry->part[parts - 1].end));
	if (entry->ip - start < size)
		return true;
	for (i = 0; i < used; i++) {
		if ((unsigned long)entry->addr[i].addr - start < size)
			return true;
	}
	return false;
}

/*
 * Another CPU may be writing a new stack, without such an address, to an entry. Both dropping and
 * keeping it are correct.
 */
void kmt_stack_cache_forget(unsigned long start, unsigned long size)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct kmt_stack_cache_entry *cache = per_cpu_ptr(&kmt_cpu, cpu)->stack_cache;

		for (i = 0; cache && i < 1U << KMT_STACK_CACHE_BITS; i++) {
			struct kmt_stack_cache_entry *entry = kmt_stack_cache_at(cache, i);

			if (entry->ip && kmt_stack_cache_has(entry, start, size))
				WRITE_ONCE(entry->ip, 0);
		}
		if (cache) /* while there is none, the caller may hold rcu_read_lock() */
			cond_resched();
	}
}
