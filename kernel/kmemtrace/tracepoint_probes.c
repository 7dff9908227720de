// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes on tracepoints. Only this file depends on their signatures, which are those of 6.1 and
 * later: it does not compile for a kernel with others.
 *
 * Probes are registered and unregistered one by one, while no records are written, see core.c.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct compact_control; /* of mm/internal.h; the next header does not declare it */
#include <trace/events/compaction.h>
#include <trace/events/kmem.h>
#include <trace/events/percpu.h>
#include <trace/events/task.h>
#if __has_include(<trace/events/vmalloc.h>)
#include <trace/events/vmalloc.h>
#define KMT_HAS_VMALLOC_EVENTS
#endif

#include "allocator_functions.h"
#include "caches.h"
#include "compat.h"
#include "duplicate_kmalloc.h"
#include "event.h"
#include "fill_record.h"
#include "filter.h"
#include "function_probes.h"
#include "kmemtrace.h"
#include "maps.h"
#include "names.h"
#include "sources.h"
#include "tracepoint_probes.h"

#define KMT_ENDS_TIMEOUT (5 * HZ) /* of kmt_tracepoint_probes_wait() */

/* ---- slab ---- */

static noinline void kmt_probe_kmalloc(void *data, unsigned long call_site, const void *ptr,
				       size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	struct kmem_cache *cache = kmt_cache_of_object(ptr, bytes_req);
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (kmt_kmalloc_is_duplicate(bytes_req, call_site, &here)) {
		kmt_count_ignored();
		return;
	}
	if (!kmt_filter_alloc(KMT_GROUP_SLAB, (unsigned long)ptr, bytes_req, cache) ||
	    !kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_object(event.record, ptr, bytes_req, bytes_alloc, gfp, node,
			likely(cache) ? kmt_cache_lookup(cache).id : KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KMALLOC);
}

static noinline void kmt_probe_cache_alloc(void *data, unsigned long call_site, const void *ptr,
					   struct kmem_cache *cache, gfp_t gfp, int node)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_cache_ref ref;
	struct kmt_event event;

	if (!kmt_filter_alloc(KMT_GROUP_SLAB, (unsigned long)ptr, 0, cache) ||
	    !kmt_event_begin(&event, &here, call_site, 0))
		return;
	ref = kmt_cache_lookup(cache);
	kmt_fill_object(event.record, ptr, ref.object_size, ref.object_size, gfp, node, ref.id);
	kmt_event_end(&event, KMEMTRACE_EVENT_CACHE_ALLOC);
}

static noinline void kmt_probe_kfree(void *data, unsigned long call_site, const void *ptr)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (ZERO_OR_NULL_PTR(ptr)) { /* frequent, and frees nothing */
		kmt_count_ignored();
		return;
	}
	if (!kmt_filter_free(KMT_GROUP_SLAB, (unsigned long)ptr) ||
	    !kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_freed(event.record, ptr, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KFREE);
}

static noinline void kmt_probe_cache_free(void *data, unsigned long call_site, const void *ptr,
					  const struct kmem_cache *cache)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	u16 id = kmt_cache_lookup((struct kmem_cache *)cache).id; /* const only here */
	struct kmt_event event;

	kmt_cache_note_free(cache, ptr);
	if (!kmt_filter_free(KMT_GROUP_SLAB, (unsigned long)ptr) ||
	    !kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_freed(event.record, ptr, id);
	kmt_event_end(&event, KMEMTRACE_EVENT_CACHE_FREE);
}

/* ---- pages ---- */

static noinline void kmt_probe_page_alloc(void *data, struct page *page, unsigned int order,
					  gfp_t gfp, int migratetype)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	u32 bytes = (u32)PAGE_SIZE << order;
	struct kmt_origin origin;
	struct kmt_event event;

	if (!kmt_filter_pages_alloc(page, order) || !kmt_event_enter(&event))
		return;
	/* The callers of the page allocator differ most by flags and order. */
	origin = kmt_event_origin(event.cpu, &here, 0, (__force u32)gfp ^ order, event.context);
	if (page && unlikely(kmt_in_bulk_pages(origin.call_site))) {
		kmt_event_leave(&event);
		return;
	}
	if (!kmt_event_reserve(&event, origin))
		return;
	if (likely(page))
		kmt_fill_pages(event.record, page, order, bytes, bytes, gfp, migratetype);
	else
		kmt_fill_no_pages(event.record, order, bytes, gfp, migratetype);
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_ALLOC);
}

static __always_inline void kmt_record_pages_free(const struct kmt_caller_regs *here,
						  struct page *page, unsigned int order)
{
	u32 bytes = (u32)PAGE_SIZE << order;
	struct kmt_event event;

	if (!kmt_filter_pages_free(page, order) || !kmt_event_begin(&event, here, 0, order))
		return;
	kmt_fill_pages(event.record, page, order, bytes, bytes, 0, 0xff);
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_FREE);
}

/* Without a struct kmt_caller_regs argument, so that the probe keeps the values in registers. */
static noinline void kmt_record_blocks_free(unsigned long ip, unsigned long sp, unsigned long bp,
					    struct page *page, unsigned int order)
{
	const struct kmt_caller_regs here = { .ip = ip, .sp = sp, .bp = bp };
	unsigned long i;

	for (i = 0; i < 1UL << order; i += 1UL << KMT_BLOCK_ORDER)
		kmt_record_pages_free(&here, page + i, KMT_BLOCK_ORDER);
}

static noinline void kmt_probe_page_free(void *data, struct page *page, unsigned int order)
{
	const struct kmt_caller_regs here = kmt_caller_regs();

	if (kmt_filter_splits(order))
		kmt_record_blocks_free(here.ip, here.sp, here.bp, page, order);
	else
		kmt_record_pages_free(&here, page, order);
}

/* ---- per-CPU memory ---- */

static noinline void kmt_probe_percpu_alloc(void *data, unsigned long call_site, bool reserved,
					    bool is_atomic, size_t size, size_t align,
					    void *base_addr, int off, void __percpu *ptr,
					    size_t bytes_alloc, gfp_t gfp)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	const void *address = (const void *)(__force unsigned long)ptr;
	struct kmt_event event;

	if (!kmt_filter_alloc(KMT_GROUP_PERCPU, (unsigned long)address, size, NULL) ||
	    !kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_object(event.record, address, size, bytes_alloc, gfp, NUMA_NO_NODE,
			KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}

static noinline void kmt_probe_percpu_fail(void *data, bool reserved, bool is_atomic, size_t size,
					   size_t align)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_alloc(KMT_GROUP_PERCPU, 0, size, NULL) ||
	    !kmt_event_begin(&event, &here, 0, 0))
		return;
	kmt_fill_object(event.record, NULL, size, 0, 0, NUMA_NO_NODE, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_PERCPU_ALLOC);
}

static noinline void kmt_probe_percpu_free(void *data, void *base_addr, int off, void __percpu *ptr)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	const void *address = (const void *)(__force unsigned long)ptr;
	struct kmt_event event;

	if (!kmt_filter_free(KMT_GROUP_PERCPU, (unsigned long)address) ||
	    !kmt_event_begin(&event, &here, 0, 0))
		return;
	kmt_fill_freed(event.record, address, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_PERCPU_FREE);
}

/* ---- vmalloc space ---- */

static noinline void kmt_probe_vmap_alloc(void *data, unsigned long addr, unsigned long size,
					  unsigned long align, unsigned long vstart,
					  unsigned long vend, int failed)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_alloc(KMT_GROUP_VMALLOC, addr, size, NULL) ||
	    !kmt_event_begin(&event, &here, 0, 0))
		return;
	kmt_fill_object(event.record, failed ? NULL : (void *)addr, size, size, 0, NUMA_NO_NODE,
			KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_VMAP_ALLOC);
}

static noinline void kmt_probe_vmap_free(void *data, unsigned long va_start, unsigned long nr_lazy,
					 unsigned long nr_lazy_max)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_free(KMT_GROUP_VMALLOC, va_start) || !kmt_event_begin(&event, &here, 0, 0))
		return;
	kmt_fill_freed(event.record, (void *)va_start, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_VMAP_FREE);
}

/* ---- fragmentation ---- */

static noinline void kmt_probe_extfrag(void *data, struct page *page, int alloc_order,
				       int fallback_order, int alloc_migratetype,
				       int fallback_migratetype)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_thread() || !kmt_event_begin(&event, &here, 0, alloc_order))
		return;
	kmt_fill_pages(event.record, page, alloc_order, fallback_order, fallback_migratetype, 0,
		       alloc_migratetype);
	kmt_event_end(&event, KMEMTRACE_EVENT_EXTFRAG);
}

#ifdef CONFIG_COMPACTION
/* Direct compaction: the allocation waits while pages are migrated. */
static noinline void kmt_probe_compact(void *data, int order, gfp_t gfp, int priority)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_thread() || !kmt_event_begin(&event, &here, 0, order))
		return;
	kmt_fill_block(event.record, 0, order, 0, 0, gfp, 0xff, NUMA_NO_NODE);
	kmt_event_end(&event, KMEMTRACE_EVENT_COMPACT);
}
#endif

static noinline void kmt_probe_zone_locked(void *data, struct page *page, unsigned int order,
					   int migratetype, int percpu_refill)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_thread() || !kmt_event_begin(&event, &here, 0, order))
		return;
	kmt_fill_pages(event.record, page, order, percpu_refill, 0, 0, migratetype);
	kmt_event_end(&event, KMEMTRACE_EVENT_ZONE_LOCKED);
}

static noinline void kmt_probe_pcpu_drain(void *data, struct page *page, unsigned int order,
					  int migratetype)
{
	const struct kmt_caller_regs here = kmt_caller_regs();
	struct kmt_event event;

	if (!kmt_filter_thread() || !kmt_event_begin(&event, &here, 0, order))
		return;
	kmt_fill_pages(event.record, page, order, 0, 0, 0, migratetype);
	kmt_event_end(&event, KMEMTRACE_EVENT_PCPU_DRAIN);
}

/* ---- threads ---- */

static void kmt_probe_newtask(void *data, struct task_struct *task, kmt_clone_flags_t clone_flags)
{
	kmt_names_new_task(task);
	if (kmt_user_is_on() && !(clone_flags & CLONE_THREAD))
		kmt_maps_fork(task, clone_flags & CLONE_VM);
}

static void kmt_probe_follow(void *data, struct task_struct *task, kmt_clone_flags_t clone_flags)
{
	kmt_filter_newtask(task);
}

static void kmt_probe_rename(void *data, struct task_struct *task, const char *comm)
{
	kmt_names_rename(task, comm);
}

/*
 * Does not compile if a tracepoint has another signature than its probe, which with kCFI would
 * otherwise trap when called.
 */
static void __init kmt_check_types(void)
{
	check_trace_callback_type_task_rename(kmt_probe_rename);
	check_trace_callback_type_task_newtask(kmt_probe_newtask);
	check_trace_callback_type_task_newtask(kmt_probe_follow);
	check_trace_callback_type_kfree(kmt_probe_kfree);
	check_trace_callback_type_kmem_cache_free(kmt_probe_cache_free);
	check_trace_callback_type_mm_page_free(kmt_probe_page_free);
	check_trace_callback_type_percpu_free_percpu(kmt_probe_percpu_free);
	check_trace_callback_type_kmalloc(kmt_probe_kmalloc);
	check_trace_callback_type_kmem_cache_alloc(kmt_probe_cache_alloc);
	check_trace_callback_type_mm_page_alloc(kmt_probe_page_alloc);
	check_trace_callback_type_percpu_alloc_percpu(kmt_probe_percpu_alloc);
	check_trace_callback_type_percpu_alloc_percpu_fail(kmt_probe_percpu_fail);
	check_trace_callback_type_mm_page_alloc_extfrag(kmt_probe_extfrag);
#ifdef CONFIG_COMPACTION
	check_trace_callback_type_mm_compaction_try_to_compact_pages(kmt_probe_compact);
#endif
	check_trace_callback_type_mm_page_alloc_zone_locked(kmt_probe_zone_locked);
	check_trace_callback_type_mm_page_pcpu_drain(kmt_probe_pcpu_drain);
#ifdef KMT_HAS_VMALLOC_EVENTS
	check_trace_callback_type_alloc_vmap_area(kmt_probe_vmap_alloc);
	check_trace_callback_type_free_vmap_area_noflush(kmt_probe_vmap_free);
#endif
}

static struct kmt_tracepoint_probe {
	struct kmt_source source; /* the name is the tracepoint's */
	void *func;
	bool needed;           /* required; every kernel has it */
	bool ends;             /* registered, and to be unregistered by kmt_end_probes() */
	struct tracepoint *tp; /* set at init */
} kmt_tracepoint_probes[] = {
	{ { "task_rename", KMT_GROUP_TASK }, kmt_probe_rename, true },
	{ { "task_newtask", KMT_GROUP_TASK }, kmt_probe_newtask, true },
	{ { "kfree", KMT_GROUP_SLAB }, kmt_probe_kfree, true },
	{ { "kmem_cache_free", KMT_GROUP_SLAB }, kmt_probe_cache_free, true },
	{ { "mm_page_free", KMT_GROUP_PAGE }, kmt_probe_page_free, true },
	{ { "percpu_free_percpu", KMT_GROUP_PERCPU }, kmt_probe_percpu_free },
	{ { "free_vmap_area_noflush", KMT_GROUP_VMALLOC }, kmt_probe_vmap_free },
	{ { "kmalloc", KMT_GROUP_SLAB }, kmt_probe_kmalloc, true },
	{ { "kmem_cache_alloc", KMT_GROUP_SLAB }, kmt_probe_cache_alloc, true },
	{ { "mm_page_alloc", KMT_GROUP_PAGE }, kmt_probe_page_alloc, true },
	{ { "percpu_alloc_percpu", KMT_GROUP_PERCPU }, kmt_probe_percpu_alloc },
	{ { "percpu_alloc_percpu_fail", KMT_GROUP_PERCPU }, kmt_probe_percpu_fail },
	{ { "alloc_vmap_area", KMT_GROUP_VMALLOC }, kmt_probe_vmap_alloc },
	{ { "mm_page_alloc_extfrag", KMT_GROUP_FRAG }, kmt_probe_extfrag },
#ifdef CONFIG_COMPACTION
	{ { "mm_compaction_try_to_compact_pages", KMT_GROUP_FRAG }, kmt_probe_compact },
#endif
	{ { "mm_page_alloc_zone_locked", KMT_GROUP_BUDDY }, kmt_probe_zone_locked },
	{ { "mm_page_pcpu_drain", KMT_GROUP_BUDDY }, kmt_probe_pcpu_drain },
};

static void kmt_match_tracepoint(struct tracepoint *tp, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_tracepoint_probes); i++) {
		if (!strcmp(tp->name, kmt_tracepoint_probes[i].source.name))
			kmt_tracepoint_probes[i].tp = tp;
	}
}

int __init kmt_tracepoint_probes_init(void)
{
	unsigned int i;

	kmt_duplicate_kmalloc_init();
	kmt_check_types();
	for_each_kernel_tracepoint(kmt_match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(kmt_tracepoint_probes); i++) {
		struct kmt_tracepoint_probe *probe = &kmt_tracepoint_probes[i];

		if (probe->tp) {
			kmt_hide_iterator(probe->tp->iterator);
			continue;
		}
		probe->source.unseen = "this kernel has no such tracepoint";
		if (probe->needed) {
			pr_err("kmemtrace: this kernel has no tracepoint %s\n", probe->source.name);
			return -ENOENT;
		}
	}
	return 0;
}

static struct tracepoint *kmt_newtask_tracepoint(void)
{
	unsigned int i = 0;

	while (kmt_tracepoint_probes[i].func != kmt_probe_newtask)
		i++;
	return kmt_tracepoint_probes[i].tp;
}

static bool kmt_follow_ends; /* as kmt_tracepoint_probe.ends */

/*
 * Since 7.0, probes run preemptibly, and a user can keep a task that was preempted in one from
 * running. Unregistering waits for it if another tracer uses the same tracepoint. So a work item
 * unregisters probes, and nobody waits for that but whoever registers probes again.
 */
static atomic_t kmt_ends_asked = ATOMIC_INIT(0); /* how often that was requested, */
static atomic_t kmt_ends_seen = ATOMIC_INIT(0);  /* and how many of these requests are done */
static DECLARE_WAIT_QUEUE_HEAD(kmt_ends_wait);

static void kmt_end_probe(struct tracepoint *tp, void *func, bool *ends)
{
	if (!READ_ONCE(*ends))
		return;
	WRITE_ONCE(*ends, false);
	tracepoint_probe_unregister(tp, func, NULL);
}

static void kmt_end_probes(struct work_struct *work)
{
	int asked = atomic_read(&kmt_ends_asked);
	unsigned int i = ARRAY_SIZE(kmt_tracepoint_probes);

	while (i--) {
		struct kmt_tracepoint_probe *probe = &kmt_tracepoint_probes[i];

		kmt_end_probe(probe->tp, probe->func, &probe->ends);
	}
	kmt_end_probe(kmt_newtask_tracepoint(), kmt_probe_follow, &kmt_follow_ends);
	tracepoint_synchronize_unregister();
	atomic_set(&kmt_ends_seen, asked);
	wake_up_all(&kmt_ends_wait);
}

static DECLARE_WORK(kmt_ends_work, kmt_end_probes);

static void kmt_request_end(void)
{
	atomic_inc(&kmt_ends_asked);
	schedule_work(&kmt_ends_work);
}

static bool kmt_probes_have_ended(void)
{
	return atomic_read(&kmt_ends_seen) == atomic_read(&kmt_ends_asked);
}

int kmt_tracepoint_probes_wait(void)
{
	long left = wait_event_killable_timeout(kmt_ends_wait, kmt_probes_have_ended(),
						KMT_ENDS_TIMEOUT);

	return left > 0 ? 0 : left < 0 ? -EINTR : -EBUSY;
}

void kmt_tracepoint_probes_exit(void)
{
	wait_event(kmt_ends_wait, kmt_probes_have_ended());
	flush_work(&kmt_ends_work);
}

void kmt_tracepoint_probes_unregister(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_tracepoint_probes); i++) {
		struct kmt_tracepoint_probe *probe = &kmt_tracepoint_probes[i];

		WRITE_ONCE(probe->ends, probe->source.on);
		probe->source.on = false;
	}
	kmt_request_end();
}

int kmt_tracepoint_probes_register(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(kmt_tracepoint_probes); i++) {
		struct kmt_tracepoint_probe *probe = &kmt_tracepoint_probes[i];

		if (!probe->tp || !((kmt_config.events | KMT_GROUP_TASK) & probe->source.group))
			continue;
		ret = tracepoint_probe_register(probe->tp, probe->func, NULL);
		if (ret) {
			kmt_tracepoint_probes_unregister();
			return ret;
		}
		probe->source.on = true;
	}
	return 0;
}

int kmt_tracepoint_probes_follow(void)
{
	return tracepoint_probe_register(kmt_newtask_tracepoint(), kmt_probe_follow, NULL);
}

void kmt_tracepoint_probes_unfollow(void)
{
	WRITE_ONCE(kmt_follow_ends, true);
	kmt_request_end();
}

void kmt_tracepoint_probes_show(struct seq_file *seq)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_tracepoint_probes); i++)
		kmt_source_show(seq, &kmt_tracepoint_probes[i].source);
}
