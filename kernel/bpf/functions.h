/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs for functions of the slab allocator that have no tracepoint. kmemtrace.bpf.c includes
 * this after its code that records an event.
 */
#ifndef KMEMTRACE_FUNCTIONS_H
#define KMEMTRACE_FUNCTIONS_H

#include "calls.h"
#include "objects.h"

/* Returns argument @n of the function; for types that a program can't use directly. */
static __always_inline __u64 kmt_arg(void *ctx, __u32 n)
{
	__u64 value = 0;

	bpf_get_func_arg(ctx, n, &value);
	return value;
}

/* As kmt_enter(), for a function. */
static __always_inline bool kmt_enter_function(struct kmt_event *event, void *ctx, __u32 program,
					       __u32 turn)
{
	return kmt_enter(event, ctx, program, kmt_call_frame(ctx) + program + 1, turn, true);
}

/*
 * Defines the programs @name, @name_2 and, as for tracepoints, perhaps @name_3 of a function. They
 * call kmt_at_@name() with their turn.
 */
#define KMT_FUNCTION_PROGRAM(name, program, section, turn)                                         \
	SEC(section)                                                                               \
	int program(void *ctx)                                                                     \
	{                                                                                          \
		return kmt_at_##name(ctx, turn);                                                   \
	}

#ifdef KMT_PREEMPTIBLE
#define KMT_FUNCTION(name, section)                                                                \
	KMT_FUNCTION_PROGRAM(name, kmt_##name, section, 0)                                         \
	KMT_FUNCTION_PROGRAM(name, kmt_##name##_2, section, 1)                                     \
	KMT_FUNCTION_PROGRAM(name, kmt_##name##_3, section, KMT_TURN_LAST)
#else
#define KMT_FUNCTION(name, section)                                                                \
	KMT_FUNCTION_PROGRAM(name, kmt_##name, section, 0)                                         \
	KMT_FUNCTION_PROGRAM(name, kmt_##name##_2, section, KMT_TURN_LAST)
#endif

/* The objects of a bulk call. Each gets an event. */
struct kmt_bulk {
	struct kmt_event *event;
	const __u64 *ptrs;
	const struct kmem_cache *cache; /* NULL: of any caches */
	__u32 gfp;
	__u32 size;
	__u16 cache_id;
};

static __always_inline __u64 kmt_bulk_ptr(const struct kmt_bulk *bulk, __u32 i)
{
	__u64 ptr = 0;

	bpf_probe_read_kernel(&ptr, sizeof(ptr), bulk->ptrs + i);
	return ptr;
}

static long kmt_free_one(__u32 i, struct kmt_bulk *bulk)
{
	__u64 ptr = kmt_bulk_ptr(bulk, i);

	if (kmt_is_no_object(ptr) || !kmt_filter_free(bulk->event->ring, KMT_FILTER_SLAB, ptr, 1) ||
	    !kmt_begin_known(bulk->event))
		return 0;
	kmt_fill_freed(bulk->event->slot.record, ptr, bulk->cache_id);
	kmt_end(bulk->event, bulk->cache ? KMEMTRACE_EVENT_CACHE_FREE : KMEMTRACE_EVENT_KFREE);
	return 0;
}

/*
 * Returns whether kmem_cache_alloc_bulk() frees the objects that it got, because it can't get all:
 * they have no events.
 */
static __always_inline bool kmt_gives_back(const struct kmt_event *event)
{
	const volatile struct kmt_bpf_range *range = &config.own[KMT_BPF_ALLOC_BULK][0];

	return event->call_site >= range->from && event->call_site < range->to;
}

/* cache, count, ptrs */
static __always_inline int kmt_at_free_bulk(void *ctx, __u32 turn)
{
	struct kmt_event event;
	struct kmt_bulk bulk = {
		.event = &event,
		.cache = (const struct kmem_cache *)kmt_arg(ctx, 0),
		.ptrs = (const __u64 *)kmt_arg(ctx, 2),
	};

	if (!kmt_enter_function(&event, ctx, KMT_BPF_FREE_BULK, turn))
		return 0;
	kmt_find_origin_of_call(ctx, &event);
	if (bulk.cache)
		bulk.cache_id = kmt_cache(event.ring, bulk.cache, &bulk.size);
	if (!kmt_gives_back(&event))
		bpf_loop(kmt_arg(ctx, 1), kmt_free_one, &bulk, 0);
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(free_bulk, "fentry/kmem_cache_free_bulk")

static long kmt_alloc_one(__u32 i, struct kmt_bulk *bulk)
{
	__u64 ptr = kmt_bulk_ptr(bulk, i);

	if (!kmt_filter_alloc(bulk->event->ring, bulk->event->context, KMT_FILTER_SLAB, ptr, 0,
			      bulk->cache) ||
	    !kmt_begin_known(bulk->event))
		return 0;
	kmt_fill_object(bulk->event->slot.record, ptr, bulk->size, bulk->size, bulk->gfp, -1,
			bulk->cache_id);
	kmt_end(bulk->event, KMEMTRACE_EVENT_CACHE_ALLOC);
	return 0;
}

/* cache, gfp, count, ptrs; returns how many were allocated, or whether all were */
static __always_inline int kmt_at_alloc_bulk(void *ctx, __u32 turn)
{
	struct kmt_event event;
	struct kmt_bulk bulk = {
		.event = &event,
		.cache = (const struct kmem_cache *)kmt_arg(ctx, 0),
		.gfp = kmt_arg(ctx, 1),
		.ptrs = (const __u64 *)kmt_arg(ctx, 3),
	};
	__u64 count = 0;

	bpf_get_func_ret(ctx, &count);
	if (config.bulk_is_bool)
		count = (__u8)count ? kmt_arg(ctx, 2) : 0;
	if ((int)count <= 0 || !kmt_enter_function(&event, ctx, KMT_BPF_ALLOC_BULK, turn))
		return 0;
	bulk.cache_id = kmt_cache(event.ring, bulk.cache, &bulk.size);
	kmt_find_user_stack(&event);
	kmt_find_origin_of_call(ctx, &event);
	bpf_loop((__u32)count, kmt_alloc_one, &bulk, 0);
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(alloc_bulk, "fexit/kmem_cache_alloc_bulk")

/* rcu_head, object; up to 6.2 the offset of the rcu_head, or without one the object */
static __always_inline int kmt_at_kfree_rcu(void *ctx, __u32 turn)
{
	__u64 head = kmt_arg(ctx, 0), second = kmt_arg(ctx, 1);
	__u64 ptr = config.rcu_offset && head ? head - second : second;
	bool in_slab = kmt_is_linear(ptr);
	struct kmt_event event;

	if (!(in_slab ? config.slab : config.vmalloc) ||
	    !kmt_enter_function(&event, ctx, KMT_BPF_KFREE_RCU, turn))
		return 0;
	if (kmt_filter_free(event.ring, in_slab ? KMT_FILTER_SLAB : KMT_FILTER_VMALLOC, ptr, 0) &&
	    kmt_begin_call(ctx, &event)) {
		kmt_fill_freed(event.slot.record, ptr, KMEMTRACE_CACHE_NONE);
		kmt_end(&event, KMEMTRACE_EVENT_KFREE_RCU);
	}
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(kfree_rcu, "fentry/kvfree_call_rcu")

/* rcu_head: of a sheaf with objects from kfree_rcu(), which are freed now */
static __always_inline int kmt_record_sheaf(void *ctx, __u32 program, __u32 turn)
{
	__u64 sheaf = kmt_arg(ctx, 0) - bpf_core_field_offset(struct slab_sheaf, callback_head);
	struct kmt_event event;
	struct kmt_bulk bulk = {
		.event = &event,
		.ptrs = (const __u64 *)(sheaf + bpf_core_field_offset(struct slab_sheaf, objects)),
	};

	if (!kmt_enter_function(&event, ctx, program, turn))
		return 0;
	kmt_find_origin_of_call(ctx, &event);
	bpf_loop(BPF_CORE_READ((const struct slab_sheaf *)sheaf, size), kmt_free_one, &bulk, 0);
	return kmt_leave(&event, turn);
}

static __always_inline int kmt_at_free_sheaf(void *ctx, __u32 turn)
{
	return kmt_record_sheaf(ctx, KMT_BPF_FREE_SHEAF, turn);
}
KMT_FUNCTION(free_sheaf, "fentry/rcu_free_sheaf")

static __always_inline int kmt_at_free_sheaf_nobarn(void *ctx, __u32 turn)
{
	return kmt_record_sheaf(ctx, KMT_BPF_FREE_SHEAF_NOBARN, turn);
}
KMT_FUNCTION(free_sheaf_nobarn, "fentry/rcu_free_sheaf_nobarn")

/* size, gfp, node; returns the object */
static __always_inline int kmt_at_nolock(void *ctx, __u32 turn)
{
	__u64 bytes = kmt_arg(ctx, 0), ptr = 0;
	const struct kmem_cache *cache;
	__u16 id = KMEMTRACE_CACHE_NONE;
	struct kmt_event event;
	__u32 size = bytes;

	bpf_get_func_ret(ctx, &ptr);
	if ((ptr && kmt_is_no_object(ptr)) ||
	    !kmt_enter_function(&event, ctx, KMT_BPF_NOLOCK, turn))
		return 0;
	cache = kmt_kmalloc_cache(ptr, bytes);
	if (kmt_filter_alloc(event.ring, event.context, KMT_FILTER_SLAB, ptr, bytes, cache)) {
		if (cache)
			id = kmt_cache(event.ring, cache, &size);
		kmt_find_user_stack(&event);
		if (kmt_begin_call(ctx, &event)) {
			kmt_fill_object(event.slot.record, ptr, bytes, size, kmt_arg(ctx, 1),
					(int)kmt_arg(ctx, 2), id);
			kmt_end(&event, KMEMTRACE_EVENT_KMALLOC);
		}
	}
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(nolock, "fexit/kmalloc_nolock")

/* object */
static __always_inline int kmt_at_kfree_nolock(void *ctx, __u32 turn)
{
	__u64 ptr = kmt_arg(ctx, 0);
	struct kmt_event event;

	if (kmt_is_no_object(ptr) || !kmt_enter_function(&event, ctx, KMT_BPF_KFREE_NOLOCK, turn))
		return 0;
	if (kmt_filter_free(event.ring, KMT_FILTER_SLAB, ptr, 1) && kmt_begin_call(ctx, &event)) {
		kmt_fill_freed(event.slot.record, ptr, KMEMTRACE_CACHE_NONE);
		kmt_end(&event, KMEMTRACE_EVENT_KFREE);
	}
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(kfree_nolock, "fentry/kfree_nolock")

/*
 * Returns whether krealloc() leaves the object where it is, if it has room for the new size. Since
 * 6.18 a caller can also ask for an alignment, and for a node, which counts with __GFP_THISNODE
 * only.
 */
static __always_inline bool kmt_may_stay(void *ctx, __u64 ptr, __u32 gfp)
{
	__u64 word;
	int node;

	if (config.krealloc_align && ptr & (kmt_arg(ctx, config.krealloc_align) - 1))
		return false;
	if (!config.krealloc_node || !(gfp & config.gfp_thisnode))
		return true;
	node = (int)kmt_arg(ctx, config.krealloc_node);
	return node < 0 || node == kmt_page_node(kmt_head_page(ptr, &word));
}

/*
 * object, size, and others. The program is at the entry, where the result is already known. At the
 * end, its trampoline would replace the caller whose address krealloc() passes to kmalloc(). If the
 * object does not stay, kmalloc() and kfree() have events of their own.
 */
static __always_inline int kmt_at_krealloc(void *ctx, __u32 turn)
{
	__u64 ptr = kmt_arg(ctx, 0), size = kmt_arg(ctx, 1), room;
	__u32 gfp = kmt_arg(ctx, config.krealloc_gfp);
	struct kmt_event event;

	if (kmt_is_no_object(ptr) || !size ||
	    !kmt_enter_function(&event, ctx, KMT_BPF_KREALLOC, turn))
		return 0;
	room = kmt_object_room(event.ring, ptr);
	if (size <= room && kmt_may_stay(ctx, ptr, gfp) &&
	    kmt_filter_free(event.ring, KMT_FILTER_SLAB, ptr, 0) && kmt_begin_call(ctx, &event)) {
		kmt_fill_object(event.slot.record, ptr, size, room, gfp, -1, KMEMTRACE_CACHE_NONE);
		kmt_end(&event, KMEMTRACE_EVENT_RESIZE);
	}
	return kmt_leave(&event, turn);
}
KMT_FUNCTION(krealloc, "fentry/krealloc_noprof")

#endif /* KMEMTRACE_FUNCTIONS_H */
