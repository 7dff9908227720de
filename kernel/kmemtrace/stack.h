/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of events: finds a stack in the cheapest way, and interns it in the stack table.
 */
#ifndef KMEMTRACE_STACK_H
#define KMEMTRACE_STACK_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct seq_file;

#include "cpu.h"
#include "stack_cache.h"

DECLARE_STATIC_KEY_TRUE(kmt_stack_key);

/* Returns whether stacks are recorded or only callers; changes only while there are no buffers. */
static __always_inline bool kmt_stack_is_on(void)
{
	return static_branch_likely(&kmt_stack_key);
}

/*
 * Allocates the table, of @bytes, and the caches for finding stacks; @session becomes part of its
 * header. Returns 0 or -ENOMEM. Under kmt_mutex, without a probe, like kmt_stack_exit(); may sleep.
 */
int kmt_stack_init(unsigned int bytes, u64 session);
void kmt_stack_exit(void);
bool kmt_stack_is_ready(void);
u64 kmt_stack_bytes(void); /* memory held */
u64 kmt_stack_used(void);  /* bytes of the table in use */

/*
 * Keeps the table for a reader: kmt_reset() fails until kmt_stack_put(). Returns false if there is
 * no table. Both take kmt_mutex.
 */
bool kmt_stack_get(void);
void kmt_stack_put(void);
bool kmt_stack_is_read(void); /* under kmt_mutex */

/* Like simple_read_from_buffer(), between kmt_stack_get() and kmt_stack_put(). */
ssize_t kmt_stack_read(char __user *ubuf, size_t count, loff_t *pos);

/*
 * Slow path of kmt_stack_origin(): walks or unwinds the stack, interns it, and caches it in @entry
 * if possible, unless that is NULL. Interrupts must be off.
 */
struct kmt_origin kmt_stack_find(struct kmt_cpu *cpu, unsigned long ip, unsigned long sp,
				 unsigned long bp, unsigned long tag,
				 struct kmt_stack_cache_entry *entry);

/*
 * Returns the origin of an event whose probe was called at @here. @tag is kmt_stack_cache_tag() of
 * the tracepoint's call site; if that is 0, the call site is the caller of the function with the
 * tracepoint. @hint distinguishes likely stacks, see stack_cache.h. Interrupts must be off.
 */
static __always_inline struct kmt_origin kmt_stack_origin(struct kmt_cpu *cpu,
							  const struct kmt_caller_regs *here,
							  unsigned long tag, unsigned long hint)
{
	struct kmt_stack_cache_entry *entry = KMT_HAS_ORC ? cpu->stack_cache : NULL;

	if (likely(entry)) {
		entry = kmt_stack_cache_slot(cpu, here->ip, tag, hint);
		if (likely(entry->ip == here->ip && entry->tag == tag) &&
		    likely(kmt_stack_cache_holds(entry, here->sp, here->bp,
						 kmt_stack_cache_low(cpu, here->sp)))) {
			cpu->stacks[KMT_STACK_CACHED]++;
			return entry->origin;
		}
	}
	return kmt_stack_find(cpu, here->ip, here->sp, here->bp, tag, entry);
}

/*
 * Returns the id of a stack, which is inserted if it is new. KMEMTRACE_STACK_NONE: there is no
 * room, and that is counted. @cut: the stack has more than @depth addresses. Lock-free.
 */
u32 kmt_stack_intern(const unsigned long *addrs, unsigned int depth, bool cut);

/*
 * The same for a user stack of the current process. There is no room either if user stacks, or
 * those of this user, have used their part of the table.
 */
u32 kmt_stack_intern_user(const unsigned long *addrs, unsigned int depth, bool cut);

/*
 * Returns why callers were not found in this session; NULL: all were. From any context. The second
 * one writes a line of the view "paths" if some were not found.
 */
const char *kmt_stack_hides(void);
void kmt_stack_show_path(struct seq_file *seq);

/*
 * For verify.c. kmt_stack_want(): the number of addresses to find, as @want in walk.h.
 * kmt_stack_trim(): how many of @count addresses are the stack; advances *@addrs to the first one,
 * and sets *@call_site if it is 0. The last one returns the entry of an id.
 */
unsigned int kmt_stack_want(unsigned long call_site);
unsigned int kmt_stack_trim(const unsigned long **addrs, unsigned int count,
			    unsigned long *call_site);
const struct kmemtrace_stack *kmt_stack_of_id(u32 id);

#endif /* KMEMTRACE_STACK_H */
