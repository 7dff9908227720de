/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on the functions of the slab allocator that have no tracepoint: objects that are allocated
 * or freed in bulk, passed to RCU to be freed, resized in place, or allocated without a lock.
 * function_probes.c has the table of them.
 */
#ifndef KMEMTRACE_SLAB_FUNCTIONS_H
#define KMEMTRACE_SLAB_FUNCTIONS_H

#include <linux/kprobes.h>
#include <linux/types.h>

#include "compat.h"
#include "function_size.h"
#include "stack.h"

struct pt_regs;

/* Called with preemption off. */
void kmt_enter_free_bulk(struct pt_regs *regs);
void kmt_enter_kfree_rcu(struct pt_regs *regs);
void kmt_enter_sheaf(struct pt_regs *regs);
void kmt_enter_kfree_nolock(struct pt_regs *regs);
void kmt_enter_krealloc(struct pt_regs *regs);

#if KMT_CAN_ATTACH

/* A call of kmem_cache_alloc_bulk(). */
struct kmt_bulk_objects {
	struct kmem_cache *cache;
	void **ptrs;
	size_t count; /* wanted */
	gfp_t gfp;
	struct kmt_origin origin;
};

int kmt_enter_alloc_bulk(struct kretprobe_instance *instance, struct pt_regs *regs);
int kmt_leave_alloc_bulk(struct kretprobe_instance *instance, struct pt_regs *regs);

/* A call of kmalloc_nolock(). */
struct kmt_nolock {
	size_t bytes;
	gfp_t gfp;
	int node;
	struct kmt_origin origin;
};

int kmt_enter_nolock(struct kretprobe_instance *instance, struct pt_regs *regs);
int kmt_leave_nolock(struct kretprobe_instance *instance, struct pt_regs *regs);

#endif

/*
 * The function that frees in this way what it allocated without an event, when it can't get all of
 * it; and what the compiler inlines into it: the function that charges a cgroup.
 */
extern struct kmt_code kmt_bulk_objects_code;

/*
 * A sheaf was found whose layout differs from that in compat.h: frees by RCU through sheaves are
 * missed.
 */
extern bool kmt_sheaf_is_other;

#endif /* KMEMTRACE_SLAB_FUNCTIONS_H */
