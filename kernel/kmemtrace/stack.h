/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stacks of events: finds a stack in the cheapest correct way, and interns it in a table.
 */
#ifndef KMEMTRACE_STACK_H
#define KMEMTRACE_STACK_H

#include <linux/jump_label.h>
#include <linux/types.h>

struct seq_file;

#include "cpu.h"
#include "stack_cache.h"

DECLARE_STATIC_KEY_TRUE(kmt_stack_key);

/* Whether more of a stack is wanted than who called; changes only while there are no buffers. */
static __always_inline bool kmt_stack_is_on(void)
{
	return static_branch_likely(&kmt_stack_key);
}

int kmt_stack_init(unsigned int bytes, u64 session);
void kmt_stack_exit(void);
bool kmt_stack_is_ready(void);
u64 kmt_stack_bytes(void); /* memory held */
u64 kmt_stack_used(void);  /* bytes of the table in use */

/* Keeps the table for a reader: kmt_reset() fails until kmt_stack_put(). False: no table. */
bool kmt_stack_get(void);
void kmt_stack_put(void);
bool kmt_stack_is_read(void);                                         /* caller holds kmt_mutex */
ssize_t kmt_stack_read(char __user *ubuf, size_t count, loff_t *pos); /* by who has got it */

/* The same for a stack that isn't remembered, which it is then in @entry, unless that is NULL. */
struct kmt_origin kmt_stack_find(struct kmt_cpu *cpu, unsigned long ip, unsigned long sp,
				 unsigned long bp, unsigned long tag,
				 struct kmt_stack_cache_entry *entry);

/*
 * The origin of an event whose probe was called at @here; interrupts are off. @tag is
 * kmt_stack_cache_tag() of the tracepoint's call site, or of 0: then it's the caller of the
 * function that has the tracepoint. @hint distinguishes likely stacks, see stack_cache.h.
 */
static __always_inline struct kmt_origin kmt_stack_origin(struct kmt_cpu *cpu,
							  const struct kmt_caller_regs *here,
							  unsigned long tag, unsigned long hint)
{
	struct kmt_stack_cache_entry *entry = cpu->stack_cache;

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
 * The id of a stack, which is put in if it's new; KMEMTRACE_STACK_NONE (counted): no room. @cut:
 * there were more addresses.
 */
u32 kmt_stack_intern(const unsigned long *addrs, unsigned int depth, bool cut);

/*
 * The same for a stack in user space of the current process, which has no room either when user
 * stacks, or those of its user, have their part of the table.
 */
u32 kmt_stack_intern_user(const unsigned long *addrs, unsigned int depth, bool cut);

/*
 * Why callers couldn't be found in this session; NULL: all were found. The second one writes a line
 * of paths if some weren't. From any context.
 */
const char *kmt_stack_hides(void);
void kmt_stack_show_path(struct seq_file *seq);

/*
 * For verify.c: how many addresses are looked for, how many of them are the stack, of which
 * kmt_config.stack_depth are kept, and what was kept.
 */
unsigned int kmt_stack_want(unsigned long call_site);
unsigned int kmt_stack_trim(const unsigned long **addrs, unsigned int count,
			    unsigned long *call_site);
const struct kmemtrace_stack *kmt_stack_of_id(u32 id);

#endif /* KMEMTRACE_STACK_H */
