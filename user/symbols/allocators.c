// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The allocators' own functions: those between a tracepoint and the caller that is displayed.
 * Kernels 6.1 to 7.2. Helpers that only copy or size (kmemdup, kvmalloc) count as allocators, as do
 * those that map a driver's registers (ioremap, pci_iomap); functions that allocate for a purpose
 * of their own (alloc_skb, getname) are callers.
 *
 * Suffixes of the compiler and the allocation profiler are removed before the lookup, so a name is
 * listed once.
 *
 * A module may have its own function with one of these names (dm-vdo: free_slab): that is a caller
 * like any other. But if the compiler does not inline a header's inline function, the module has a
 * copy (kzalloc.constprop.0 in many drivers), which is the allocator's.
 */
#include "symbols/symbols.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 128               /* longer than any of these names */
#define BPF_TRAMPOLINE "bpf_trampoline_" /* and a number */

/* In the order of strcmp(), for bsearch(). */
static const char *const allocators[] = {
	"___free_pages",
	"___kmalloc_large_node",
	"___slab_alloc",
	"__alloc_contig_pages",
	"__alloc_frozen_pages",
	"__alloc_pages",
	"__alloc_pages_bulk",
	"__alloc_pages_direct_compact",
	"__alloc_pages_direct_reclaim",
	"__alloc_pages_may_oom",
	"__alloc_pages_node",
	"__alloc_pages_slowpath",
	"__alloc_percpu",
	"__alloc_percpu_gfp",
	"__alloc_reserved_percpu",
	"__devm_alloc_percpu",
	"__devm_ioremap",
	"__devm_ioremap_resource",
	"__dma_alloc_pages",
	"__dma_direct_alloc_pages",
	"__dma_direct_free_pages",
	"__dma_free_pages",
	"__do_kmalloc_node",
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
	"__free_percpu",
	"__free_slab",
	"__get_free_pages",
	"__get_vm_area",
	"__get_vm_area_caller",
	"__get_vm_area_node",
	"__iommu_dma_alloc_noncontiguous",
	"__iommu_dma_free",
	"__ioremap_caller",
	"__kfifo_alloc",
	"__kfifo_alloc_node",
	"__kfifo_free",
	"__kmalloc",
	"__kmalloc_cache",
	"__kmalloc_cache_node",
	"__kmalloc_flags",
	"__kmalloc_large",
	"__kmalloc_large_node",
	"__kmalloc_node",
	"__kmalloc_node_track_caller",
	"__kmalloc_nolock",
	"__kmalloc_track_caller",
	"__kmem_cache_alloc_bulk",
	"__kmem_cache_alloc_lru",
	"__kmem_cache_alloc_node",
	"__kmem_cache_do_shrink",
	"__kmem_cache_free",
	"__kmem_cache_free_bulk",
	"__krealloc",
	"__kvmalloc_node",
	"__memcg_slab_post_alloc_hook",
	"__page_cache_alloc",
	"__page_frag_alloc_align",
	"__page_frag_cache_drain",
	"__put_compound_page",
	"__put_page",
	"__put_partials",
	"__put_single_page",
	"__rmqueue",
	"__rmqueue_claim",
	"__rmqueue_fallback",
	"__rmqueue_pcplist",
	"__rmqueue_steal",
	"__slab_alloc",
	"__slab_alloc_node",
	"__slab_free",
	"__unfreeze_partials",
	"__vcalloc",
	"__vfree",
	"__vmalloc",
	"__vmalloc_area_node",
	"__vmalloc_array",
	"__vmalloc_node",
	"__vmalloc_node_range",
	"__vunmap",
	"_kmalloc_array",
	"_kmalloc_array_node",
	"_kmalloc_nolock",
	"_krealloc_array",
	"_kvmalloc_array_node",
	"_kzalloc",
	"alloc_contig_frozen_pages",
	"alloc_contig_pages",
	"alloc_contig_range",
	"alloc_cpumask_var",
	"alloc_cpumask_var_node",
	"alloc_frozen_pages",
	"alloc_frozen_pages_nolock",
	"alloc_gigantic_folio",
	"alloc_page_interleave",
	"alloc_page_vma",
	"alloc_pages",
	"alloc_pages_bulk",
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
	"alloc_percpu",
	"alloc_slab_obj_exts",
	"alloc_slab_page",
	"alloc_vmap_area",
	"allocate_slab",
	"bitmap_alloc",
	"bitmap_alloc_node",
	"bitmap_free",
	"bitmap_zalloc",
	"bitmap_zalloc_node",
	"cma_alloc",
	"cma_release",
	"deactivate_slab",
	"decay_pcp_high",
	"devm_alloc_percpu",
	"devm_bitmap_alloc",
	"devm_bitmap_zalloc",
	"devm_free_pages",
	"devm_free_percpu",
	"devm_get_free_pages",
	"devm_ioremap",
	"devm_ioremap_resource",
	"devm_ioremap_resource_wc",
	"devm_ioremap_uc",
	"devm_ioremap_wc",
	"devm_kasprintf",
	"devm_kasprintf_strarray",
	"devm_kcalloc",
	"devm_kfree",
	"devm_kmalloc",
	"devm_kmalloc_array",
	"devm_kmemdup",
	"devm_kmemdup_const",
	"devm_krealloc",
	"devm_krealloc_array",
	"devm_kstrdup",
	"devm_kstrdup_const",
	"devm_kvasprintf",
	"devm_kzalloc",
	"devm_memremap",
	"devm_memunmap",
	"devm_of_iomap",
	"devm_platform_get_and_ioremap_resource",
	"devm_platform_ioremap_resource",
	"devm_platform_ioremap_resource_byname",
	"discard_slab",
	"dma_alloc_attrs",
	"dma_alloc_contiguous",
	"dma_alloc_from_contiguous",
	"dma_alloc_from_pool",
	"dma_alloc_noncontiguous",
	"dma_alloc_pages",
	"dma_common_alloc_pages",
	"dma_common_contiguous_remap",
	"dma_common_free_pages",
	"dma_common_free_remap",
	"dma_common_pages_remap",
	"dma_direct_alloc",
	"dma_direct_alloc_from_pool",
	"dma_direct_alloc_no_mapping",
	"dma_direct_alloc_pages",
	"dma_direct_free",
	"dma_direct_free_pages",
	"dma_free_attrs",
	"dma_free_contiguous",
	"dma_free_from_pool",
	"dma_free_noncontiguous",
	"dma_free_pages",
	"dma_pool_alloc",
	"dma_pool_free",
	"dmam_alloc_attrs",
	"dmam_free_coherent",
	"do_kmalloc_node",
	"do_slab_free",
	"drain_pages",
	"drain_pages_zone",
	"drain_zone_pages",
	"filemap_alloc_folio",
	"folio_alloc",
	"folio_alloc_gigantic",
	"folio_alloc_mpol",
	"folio_put",
	"folios_put_refs",
	"free_contig_frozen_range",
	"free_contig_range",
	"free_cpumask_var",
	"free_frozen_page_commit",
	"free_frozen_pages",
	"free_frozen_pages_nolock",
	"free_gigantic_folio",
	"free_large_kmalloc",
	"free_one_page",
	"free_page",
	"free_pages",
	"free_pages_bulk",
	"free_pages_exact",
	"free_pages_nolock",
	"free_pages_prepare",
	"free_pcp_prepare",
	"free_pcppages_bulk",
	"free_percpu",
	"free_prepared_contig_range",
	"free_slab",
	"free_the_page",
	"free_to_partial_list",
	"free_unmap_vmap_area",
	"free_unref_folios",
	"free_unref_page",
	"free_unref_page_commit",
	"free_unref_page_list",
	"free_unref_page_prepare",
	"free_vm_area",
	"free_vmap_area",
	"free_vmap_area_noflush",
	"free_vmap_block",
	"generic_ioremap_prot",
	"get_any_partial",
	"get_free_pages",
	"get_page_from_freelist",
	"get_partial_node",
	"get_vm_area",
	"get_vm_area_caller",
	"get_vm_area_node",
	"get_zeroed_page",
	"iommu_dma_alloc",
	"iommu_dma_alloc_noncontiguous",
	"iommu_dma_free",
	"iommu_dma_free_noncontiguous",
	"ioremap",
	"ioremap_cache",
	"ioremap_encrypted",
	"ioremap_prot",
	"ioremap_uc",
	"ioremap_wc",
	"ioremap_wt",
	"iounmap",
	"kasprintf",
	"kasprintf_strarray",
	"kcalloc",
	"kcalloc_node",
	"kfree",
	"kfree_bulk",
	"kfree_call_rcu",
	"kfree_const",
	"kfree_nolock",
	"kfree_sensitive",
	"kfree_strarray",
	"kmalloc",
	"kmalloc_array",
	"kmalloc_array_node",
	"kmalloc_large",
	"kmalloc_large_node",
	"kmalloc_node",
	"kmalloc_node_trace",
	"kmalloc_nolock",
	"kmalloc_order",
	"kmalloc_trace",
	"kmem_cache_alloc",
	"kmem_cache_alloc_bulk",
	"kmem_cache_alloc_from_sheaf",
	"kmem_cache_alloc_lru",
	"kmem_cache_alloc_node",
	"kmem_cache_alloc_node_trace",
	"kmem_cache_alloc_trace",
	"kmem_cache_free",
	"kmem_cache_free_bulk",
	"kmem_cache_prefill_sheaf",
	"kmem_cache_refill_sheaf",
	"kmem_cache_return_sheaf",
	"kmem_cache_zalloc",
	"kmemdup",
	"kmemdup_array",
	"kmemdup_nul",
	"krealloc",
	"krealloc_array",
	"krealloc_node_align",
	"kstrdup",
	"kstrdup_and_replace",
	"kstrdup_const",
	"kstrdup_quotable",
	"kstrndup",
	"kvasprintf",
	"kvasprintf_const",
	"kvcalloc",
	"kvfree",
	"kvfree_atomic",
	"kvfree_call_rcu",
	"kvfree_rcu_mightsleep",
	"kvfree_sensitive",
	"kvmalloc",
	"kvmalloc_array",
	"kvmalloc_array_node",
	"kvmalloc_node",
	"kvmemdup",
	"kvrealloc",
	"kvrealloc_node_align",
	"kvzalloc",
	"kvzalloc_node",
	"kzalloc",
	"kzalloc_node",
	"make_alloc_exact",
	"memcg_alloc_slab_cgroups",
	"memcg_slab_post_alloc_hook",
	"memdup_user",
	"memdup_user_nul",
	"mempool_alloc",
	"mempool_alloc_bulk",
	"mempool_alloc_from_pool",
	"mempool_alloc_pages",
	"mempool_alloc_preallocated",
	"mempool_alloc_slab",
	"mempool_create",
	"mempool_create_node",
	"mempool_destroy",
	"mempool_exit",
	"mempool_free",
	"mempool_free_bulk",
	"mempool_free_pages",
	"mempool_free_slab",
	"mempool_init",
	"mempool_init_node",
	"mempool_kfree",
	"mempool_kmalloc",
	"mempool_kvfree",
	"mempool_kvmalloc",
	"mempool_resize",
	"memremap",
	"memunmap",
	"new_slab",
	"new_vmap_block",
	"of_iomap",
	"page_cache_alloc",
	"page_frag_alloc_align",
	"page_frag_cache_drain",
	"page_frag_free",
	"pci_iomap",
	"pci_iomap_range",
	"pci_iomap_wc",
	"pci_iomap_wc_range",
	"pci_ioremap_bar",
	"pci_ioremap_wc_bar",
	"pcim_iomap",
	"pcim_iomap_range",
	"pcim_iomap_region",
	"pcim_iomap_regions",
	"pcim_iomap_regions_request_all",
	"pcpu_alloc",
	"pcpu_alloc_pages",
	"pcpu_create_chunk",
	"pcpu_depopulate_chunk",
	"pcpu_destroy_chunk",
	"pcpu_free_pages",
	"pcpu_populate_chunk",
	"put_cpu_partial",
	"put_page",
	"put_pages_list",
	"refill_objects",
	"release_pages",
	"remove_vm_area",
	"rmqueue",
	"rmqueue_buddy",
	"rmqueue_bulk",
	"rmqueue_pcplist",
	"rust_helper_alloc_cpumask_var",
	"rust_helper_alloc_pages",
	"rust_helper_dma_alloc_attrs",
	"rust_helper_dma_free_attrs",
	"rust_helper_ioremap",
	"rust_helper_ioremap_np",
	"rust_helper_iounmap",
	"rust_helper_krealloc_node_align",
	"rust_helper_kvrealloc_node_align",
	"rust_helper_vrealloc_node_align",
	"rust_helper_zalloc_cpumask_var",
	"slab_alloc_node",
	"slab_free",
	"steal_suitable_fallback",
	"strndup_user",
	"try_to_claim_block",
	"try_to_steal_block",
	"unfreeze_partials",
	"vb_alloc",
	"vb_free",
	"vcalloc",
	"vfree",
	"vfree_atomic",
	"vm_area_alloc_pages",
	"vm_area_free_pages",
	"vm_map_ram",
	"vm_unmap_ram",
	"vma_alloc_folio",
	"vmalloc",
	"vmalloc_32",
	"vmalloc_32_user",
	"vmalloc_array",
	"vmalloc_huge",
	"vmalloc_huge_node",
	"vmalloc_node",
	"vmalloc_user",
	"vmap",
	"vmap_pfn",
	"vmemdup_array_user",
	"vmemdup_user",
	"vrealloc",
	"vrealloc_node_align",
	"vunmap",
	"vzalloc",
	"vzalloc_node",
	"zalloc_cpumask_var",
	"zalloc_cpumask_var_node",
};

/*
 * The functions above that are inline functions of the kernel's headers, so that a module may have
 * a copy. A module that includes the header cannot have another function of that name. Functions
 * that are always inlined (kmalloc) have no copy.
 */
static const char *const header_inlines[] = {
	"__alloc_pages_node",
	"__folio_alloc_node",
	"_kmalloc_array",
	"_kmalloc_array_node",
	"_krealloc_array",
	"_kvmalloc_array_node",
	"_kzalloc",
	"alloc_page_vma",
	"alloc_pages_bulk_array",
	"alloc_pages_bulk_array_node",
	"alloc_pages_bulk_list",
	"alloc_pages_node",
	"devm_kcalloc",
	"devm_kmalloc_array",
	"devm_krealloc_array",
	"devm_kzalloc",
	"folio_put",
	"kcalloc",
	"kcalloc_node",
	"kmalloc_array",
	"kmalloc_array_node",
	"kmem_cache_zalloc",
	"krealloc_array",
	"kvcalloc",
	"kvmalloc",
	"kvmalloc_array",
	"kvmalloc_array_node",
	"kvzalloc",
	"kvzalloc_node",
	"kzalloc",
	"kzalloc_node",
	"page_cache_alloc",
	"page_frag_alloc_align",
	"put_page",
	"vmemdup_array_user",
};

/*
 * Functions by which the slab allocator allocates and frees pages. kfree() and the like are
 * included because a page that is freed right below them belonged to a slab, or to a large kmalloc,
 * which meminfo counts likewise.
 */
static const char *const slab_backing[] = {
	"___slab_alloc",
	"__free_slab",
	"__kmem_cache_do_shrink",
	"__kmem_cache_free",
	"__kmem_cache_free_bulk",
	"__kmem_cache_shrink",
	"__kmem_cache_shutdown",
	"__put_partials",
	"__slab_alloc",
	"__slab_free",
	"__unfreeze_partials",
	"alloc_slab_page",
	"allocate_slab",
	"deactivate_slab",
	"discard_slab",
	"flush_cpu_slab",
	"free_large_kmalloc",
	"free_slab",
	"free_to_partial_list",
	"kfree",
	"kfree_bulk",
	"kfree_nolock",
	"kmem_cache_free",
	"kmem_cache_free_bulk",
	"new_slab",
	"put_cpu_partial",
	"rcu_free_slab",
	"slub_cpu_dead",
	"unfreeze_partials",
};

/* Functions that fill, replace and flush sheaves when an object is allocated or freed. */
static const char *const sheaf_users[] = {
	"__alloc_empty_sheaf",
	"__kfree_rcu_sheaf",
	"__pcs_flush_all_cpu",
	"__pcs_replace_empty_main",
	"__pcs_replace_full_main",
	"__prefill_sheaf_pfmemalloc",
	"__sheaf_flush_main_batch",
	"alloc_empty_sheaf",
	"alloc_from_pcs",
	"alloc_from_pcs_bulk",
	"alloc_full_sheaf",
	"barn_shrink",
	"free_empty_sheaf",
	"free_to_pcs",
	"free_to_pcs_bulk",
	"pcs_flush_all",
	"refill_sheaf",
	"sheaf_flush_main",
	"sheaf_flush_unused",
	"sheaf_try_flush_main",
};

/*
 * Functions by which the per-CPU allocator allocates and frees pages of its chunks. Some are
 * inlined into those further down; pages for a chunk's own data are not included.
 */
static const char *const percpu_backing[] = {
	"pcpu_alloc",
	"pcpu_alloc_pages",
	"pcpu_balance_free",
	"pcpu_balance_populated",
	"pcpu_balance_workfn",
	"pcpu_create_chunk",
	"pcpu_depopulate_chunk",
	"pcpu_destroy_chunk",
	"pcpu_free_pages",
	"pcpu_populate_chunk",
	"pcpu_reclaim_populated",
};

/* Functions with a program "fexit/…" in kernel/bpf. */
static const char *const bpf_exits[] = {
	"__alloc_pages_bulk", "_kmalloc_nolock", "alloc_contig_frozen_range", "alloc_contig_range",
	"alloc_pages_bulk",   "kmalloc_nolock",  "kmem_cache_alloc_bulk",
};

/*
 * Functions that remove pages from the free lists without an event, to migrate others there or to
 * get a whole range, and free those that they do not need; or that free pages which came online,
 * were accepted late, or were set up late in the boot (deferred_…). Functions that end in a tail
 * call are not on the stack, so their callers are included, too. Areas of chunks of per-CPU memory
 * are allocated by pcpu_get_vm_areas(), which has no event.
 */
static const char *const page_takers[] = {
	"__accept_page",
	"accept_page",
	"alloc_contig_frozen_range",
	"alloc_contig_range",
	"compaction_free",
	"cond_accept_memory",
	"deferred_free_pages",
	"deferred_free_range",
	"deferred_init_maxorder",
	"deferred_init_memmap_chunk",
	"generic_online_page",
	"online_pages",
	"online_pages_range",
	"pcpu_free_vm_areas",
	"release_free_list",
	"release_freepages",
	"try_to_accept_memory",
	"try_to_accept_memory_one",
	"virtio_mem_fake_online",
	"virtio_mem_online_page",
	"virtio_mem_online_page_cb",
};

/* Returns the length without a dot and digits at the end, as in ".isra.0", else @len. */
static gsize without_number(const char *name, gsize len)
{
	gsize end = len;

	while (end && g_ascii_isdigit(name[end - 1]))
		end--;
	return end < len && end && name[end - 1] == '.' ? end - 1 : len;
}

static gboolean ends_with(const char *name, gsize len, const char *suffix)
{
	gsize suffix_len = strlen(suffix);

	return len > suffix_len && !memcmp(name + len - suffix_len, suffix, suffix_len);
}

/* Returns the length of @name without one suffix, or @len if it has none. */
static gsize without_suffix(const char *name, gsize len)
{
	static const char *const numbered[] = { ".isra", ".constprop", ".part", ".llvm" };
	gsize base = without_number(name, len);

	if (ends_with(name, len, ".cold"))
		return len - strlen(".cold");
	if (ends_with(name, len, "_noprof"))
		return len - strlen("_noprof");
	for (guint i = 0; base < len && i < G_N_ELEMENTS(numbered); i++) {
		if (ends_with(name, base, numbered[i]))
			return base - strlen(numbered[i]);
	}
	return len;
}

static int compare_names(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

static gsize plain_length(const char *name)
{
	gsize len = strlen(name), shorter;

	while ((shorter = without_suffix(name, len)) < len)
		len = shorter;
	return len;
}

char *symbols_plain_name(const char *name)
{
	return g_strndup(name, plain_length(name));
}

static gboolean is_in(const char *name, const char *const *list, gsize count)
{
	gsize len = plain_length(name);
	char folded[NAME_MAX_BYTES];

	if (len >= sizeof(folded))
		return FALSE;
	memcpy(folded, name, len);
	folded[len] = 0;
	return bsearch(folded, list, count, sizeof(*list), compare_names) != NULL;
}

/*
 * Returns whether BPF puts this code between a function and its caller, to trace the function's
 * end.
 */
static gboolean is_bpf_trampoline(const char *name, const char *module)
{
	return module && !strcmp(module, "bpf") &&
	       !strncmp(name, BPF_TRAMPOLINE, strlen(BPF_TRAMPOLINE));
}

gboolean symbols_is_allocator(const char *name, const char *module)
{
	if (is_bpf_trampoline(name, module))
		return TRUE;
	return is_in(name, allocators, G_N_ELEMENTS(allocators)) &&
	       (!module || is_in(name, header_inlines, G_N_ELEMENTS(header_inlines)));
}

static gboolean is_sheaf_user(const char *name, const char *module)
{
	return !module && is_in(name, sheaf_users, G_N_ELEMENTS(sheaf_users));
}

gboolean symbols_is_page_allocator(const char *name, const char *module)
{
	return symbols_is_allocator(name, module) || is_sheaf_user(name, module);
}

gboolean symbols_is_slab_backing(const char *name, const char *module)
{
	return is_sheaf_user(name, module) ||
	       (!module && is_in(name, slab_backing, G_N_ELEMENTS(slab_backing)));
}

gboolean symbols_is_percpu_backing(const char *name, const char *module)
{
	return !module && is_in(name, percpu_backing, G_N_ELEMENTS(percpu_backing));
}

gboolean symbols_has_bpf_exit(const char *name, const char *module)
{
	return !module && is_in(name, bpf_exits, G_N_ELEMENTS(bpf_exits));
}

gboolean symbols_is_page_taker(const char *name, const char *module)
{
	return (!module || strcmp(module, "virtio_mem") == 0) &&
	       is_in(name, page_takers, G_N_ELEMENTS(page_takers));
}
