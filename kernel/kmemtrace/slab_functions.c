// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "attach.h"
#include "caches.h"
#include "compat.h"
#include "event.h"
#include "fill_record.h"
#include "filter.h"
#include "function_entry.h"
#include "kmemtrace.h"
#include "missed_calls.h"
#include "slab_functions.h"

#if KMT_CAN_ATTACH

/* ---- kmem_cache_alloc_bulk(cache, gfp, count, ptrs): how many it returns ---- */

int kmt_enter_alloc_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_bulk_objects *bulk = (void *)instance->data;

	kmt_missed_report(kmt_function_probe_of(instance));
	bulk->cache = (void *)kmt_arg(regs, 0);
	bulk->gfp = (__force gfp_t)kmt_arg(regs, 1);
	bulk->ptrs = (void *)kmt_arg(regs, 3);
	bulk->count = kmt_arg(regs, 2);
	bulk->origin = kmt_entry_origin(regs);
	return 0;
}

int kmt_leave_alloc_bulk(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_bulk_objects *bulk = (void *)instance->data;
	struct kmt_cache_ref ref = kmt_cache_lookup(bulk->cache);
	int i, count = KMT_BULK_OBJECTS_COUNT(regs_return_value(regs), bulk->count);

	for (i = 0; i < count; i++) {
		struct kmt_event event;

		if (!kmt_filter_alloc(KMT_GROUP_SLAB, (unsigned long)bulk->ptrs[i], 0,
				      bulk->cache) ||
		    !kmt_event_begin_known(&event, bulk->origin))
			continue;
		kmt_fill_object(event.record, bulk->ptrs[i], ref.object_size, ref.object_size,
				bulk->gfp, NUMA_NO_NODE, ref.id);
		kmt_event_end(&event, KMEMTRACE_EVENT_CACHE_ALLOC);
	}
	return 0;
}

/* ---- kmem_cache_free_bulk(cache, count, ptrs), kfree_bulk() with a cache of NULL ---- */

struct kmt_code kmt_bulk_objects_code;

void kmt_enter_free_bulk(struct pt_regs *regs)
{
	struct kmem_cache *cache = (void *)kmt_arg(regs, 0);
	size_t i, count = kmt_arg(regs, 1);
	void **ptrs = (void *)kmt_arg(regs, 2);
	struct kmt_origin origin;
	u16 id;

	if (kmt_code_has(&kmt_bulk_objects_code, kmt_entry_call_site(regs)))
		return;
	origin = kmt_entry_origin(regs);
	id = cache ? kmt_cache_lookup(cache).id : KMEMTRACE_CACHE_NONE;
	for (i = 0; i < count; i++) {
		struct kmt_event event;

		if (ZERO_OR_NULL_PTR(ptrs[i]) ||
		    !kmt_filter_free(KMT_GROUP_SLAB, (unsigned long)ptrs[i]) ||
		    !kmt_event_begin_known(&event, origin))
			continue;
		kmt_fill_freed(event.record, ptrs[i], id);
		kmt_event_end(&event, cache ? KMEMTRACE_EVENT_CACHE_FREE : KMEMTRACE_EVENT_KFREE);
	}
}

/*
 * ---- kvfree_call_rcu(): has the object in its arguments in one of two ways. The object is in a
 * slab or in vmalloc space ----
 */

void kmt_enter_kfree_rcu(struct pt_regs *regs)
{
	const void *ptr = KMT_KVFREE_RCU_PTR(kmt_arg(regs, 0), kmt_arg(regs, 1));
	enum kmt_group group = is_vmalloc_addr(ptr) ? KMT_GROUP_VMALLOC : KMT_GROUP_SLAB;
	struct kmt_event event;

	if (!(kmt_config.events & group) || !kmt_filter_knows(group, (unsigned long)ptr) ||
	    !kmt_event_begin_known(&event, kmt_entry_origin(regs)))
		return;
	kmt_fill_freed(event.record, ptr, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KFREE_RCU);
}

#ifdef KMT_HAS_SHEAVES

/*
 * ---- rcu_free_sheaf(head), rcu_free_sheaf_nobarn(head): free the objects that kfree_rcu() put in
 * a sheaf, after a grace period ----
 */

bool kmt_sheaf_is_other;

/*
 * Returns whether @sheaf really is a sheaf with this object: its cache is that of the object's
 * slab.
 */
static bool kmt_is_in_sheaf(const struct kmt_sheaf *sheaf, const void *ptr)
{
	return virt_addr_valid(ptr) && kmt_cache_of_object(ptr, 0) == sheaf->cache;
}

void kmt_enter_sheaf(struct pt_regs *regs)
{
	const struct kmt_sheaf *sheaf =
		container_of((void *)kmt_arg(regs, 0), struct kmt_sheaf, rcu_head);
	struct kmt_origin origin = kmt_entry_origin(regs);
	unsigned int i;

	for (i = 0; i < sheaf->size; i++) {
		const void *ptr = sheaf->objects[i];
		struct kmt_event event;

		if (!sheaf->cache || !kmt_is_in_sheaf(sheaf, ptr)) {
			WRITE_ONCE(kmt_sheaf_is_other, true);
			return;
		}
		if (!kmt_filter_free(KMT_GROUP_SLAB, (unsigned long)ptr) ||
		    !kmt_event_begin_known(&event, origin))
			continue;
		kmt_fill_freed(event.record, ptr, KMEMTRACE_CACHE_NONE);
		kmt_event_end(&event, KMEMTRACE_EVENT_KFREE);
	}
}

#endif /* KMT_HAS_SHEAVES */

#ifdef KMT_HAS_NOLOCK

/* ---- kmalloc_nolock(size, gfp, node), kfree_nolock(ptr): from any context, without events ---- */

int kmt_enter_nolock(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct kmt_nolock *call = (void *)instance->data;

	kmt_missed_report(kmt_function_probe_of(instance));
	call->bytes = kmt_arg(regs, 0);
	call->gfp = (__force gfp_t)kmt_arg(regs, 1);
	call->node = (int)kmt_arg(regs, 2);
	call->origin = kmt_entry_origin(regs);
	return 0;
}

int kmt_leave_nolock(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const struct kmt_nolock *call = (void *)instance->data;
	const void *ptr = (void *)regs_return_value(regs);
	struct kmem_cache *cache;
	struct kmt_cache_ref ref = { .id = KMEMTRACE_CACHE_NONE };
	struct kmt_event event;

	if (ptr == ZERO_SIZE_PTR)
		return 0;
	cache = kmt_cache_of_object(ptr, call->bytes);
	if (!kmt_filter_alloc(KMT_GROUP_SLAB, (unsigned long)ptr, call->bytes, cache) ||
	    !kmt_event_begin_known(&event, call->origin))
		return 0;
	if (cache)
		ref = kmt_cache_lookup(cache);
	kmt_fill_object(event.record, ptr, call->bytes, cache ? ref.object_size : call->bytes,
			call->gfp, call->node, ref.id);
	kmt_event_end(&event, KMEMTRACE_EVENT_KMALLOC);
	return 0;
}

void kmt_enter_kfree_nolock(struct pt_regs *regs)
{
	const void *ptr = (void *)kmt_arg(regs, 0);
	struct kmt_event event;

	if (ZERO_OR_NULL_PTR(ptr) || !kmt_filter_free(KMT_GROUP_SLAB, (unsigned long)ptr) ||
	    !kmt_event_begin_known(&event, kmt_entry_origin(regs)))
		return;
	kmt_fill_freed(event.record, ptr, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KFREE);
}

#endif /* KMT_HAS_NOLOCK */

/*
 * ---- krealloc(ptr, size, [align,] gfp, [node]): the object stays where it is if it has room for
 * the new size, is aligned, and is on the node that __GFP_THISNODE demands ----
 */

/*
 * Returns the bytes that krealloc() assumes the object has. With slab debugging, ksize() of an
 * object in a slab makes the kernel forget the requested size, so krealloc() hasn't called it since
 * 6.13.
 */
static size_t kmt_krealloc_room(const void *ptr)
{
#ifdef KMT_KREALLOC_TAKES_OBJECT_SIZE
	struct kmem_cache *cache = is_kfence_address(ptr) ? NULL : kmt_cache_of_object(ptr, 0);

	if (cache)
		return kmt_cache_lookup(cache).object_size;
#endif
	return ksize(ptr);
}

static bool kmt_krealloc_may_stay(const struct pt_regs *regs)
{
#ifdef KMT_KREALLOC_HAS_NODE
	const int node = (int)kmt_arg(regs, 4);

	if (!IS_ALIGNED(kmt_arg(regs, 0), kmt_arg(regs, 2)))
		return false;
	return !((__force gfp_t)kmt_arg(regs, 3) & __GFP_THISNODE) || node == NUMA_NO_NODE ||
	       node == page_to_nid(virt_to_page((void *)kmt_arg(regs, 0)));
#else
	return true;
#endif
}

/*
 * Probed at its entry, where the result is already known. A probe on its return would replace the
 * return address, which krealloc() passes to kmalloc() as the caller.
 */
void kmt_enter_krealloc(struct pt_regs *regs)
{
	const void *ptr = (void *)kmt_arg(regs, 0);
	const size_t size = kmt_arg(regs, 1);
	struct kmt_origin origin = { kmt_entry_call_site(regs), KMEMTRACE_STACK_NONE };
	struct kmt_event event;
	size_t room;

	if (ZERO_OR_NULL_PTR(ptr) || !size)
		return;
	room = kmt_krealloc_room(ptr);
	/* Otherwise kmalloc() and kfree() have events of their own. */
	if (size > room || !kmt_krealloc_may_stay(regs) ||
	    !kmt_filter_knows(KMT_GROUP_SLAB, (unsigned long)ptr) ||
	    !kmt_event_begin_known(&event, origin))
		return;
	kmt_fill_object(event.record, ptr, size, room,
			(__force gfp_t)kmt_arg(regs, KMT_KREALLOC_GFP_ARG), NUMA_NO_NODE,
			KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_RESIZE);
}

#endif
