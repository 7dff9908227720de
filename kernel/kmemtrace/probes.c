// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes on the allocators' tracepoints: the only file that knows their signatures, which are
 * those of 6.1 and later.
 *
 * Frees are registered first and unregistered last, so that no allocation that was seen can be
 * freed unseen between the two.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "defs.h"
#include "event.h"
#include "kmemtrace.h"

static __always_inline u8 kmt_node(int node)
{
	if (node < 0)
		return KMEMTRACE_NODE_ANY;
	return min_t(int, node, KMEMTRACE_NODE_HIGH);
}

static __always_inline u32 kmt_bytes(size_t bytes)
{
	return min_t(size_t, bytes, U32_MAX);
}

static __always_inline void kmt_fill_slab(struct kmemtrace_record *record, const void *ptr,
					  size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node,
					  u16 cache)
{
	record->addr = (unsigned long)ptr;
	record->bytes_req = kmt_bytes(bytes_req);
	record->bytes_alloc = kmt_bytes(bytes_alloc);
	record->gfp = (__force u32)gfp;
	record->cache = cache;
	record->node = kmt_node(node);
}

static __always_inline void kmt_fill_page(struct kmemtrace_record *record, unsigned long pfn,
					  unsigned int order, gfp_t gfp, int migratetype, int node)
{
	record->addr = pfn;
	record->bytes_req = kmt_bytes(PAGE_SIZE << order);
	record->bytes_alloc = record->bytes_req;
	record->gfp = (__force u32)gfp;
	record->page.order = order;
	record->page.migratetype = migratetype;
	record->node = kmt_node(node);
}

static noinline void kmt_probe_kmalloc(void *data, unsigned long call_site, const void *ptr,
				       size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	const struct kmt_here here = kmt_here();
	struct kmt_event event;

	if (!kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_slab(event.record, ptr, bytes_req, bytes_alloc, gfp, node, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KMALLOC);
}

static noinline void kmt_probe_cache_alloc(void *data, unsigned long call_site, const void *ptr,
					   struct kmem_cache *cache, gfp_t gfp, int node)
{
	const struct kmt_here here = kmt_here();
	struct kmt_cache_ref ref;
	struct kmt_event event;

	if (!kmt_event_begin(&event, &here, call_site, 0))
		return;
	ref = kmt_cache_lookup(cache);
	kmt_fill_slab(event.record, ptr, ref.object_size, ref.object_size, gfp, node, ref.id);
	kmt_event_end(&event, KMEMTRACE_EVENT_CACHE_ALLOC);
}

static noinline void kmt_probe_kfree(void *data, unsigned long call_site, const void *ptr)
{
	const struct kmt_here here = kmt_here();
	struct kmt_event event;

	if (ZERO_OR_NULL_PTR(ptr)) {	/* every fifth kfree() in places; it frees nothing */
		kmt_count_ignored();
		return;
	}
	if (!kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_slab(event.record, ptr, 0, 0, 0, NUMA_NO_NODE, KMEMTRACE_CACHE_NONE);
	kmt_event_end(&event, KMEMTRACE_EVENT_KFREE);
}

static noinline void kmt_probe_cache_free(void *data, unsigned long call_site, const void *ptr,
					  struct kmem_cache *cache)
{
	const struct kmt_here here = kmt_here();
	struct kmt_event event;

	if (!kmt_event_begin(&event, &here, call_site, 0))
		return;
	kmt_fill_slab(event.record, ptr, 0, 0, 0, NUMA_NO_NODE, kmt_cache_lookup(cache).id);
	kmt_event_end(&event, KMEMTRACE_EVENT_CACHE_FREE);
}

static noinline void kmt_probe_page_alloc(void *data, struct page *page, unsigned int order,
					  gfp_t gfp, int migratetype)
{
	const struct kmt_here here = kmt_here();
	struct kmt_event event;

	/* Who allocates pages is told best by how. */
	if (!kmt_event_begin(&event, &here, 0, (__force u32)gfp ^ order))
		return;
	kmt_fill_page(event.record, page ? page_to_pfn(page) : 0, order, gfp, migratetype,
		      page ? page_to_nid(page) : NUMA_NO_NODE);
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_ALLOC);
}

static noinline void kmt_probe_page_free(void *data, struct page *page, unsigned int order)
{
	const struct kmt_here here = kmt_here();
	struct kmt_event event;

	if (!kmt_event_begin(&event, &here, 0, order))
		return;
	kmt_fill_page(event.record, page_to_pfn(page), order, 0, 0xff, page_to_nid(page));
	kmt_event_end(&event, KMEMTRACE_EVENT_PAGE_FREE);
}

static void kmt_probe_newtask(void *data, struct task_struct *task, unsigned long clone_flags)
{
	kmt_event_task(task, task->comm);
}

static void kmt_probe_rename(void *data, struct task_struct *task, const char *comm)
{
	kmt_event_task(task, comm);
}

/* In order of registration. */
static struct kmt_probe {
	const char *name;		/* of the tracepoint */
	void *func;
	struct tracepoint *tp;		/* set once, at init */
} kmt_probes[] = {
	{ "task_rename",	kmt_probe_rename },
	{ "task_newtask",	kmt_probe_newtask },
	{ "kfree",		kmt_probe_kfree },
	{ "kmem_cache_free",	kmt_probe_cache_free },
	{ "mm_page_free",	kmt_probe_page_free },
	{ "kmalloc",		kmt_probe_kmalloc },
	{ "kmem_cache_alloc",	kmt_probe_cache_alloc },
	{ "mm_page_alloc",	kmt_probe_page_alloc },
};

static void kmt_match_tracepoint(struct tracepoint *tp, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_probes); i++) {
		if (!strcmp(tp->name, kmt_probes[i].name))
			kmt_probes[i].tp = tp;
	}
}

int kmt_probes_init(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(kmt_match_tracepoint, NULL);
	for (i = 0; i < ARRAY_SIZE(kmt_probes); i++) {
		if (!kmt_probes[i].tp) {
			pr_err("kmemtrace: this kernel has no tracepoint %s\n", kmt_probes[i].name);
			return -ENOENT;
		}
		kmt_stack_hide(kmt_probes[i].tp->iterator);
	}
	return 0;
}

static void kmt_unregister_last(unsigned int count)
{
	while (count--)
		tracepoint_probe_unregister(kmt_probes[count].tp, kmt_probes[count].func, NULL);
	tracepoint_synchronize_unregister();
}

int kmt_probes_register(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(kmt_probes); i++) {
		ret = tracepoint_probe_register(kmt_probes[i].tp, kmt_probes[i].func, NULL);
		if (ret) {
			kmt_unregister_last(i);
			return ret;
		}
	}
	return 0;
}

void kmt_probes_unregister(void)
{
	kmt_unregister_last(ARRAY_SIZE(kmt_probes));
}
