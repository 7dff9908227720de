// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack table, which gives each distinct stack a 32-bit id.
 *
 * Entries are appended to an arena; an id is the offset of an entry in units of 8 bytes. A hash
 * table of slots finds an entry. A slot has hash and id in one word, is written once by a
 * compare-and-exchange, and then constant. So a lookup takes no lock, and an insert may at worst
 * waste the space of an entry that another CPU inserted first. Nothing is allocated after
 * kmt_stack_init(). If the table is full, that is counted, and the event has no stack.
 *
 * A process can create any number of user stacks with any addresses, and many kernel stacks. So
 * user stacks have their own part of the table, each user has a share of each part, and the hash
 * has a random factor.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/random.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "allocator_functions.h"
#include "caller.h"
#include "kmemtrace.h"
#include "share.h"
#include "sources.h"
#include "stack.h"
#include "stack_cache.h"
#include "trampoline.h"
#include "verify.h"
#include "walk.h"

#define KMT_STACK_UNIT          8   /* bytes; the unit of ids */
#define KMT_STACK_PROBES        32  /* slots searched before the table counts as full */
#define KMT_STACK_BYTES_A_FRAME 256 /* of the table, for each entry of the table of frames */
#define KMT_STACK_BYTES_A_SLOT  64  /* of the table; shorter stacks count as this long */

/*
 * Limits in bytes for the stacks of all users except root, and of one user, in a part of the table.
 */
#define KMT_STACK_OF_OTHERS(part) ((part) / 4 * 3)
#define KMT_STACK_OF_ONE(part)    ((part) / 2)

/* Set up and torn down under kmt_mutex while no probe runs; otherwise only the atomics change. */
static struct {
	void *arena;                 /* a struct kmemtrace_stack_table, then the entries */
	u32 size;                    /* bytes of the arena */
	atomic_t used;               /* bytes of it in use; may exceed size slightly */
	u64 *slots;                  /* hash << 32 | id; 0: free */
	u32 slot_mask;               /* number of slots - 1 */
	u64 factor;                  /* of the hash: random and odd */
	atomic_t user_used;          /* bytes charged for user stacks */
	struct kmt_shares shares[2]; /* bytes charged by user: for kernel stacks, for user stacks */
} kmt_stacks;

static bool kmt_stack_hidden;          /* a caller was not found in this session */
static unsigned int kmt_stack_readers; /* of kmt_stack_get(); under kmt_mutex */

DEFINE_STATIC_KEY_TRUE(kmt_stack_key);

int kmt_stack_init(unsigned int bytes, u64 session)
{
	struct kmemtrace_stack_table *table;
	u32 slots = roundup_pow_of_two(bytes / KMT_STACK_BYTES_A_SLOT);
	int ret = kmt_walk_init(rounddown_pow_of_two(bytes / KMT_STACK_BYTES_A_FRAME));

	if (ret)
		return ret;

	kmt_stacks.arena = vzalloc(bytes);
	kmt_stacks.slots = vzalloc(array_size(slots, sizeof(u64)));
	if (!kmt_stacks.arena || !kmt_stacks.slots) {
		kmt_stack_exit();
		return -ENOMEM;
	}
	kmt_stacks.size = bytes;
	kmt_stacks.slot_mask = slots - 1;
	kmt_stacks.factor = get_random_u64() | 1;
	atomic_set(&kmt_stacks.user_used, 0);
	memset(kmt_stacks.shares, 0, sizeof(kmt_stacks.shares));
	WRITE_ONCE(kmt_stack_hidden, false);
	table = kmt_stacks.arena;
	table->magic = KMEMTRACE_STACK_MAGIC;
	table->abi_version = KMEMTRACE_ABI_VERSION;
	table->header_len = sizeof(*table);
	table->session = session;
	atomic_set(&kmt_stacks.used, sizeof(*table));
	return 0;
}

void kmt_stack_exit(void)
{
	kmt_walk_exit();
	vfree(kmt_stacks.arena);
	vfree(kmt_stacks.slots);
	kmt_stacks.arena = NULL;
	kmt_stacks.slots = NULL;
}

bool kmt_stack_is_ready(void)
{
	return kmt_stacks.arena;
}

u64 kmt_stack_bytes(void)
{
	return kmt_stacks.arena ? kmt_stacks.size + (kmt_stacks.slot_mask + 1ULL) * sizeof(u64) : 0;
}

u64 kmt_stack_used(void)
{
	return kmt_stacks.arena ? min_t(u32, atomic_read(&kmt_stacks.used), kmt_stacks.size) : 0;
}

static struct kmemtrace_stack *kmt_stack_entry(u32 id)
{
	return kmt_stacks.arena + (size_t)id * KMT_STACK_UNIT;
}

static bool kmt_stack_equals(u32 id, const unsigned long *addrs, unsigned int depth, u16 flags)
{
	const struct kmemtrace_stack *entry = kmt_stack_entry(id);
	unsigned int i;

	if (entry->depth != depth || entry->flags != flags)
		return false;
	for (i = 0; i < depth; i++) {
		if (entry->addr[i] != addrs[i])
			return false;
	}
	return true;
}

/*
 * Charges the current process for a stack of @len bytes. False: its share is used up. User stacks
 * have at most half of the table, and kernel stacks all that they leave.
 */
static bool kmt_stack_pay(u32 len, bool is_user)
{
	struct kmt_shares *shares = &kmt_stacks.shares[is_user];
	struct kmt_share *share = kmt_share_of_current(shares);
	u32 part = is_user || kmt_config.user_stacks ? kmt_stacks.size / 2 : kmt_stacks.size;
	u32 amount = max_t(u32, len, KMT_STACK_BYTES_A_SLOT);

	if (!kmt_share_take(shares, share, amount, KMT_STACK_OF_ONE(part),
			    KMT_STACK_OF_OTHERS(part)))
		return false;
	if (!is_user || kmt_share_add(&kmt_stacks.user_used, amount, part))
		return true;
	kmt_share_give(shares, share, amount);
	return false;
}

/*
 * Appends an entry and returns its id; 0 if there is no room. The hash is written last, as it marks
 * the entry as complete.
 */
static u32 kmt_stack_append(u32 hash, const unsigned long *addrs, unsigned int depth, u16 flags,
			    bool is_user)
{
	u32 len = sizeof(struct kmemtrace_stack) + depth * sizeof(u64);
	struct kmemtrace_stack *entry;
	unsigned int i;
	u32 offset;

	if (kmt_stack_used() + len > kmt_stacks.size || !kmt_stack_pay(len, is_user))
		return 0;
	offset = atomic_add_return(len, &kmt_stacks.used) - len;
	if (offset + len > kmt_stacks.size)
		return 0;
	entry = kmt_stacks.arena + offset;
	entry->depth = depth;
	entry->flags = flags;
	for (i = 0; i < depth; i++)
		entry->addr[i] = addrs[i];
	smp_store_release(&entry->hash, hash);
	return offset / KMT_STACK_UNIT;
}

static u32 kmt_stack_hash(const unsigned long *addrs, unsigned int depth)
{
	u64 hash = depth;
	unsigned int i;

	for (i = 0; i < depth; i++)
		hash = (rol64(hash, 7) ^ addrs[i]) * kmt_stacks.factor;
	/* No bit of a product depends on higher bits of its factors, so they are mixed in here. */
	hash ^= hash >> 32;
	return (hash * kmt_stacks.factor) >> 32 ?: 1;
}

/* Finds or inserts a stack. Returns its id; KMEMTRACE_STACK_NONE, counted, if there is no room. */
static u32 kmt_stack_put_in(const unsigned long *addrs, unsigned int depth, bool cut, bool is_user)
{
	u16 flags = cut ? KMEMTRACE_STACK_CUT : 0;
	u32 hash = kmt_stack_hash(addrs, depth);
	u32 new_id = 0;
	unsigned int i;

	for (i = 0; i < KMT_STACK_PROBES; i++) {
		u64 *slot = &kmt_stacks.slots[(hash + i) & kmt_stacks.slot_mask];
		u64 old = smp_load_acquire(slot);

		if (!old) {
			if (!new_id)
				new_id = kmt_stack_append(hash, addrs, depth, flags, is_user);
			if (!new_id)
				break;
			old = cmpxchg64(slot, 0, (u64)hash << 32 | new_id);
			if (!old)
				return new_id;
		}
		if (old >> 32 == hash && kmt_stack_equals((u32)old, addrs, depth, flags))
			return (u32)old;
	}
	kmt_count_loss(KMEMTRACE_LOSS_STACK_FULL);
	return KMEMTRACE_STACK_NONE;
}

u32 kmt_stack_intern(const unsigned long *addrs, unsigned int depth, bool cut)
{
	return kmt_stack_put_in(addrs, depth, cut, false);
}

u32 kmt_stack_intern_user(const unsigned long *addrs, unsigned int depth, bool cut)
{
	return kmt_stack_put_in(addrs, depth, cut, true);
}

/*
 * Returns the index of the first address of an event's stack among those from the probe's caller
 * on: that of the call site if the tracepoint passed one, otherwise the one after the function with
 * the tracepoint.
 */
static unsigned int kmt_stack_first(const unsigned long *addrs, unsigned int count,
				    unsigned long call_site)
{
	unsigned int i;

	for (i = 0; call_site && i < count && i <= KMT_ALLOCATOR_FRAMES; i++) {
		if (addrs[i] == call_site)
			return i;
	}
	/* Unknown, or not on the stack. */
	return min(count, !call_site + (count && kmt_is_iterator(addrs[0])));
}

unsigned int kmt_stack_want(unsigned long call_site)
{
	if (kmt_config.stack_depth)
		return kmt_config.stack_depth + KMT_ALLOCATOR_FRAMES + 1;
	return call_site ? KMT_WALK_PAST_ALLOCATOR : KMT_WALK_TO_CALLER;
}

unsigned int kmt_stack_trim(const unsigned long **addrs, unsigned int count,
			    unsigned long *call_site)
{
	unsigned int first;

	if (!kmt_config.stack_depth) {
		if (count && (*call_site || count > 1U + kmt_is_iterator(**addrs)))
			*call_site = (*addrs)[count - 1];
		return 0;
	}
	first = kmt_stack_first(*addrs, count, *call_site);
	*addrs += first;
	count -= first;
	if (!*call_site && count)
		*call_site = **addrs;
	return count;
}

/* @count: the result of kmt_stack_trim(). */
static u32 kmt_stack_intern_trimmed(const unsigned long *addrs, unsigned int count)
{
	unsigned int depth = kmt_config.stack_depth;

	return kmt_stack_intern(addrs, min(count, depth), count > depth);
}

const struct kmemtrace_stack *kmt_stack_of_id(u32 id)
{
	return kmt_stack_entry(id);
}

/*
 * If a function has a kretprobe and is traced by function graph tracing, one of them saved the
 * other's trampoline as the return address. The kernel's unwinder resolves only one.
 */
static void kmt_stack_note_hidden(unsigned long call_site)
{
	if (kmt_is_trampoline(call_site) && !READ_ONCE(kmt_stack_hidden))
		WRITE_ONCE(kmt_stack_hidden, true);
}

const char *kmt_stack_hides(void)
{
	return READ_ONCE(kmt_stack_hidden)
		       ? "a kretprobe and function graph tracing were on one function and hid its callers"
		       : NULL;
}

void kmt_stack_show_path(struct seq_file *seq)
{
	const struct kmt_source source = { .name = "callers", .unseen = kmt_stack_hides() };

	if (source.unseen)
		kmt_source_show(seq, &source);
}

/*
 * Returns the origin of an event whose call site is @trampoline: the unwinder knows the original
 * return address of its stack slot. Such a stack is not cached.
 */
static struct kmt_origin kmt_stack_find_behind(struct kmt_cpu *cpu,
					       const struct kmt_caller_regs *here,
					       unsigned long trampoline, bool irq)
{
	struct kmt_walk *walk = &cpu->walk;
	const unsigned long *addrs = walk->addr;
	bool is_call = cpu->unwind_from;
	struct kmt_origin origin = { 0, KMEMTRACE_STACK_NONE };
	unsigned int first, count;

	kmt_unwind(walk, here, kmt_config.stack_depth ? kmt_stack_want(trampoline) : KMT_WALK_MAX,
		   irq);
	cpu->stacks[KMT_STACK_UNWOUND]++;
	first = kmt_walk_behind(walk, trampoline);
	if (first == walk->count) /* as for an event without a call site */
		first = is_call ? 0 : kmt_stack_first(addrs, walk->count, 0);
	count = walk->count - first;
	addrs += first;
	if (!count)
		return origin;
	if (kmt_config.stack_depth) {
		origin.stack_id = kmt_stack_intern_trimmed(addrs, count);
	} else if (is_call) {
		count = kmt_walk_cut(addrs, count, KMT_WALK_PAST_ALLOCATOR);
		addrs += count - 1;
	}
	origin.call_site = *addrs;
	kmt_stack_note_hidden(origin.call_site);
	return origin;
}

noinline struct kmt_origin kmt_stack_find(struct kmt_cpu *cpu, unsigned long ip, unsigned long sp,
					  unsigned long bp, unsigned long tag,
					  struct kmt_stack_cache_entry *entry)
{
	const struct kmt_caller_regs here = { ip, sp, bp };
	struct kmt_origin origin = { .call_site = kmt_tag_call_site(tag) };
	const unsigned long *addrs = cpu->walk.addr;
	unsigned int want = kmt_stack_want(origin.call_site), count;
	enum kmt_walk_end end = KMT_WALK_FAILED;
	bool irq = kmt_tag_is_irq(tag), walked;
	struct kmt_bounds bounds;

	if (kmt_is_trampoline(origin.call_site))
		return kmt_stack_find_behind(cpu, &here, origin.call_site, irq);
	if (kmt_walk_bounds(sp, &bounds))
		end = kmt_walk(&cpu->walk, &here, bounds, want, irq);
	walked = end != KMT_WALK_FAILED;
	if (!walked)
		kmt_unwind(&cpu->walk, &here, want, irq);
	cpu->stacks[walked ? KMT_STACK_WALKED : KMT_STACK_UNWOUND]++;

	count = kmt_stack_trim(&addrs, cpu->walk.count, &origin.call_site);
	if (!walked)
		kmt_stack_note_hidden(origin.call_site);
	origin.stack_id = count ? kmt_stack_intern_trimmed(addrs, count) : KMEMTRACE_STACK_NONE;
	if (end == KMT_WALK_CUT && !kmt_config.stack_depth && !kmt_is_iterator(ip) &&
	    kmt_caller_keep(cpu, &cpu->walk, &here))
		return origin;
	if (walked && entry && (origin.stack_id || !kmt_config.stack_depth))
		kmt_stack_cache_keep(entry, &cpu->walk, &here, tag, origin);
	return origin;
}

/* Returns the bytes from the start of the table to the first incomplete entry. */
static u32 kmt_stack_complete(void)
{
	u32 offset = sizeof(struct kmemtrace_stack_table);
	u32 used = kmt_stack_used();

	while (offset + sizeof(struct kmemtrace_stack) <= used) {
		const struct kmemtrace_stack *entry = kmt_stacks.arena + offset;

		if (!smp_load_acquire(&entry->hash))
			break;
		offset += sizeof(*entry) + entry->depth * sizeof(u64);
	}
	return offset;
}

bool kmt_stack_get(void)
{
	bool is_there;

	mutex_lock(&kmt_mutex);
	is_there = kmt_stacks.arena;
	kmt_stack_readers += is_there;
	mutex_unlock(&kmt_mutex);
	return is_there;
}

void kmt_stack_put(void)
{
	mutex_lock(&kmt_mutex);
	kmt_stack_readers--;
	mutex_unlock(&kmt_mutex);
}

bool kmt_stack_is_read(void)
{
	return kmt_stack_readers;
}

ssize_t kmt_stack_read(char __user *ubuf, size_t count, loff_t *pos)
{
	return simple_read_from_buffer(ubuf, count, pos, kmt_stacks.arena, kmt_stack_complete());
}
