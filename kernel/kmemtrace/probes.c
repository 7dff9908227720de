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

#include "kmemtrace.h"

/* An NMI may have hit anything, the tables of stack.c and defs.c included: count and leave. */
static __always_inline bool kmt_in_nmi(void)
{
	if (likely(!in_nmi()))
		return false;
	kmt_count_loss(KMEMTRACE_LOSS_NMI);
	return true;
}

static noinline void kmt_probe_kmalloc(void *data, unsigned long call_site, const void *ptr,
				       size_t bytes_req, size_t bytes_alloc, gfp_t gfp, int node)
{
	if (kmt_in_nmi())
		return;
	kmt_record_alloc(KMEMTRACE_EVENT_KMALLOC, ptr, kmt_stack_of_site(call_site),
			 bytes_req, bytes_alloc, gfp, node, KMEMTRACE_CACHE_NONE);
}

static noinline void kmt_probe_cache_alloc(void *data, unsigned long call_site, const void *ptr,
					   struct kmem_cache *cache, gfp_t gfp, int node)
{
	struct kmt_cache_ref ref;

	if (kmt_in_nmi())
		return;
	ref = kmt_cache_lookup(cache);
	kmt_record_alloc(KMEMTRACE_EVENT_CACHE_ALLOC, ptr, kmt_stack_of_site(call_site),
			 ref.object_size, ref.object_size, gfp, node, ref.id);
}

static noinline void kmt_probe_kfree(void *data, unsigned long call_site, const void *ptr)
{
	if (kmt_in_nmi())
		return;
	if (ZERO_OR_NULL_PTR(ptr)) {	/* every fifth kfree() in places; it frees nothing */
		kmt_count_ignored();
		return;
	}
	kmt_record_free(KMEMTRACE_EVENT_KFREE, ptr, kmt_stack_of_site(call_site),
			KMEMTRACE_CACHE_NONE);
}

static noinline void kmt_probe_cache_free(void *data, unsigned long call_site, const void *ptr,
					  struct kmem_cache *cache)
{
	if (kmt_in_nmi())
		return;
	kmt_record_free(KMEMTRACE_EVENT_CACHE_FREE, ptr, kmt_stack_of_site(call_site),
			kmt_cache_lookup(cache).id);
}

static noinline void kmt_probe_page_alloc(void *data, struct page *page, unsigned int order,
					  gfp_t gfp, int migratetype)
{
	if (kmt_in_nmi())
		return;
	kmt_record_page(KMEMTRACE_EVENT_PAGE_ALLOC, page ? page_to_pfn(page) : 0,
			kmt_stack_of_caller(), order, gfp, migratetype,
			page ? page_to_nid(page) : NUMA_NO_NODE);
}

static noinline void kmt_probe_page_free(void *data, struct page *page, unsigned int order)
{
	if (kmt_in_nmi())
		return;
	kmt_record_page(KMEMTRACE_EVENT_PAGE_FREE, page_to_pfn(page), kmt_stack_of_caller(), order,
			0, 0xff, page_to_nid(page));
}

/* In order of registration. */
static struct kmt_probe {
	const char *name;		/* of the tracepoint */
	void *func;
	struct tracepoint *tp;		/* set once, at init */
} kmt_probes[] = {
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
