/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The event groups of paths: the sources of events. Each kmt_path of the kernel part has the same
 * group.
 */
#ifndef KMT_BASE_PATHGROUPS_H
#define KMT_BASE_PATHGROUPS_H

/* A path of several groups has a row for each, its main group first. */
static const struct {
	const char *pattern; /* of names, with * */
	const char *group;
} path_groups[] = {
	{ "kmalloc", "slab" },
	{ "kfree", "slab" },
	{ "krealloc", "slab" },
	{ "kmem_cache_*", "slab" },
	{ "kfree_rcu", "slab" },
	{ "kfree_rcu", "vmalloc" },
	{ "mm_page_alloc", "page" },
	{ "mm_page_free", "page" },
	{ "alloc_pages_bulk", "page" },
	{ "alloc_contig_range", "page" },
	{ "folio_migrate_flags", "page" },
	{ "percpu_*", "percpu" },
	{ "*_vmap_area*", "vmalloc" },
	{ "mm_page_alloc_extfrag", "frag" },
	{ "mm_compaction_*", "frag" },
	{ "mm_page_alloc_zone_locked", "buddy" },
	{ "mm_page_pcpu_drain", "buddy" },
};

#endif
