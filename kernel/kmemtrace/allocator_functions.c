// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bsearch.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "allocator_functions.h"
#include "function_size.h"

#define KMT_ITERATOR_BYTES 512 /* no __traceiter_*() is longer */
#define KMT_ITERATORS_MAX  32

static unsigned long kmt_iterators[KMT_ITERATORS_MAX]; /* written only at init */
static unsigned int kmt_iterator_count;

void kmt_hide_iterator(const void *iterator)
{
	if (kmt_iterator_count < KMT_ITERATORS_MAX)
		kmt_iterators[kmt_iterator_count++] = (unsigned long)iterator;
}

/* With several probes on a tracepoint, its iterator calls each of them, and is in their stacks. */
bool kmt_is_iterator(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < kmt_iterator_count; i++) {
		if (addr - kmt_iterators[i] < KMT_ITERATOR_BYTES)
			return true;
	}
	return false;
}

/*
 * The functions of the page allocator in 6.1 to 7.2, without suffixes, sorted by strcmp().
 * user/symbols/allocators.c also has those of the other allocators: here, these are the callers of
 * the pages that they allocate for slabs, per-CPU memory and vmalloc().
 *
 * __alloc_pages_bulk(), since 6.10 alloc_pages_bulk(), is left out: function_probes.c records its
 * pages when it returns, and tracepoint_probes.c skips pages whose caller it is.
 */
static const char *const kmt_allocators[] = {
	"___free_pages",
	"__alloc_contig_pages",
	"__alloc_frozen_pages",
	"__alloc_pages",
	"__alloc_pages_direct_compact",
	"__alloc_pages_direct_reclaim",
	"__alloc_pages_may_oom",
	"__alloc_pages_node",
	"__alloc_pages_slowpath",
	"__drain_all_pages",
	"__folio_alloc",
	"__folio_alloc_node",
	"__folio_put",
	"__folio_put_large",
	"__free_contig_range",
	"__free_contig_range_common",
	"__free_frozen_pages",
	"__free_one_page",
	"__free_pages",
	"__free_pages_core",
	"__free_pages_ok",
	"__get_free_pages",
	"__page_cache_alloc",
	"__page_frag_alloc_align",
	"__page_frag_cache_drain",
	"__put_compound_page",
	"__put_page",
	"__put_single_page",
	"__rmqueue",
	"__rmqueue_claim",
	"__rmqueue_fallback",
	"__rmqueue_pcplist",
	"__rmqueue_steal",
	"alloc_contig_frozen_pages",
	"alloc_contig_pages",
	"alloc_frozen_pages",
	"alloc_frozen_pages_nolock",
	"alloc_page_interleave",
	"alloc_page_vma",
	"alloc_pages",
	"alloc_pages_bulk_array",
	"alloc_pages_bulk_array_mempolicy",
	"alloc_pages_bulk_array_node",
	"alloc_pages_bulk_array_weighted_interleave",
	"alloc_pages_bulk_list",
	"alloc_pages_bulk_mempolicy",
	"alloc_pages_bulk_weighted_interleave",
	"alloc_pages_exact",
	"alloc_pages_exact_nid",
	"alloc_pages_mpol",
	"alloc_pages_node",
	"alloc_pages_nolock",
	"alloc_pages_preferred_many",
	"decay_pcp_high",
	"devm_get_free_pages",
	"drain_pages",
	"drain_pages_zone",
	"drain_zone_pages",
	"filemap_alloc_folio",
	"folio_alloc",
	"folio_alloc_mpol",
	"folio_put",
	"folios_put_refs",
	"free_contig_frozen_range",
	"free_contig_range",
	"free_frozen_page_commit",
	"free_frozen_pages",
	"free_frozen_pages_nolock",
	"free_one_page",
	"free_page",
	"free_pages",
	"free_pages_bulk",
	"free_pages_exact",
	"free_pages_nolock",
	"free_pages_prepare",
	"free_pcppages_bulk",
	"free_prepared_contig_range",
	"free_the_page",
	"free_unref_folios",
	"free_unref_page",
	"free_unref_page_commit",
	"free_unref_page_list",
	"free_unref_page_prepare",
	"get_free_pages",
	"get_page_from_freelist",
	"get_zeroed_page",
	"make_alloc_exact",
	"page_cache_alloc",
	"page_frag_alloc_align",
	"page_frag_cache_drain",
	"page_frag_free",
	"put_page",
	"put_pages_list",
	"release_pages",
	"rmqueue",
	"rmqueue_buddy",
	"rmqueue_bulk",
	"rmqueue_pcplist",
	"steal_suitable_fallback",
	"try_to_claim_block",
	"try_to_steal_block",
	"vma_alloc_folio",
};

/* Per CPU, as a probe may run with little stack left. */
static DEFINE_PER_CPU(char[KSYM_SYMBOL_LEN], kmt_symbol_name);

static int kmt_compare_names(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

/* Removes the suffixes that the compiler and allocation profiling add to a name. */
static void kmt_fold_name(char *name)
{
	static const char profiled[] = "_noprof";
	size_t len = strcspn(name, ".+ ");

	if (len > strlen(profiled) &&
	    !memcmp(name + len - strlen(profiled), profiled, strlen(profiled)))
		len -= strlen(profiled);
	name[len] = 0;
}

/*
 * Returns the name of the kernel function with the return address @addr, without suffixes; NULL if
 * it is not the kernel's own. Valid until interrupts are enabled.
 */
static const char *kmt_name_of(unsigned long addr)
{
	char *name = *this_cpu_ptr(&kmt_symbol_name);

	if (!kmt_is_kernel_code(addr))
		return NULL;
	/* A call that doesn't return may be the last instruction of its function. */
	sprint_symbol_no_offset(name, addr - 1);
	kmt_fold_name(name);
	return name;
}

bool kmt_is_allocator(unsigned long addr)
{
	const char *name = kmt_name_of(addr);

	return name && bsearch(name, kmt_allocators, ARRAY_SIZE(kmt_allocators),
			       sizeof(*kmt_allocators), kmt_compare_names);
}

bool kmt_passes_caller(unsigned long addr)
{
	const char *name = kmt_name_of(addr);

	return name &&
	       (!strcmp(name, "__kmalloc_node_track_caller") || !strcmp(name, "__do_kmalloc_node"));
}
