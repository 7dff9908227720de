// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/sources.h"

#include <bpf/btf.h>

#include "capture/bpf/function_check.h"
#include "capture/bpf/kernel_btf.h"

#define PARAMS(count) (1U << (count))

#define USER_MAPS "user_maps" /* the group of all that user stacks need, and its only name */

/* In the order of enum kmt_bpf_program. */
const BpfSource bpf_sources[KMT_BPF_PROGRAMS] = {
	[KMT_BPF_KMALLOC] = { "kmalloc", "kmt_kmalloc", "slab", NULL, 6 },
	[KMT_BPF_KFREE] = { "kfree", "kmt_kfree", "slab", NULL, 2 },
	[KMT_BPF_CACHE_ALLOC] = { "kmem_cache_alloc", "kmt_cache_alloc", "slab", NULL, 5 },
	[KMT_BPF_CACHE_FREE] = { "kmem_cache_free", "kmt_cache_free", "slab", NULL, 3 },
	[KMT_BPF_PAGE_ALLOC] = { "mm_page_alloc", "kmt_page_alloc", "page", NULL, 4 },
	[KMT_BPF_PAGE_FREE] = { "mm_page_free", "kmt_page_free", "page", NULL, 2 },
	[KMT_BPF_PERCPU_ALLOC] = { "percpu_alloc_percpu", "kmt_percpu_alloc", "percpu", NULL, 10 },
	[KMT_BPF_PERCPU_FAIL] = { "percpu_alloc_percpu_fail", "kmt_percpu_fail", "percpu", NULL,
				  4 },
	[KMT_BPF_PERCPU_FREE] = { "percpu_free_percpu", "kmt_percpu_free", "percpu", NULL, 3 },
	[KMT_BPF_VMAP_ALLOC] = { "alloc_vmap_area", "kmt_vmap_alloc", "vmalloc", NULL, 6 },
	[KMT_BPF_VMAP_FREE] = { "free_vmap_area_noflush", "kmt_vmap_free", "vmalloc", NULL, 3 },
	[KMT_BPF_EXTFRAG] = { "mm_page_alloc_extfrag", "kmt_extfrag", "frag", NULL, 5 },
	[KMT_BPF_COMPACT] = { "mm_compaction_try_to_compact_pages", "kmt_compact", "frag", NULL,
			      3 },
	[KMT_BPF_ZONE_LOCKED] = { "mm_page_alloc_zone_locked", "kmt_zone_locked", "buddy",
				  "mm_page", 4 },
	[KMT_BPF_PCPU_DRAIN] = { "mm_page_pcpu_drain", "kmt_pcpu_drain", "buddy", NULL, 3 },
	[KMT_BPF_TASK_NEW] = { "task_newtask", "kmt_task_new", NULL, NULL, 2 },
	[KMT_BPF_TASK_RENAME] = { "task_rename", "kmt_task_rename", NULL, NULL, 2 },
	[KMT_BPF_MODULE_LOAD] = { "module_load", "kmt_module_load", NULL, NULL, 1,
				  .optional = TRUE },
	[KMT_BPF_MODULE_INIT] = { "initcall_finish", "kmt_module_init", NULL, NULL, 2,
				  .optional = TRUE },
	[KMT_BPF_MODULE_FREE] = { "module_free", "kmt_module_free", NULL, NULL, 1,
				  .optional = TRUE },
	[KMT_BPF_FREE_BULK] = { "kmem_cache_free_bulk", "kmt_free_bulk", "slab" },
	[KMT_BPF_KFREE_RCU] = { "kfree_rcu", "kmt_kfree_rcu", "slab vmalloc",
				.functions = { "kvfree_call_rcu" } },
	[KMT_BPF_ALLOC_BULK] = { "kmem_cache_alloc_bulk", "kmt_alloc_bulk", "slab",
				 .functions = { "kmem_cache_alloc_bulk_noprof" } },
	[KMT_BPF_KREALLOC] = { "krealloc", "kmt_krealloc", "slab",
			       .functions = { "krealloc_node_align_noprof", "krealloc_noprof" },
			       .params = PARAMS(3) | PARAMS(5) },
	[KMT_BPF_FREE_SHEAF] = { "rcu_free_sheaf", "kmt_free_sheaf", "slab", .params = PARAMS(1),
				 .newer = TRUE },
	[KMT_BPF_FREE_SHEAF_NOBARN] = { "rcu_free_sheaf_nobarn", "kmt_free_sheaf_nobarn", "slab",
					.params = PARAMS(1), .newer = TRUE },
	[KMT_BPF_NOLOCK] = { "kmalloc_nolock", "kmt_nolock", "slab",
			     .functions = { "_kmalloc_nolock_noprof", "kmalloc_nolock_noprof" },
			     .params = PARAMS(3), .newer = TRUE },
	[KMT_BPF_KFREE_NOLOCK] = { "kfree_nolock", "kmt_kfree_nolock", "slab", .params = PARAMS(1),
				   .newer = TRUE },
	[KMT_BPF_PAGES_BULK] = { "alloc_pages_bulk", "kmt_pages_bulk", "page",
				 .functions = { "alloc_pages_bulk_noprof", "__alloc_pages_bulk" },
				 .params = PARAMS(5) | PARAMS(6) },
	[KMT_BPF_PAGES_BULK_ENTRY] = { "alloc_pages_bulk", "kmt_pages_bulk_entry", "page",
				       .functions = { "alloc_pages_bulk_noprof",
						      "__alloc_pages_bulk" },
				       .params = PARAMS(5) | PARAMS(6), .optional = TRUE },
	[KMT_BPF_CONTIG_RANGE] = { "alloc_contig_range", "kmt_contig_range", "page",
				   .functions = { "alloc_contig_frozen_range_noprof",
						  "alloc_contig_range_noprof" },
				   .params = PARAMS(4) },
	[KMT_BPF_MIGRATE] = { "folio_migrate_flags", "kmt_migrate", "page", .params = PARAMS(2) },
	[KMT_BPF_MAP_REGION] = { USER_MAPS, "kmt_map_region", USER_MAPS,
				 .functions = { "mmap_region" } },
	[KMT_BPF_MAPPED] = { USER_MAPS, "kmt_mapped", USER_MAPS, .functions = { "perf_event_mmap" },
			     .params = PARAMS(1), .optional = TRUE },
	[KMT_BPF_UNMAP] = { USER_MAPS, "kmt_unmap", USER_MAPS, .functions = { "unmap_vmas" },
			    .params = PARAMS(2) | PARAMS(5) | PARAMS(6) | PARAMS(7),
			    .optional = TRUE },
	[KMT_BPF_EXEC] = { USER_MAPS, "kmt_exec", USER_MAPS, .functions = { "setup_new_exec" },
			   .optional = TRUE },
	[KMT_BPF_DUP_MM] = { USER_MAPS, "kmt_dup_mm", USER_MAPS, .functions = { "uprobe_dup_mmap" },
			     .params = PARAMS(2), .optional = TRUE },
	[KMT_BPF_FREE_MOUNT] = { USER_MAPS, "kmt_free_mount", USER_MAPS,
				 .functions = { "delayed_free_vfsmnt" }, .params = PARAMS(1),
				 .optional = TRUE },
	[KMT_BPF_FREE_USERS] = { USER_MAPS, "kmt_free_users", USER_MAPS,
				 .functions = { "free_user_ns" }, .params = PARAMS(1),
				 .optional = TRUE },
	[KMT_BPF_EXECUTED] = { "sched_process_exec", "kmt_executed", USER_MAPS, NULL, 3,
			       .optional = TRUE, .instead = TRUE },
};

static gboolean has_function(const char *name)
{
	return name && kernel_btf_find(name, BTF_KIND_FUNC);
}

const char *bpf_source_function(const BpfSource *source)
{
	for (guint i = 0; i < G_N_ELEMENTS(source->functions); i++) {
		if (has_function(source->functions[i]))
			return source->functions[i];
	}
	return has_function(source->name) ? source->name : NULL;
}

gint32 bpf_source_function_id(const BpfSource *source)
{
	const char *name = source->args ? NULL : bpf_source_function(source);

	return name ? kernel_btf_find(name, BTF_KIND_FUNC) : 0;
}

const struct btf_type *bpf_source_proto(const BpfSource *source)
{
	gint32 id = bpf_source_function_id(source);

	return id ? btf__type_by_id(kernel_btf(), btf__type_by_id(kernel_btf(), id)->type) : NULL;
}

guint bpf_source_params(const BpfSource *source)
{
	const struct btf_type *proto = bpf_source_proto(source);

	return proto ? btf_vlen(proto) : 0;
}

gboolean bpf_sources_know_slabs(void)
{
	static const char *const values[][2] = { { "pagetype", "PGTY_slab" },
						 { "pageflags", "PG_slab" } };

	for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
		gint32 id = kernel_btf_find(values[i][0], BTF_KIND_ENUM);
		const struct btf_type *type = id ? btf__type_by_id(kernel_btf(), id) : NULL;

		for (guint k = 0; type && k < btf_vlen(type); k++) {
			if (g_str_equal(
				    btf__name_by_offset(kernel_btf(), btf_enum(type)[k].name_off),
				    values[i][1]))
				return TRUE;
		}
	}
	return FALSE;
}

static char *unseen_by_itself(const BpfSource *source)
{
	g_autofree char *type = g_strconcat("btf_trace_", source->name, NULL);
	gint32 id = source->args ? kernel_btf_find(type, BTF_KIND_TYPEDEF)
				 : bpf_source_function_id(source);

	if (!id)
		return g_strdup_printf("this kernel has no such %s",
				       source->args ? "tracepoint" : "function");
	if (source->params && !(source->params & PARAMS(bpf_source_params(source))))
		return g_strdup_printf("this kernel's %s() has other arguments",
				       bpf_source_function(source));
	if (source == &bpf_sources[KMT_BPF_KREALLOC] && !bpf_sources_know_slabs())
		return g_strdup("programs can't ask for an object's size in this kernel");
	return source->args ? NULL : g_strdup(function_check(id));
}

/* Mappings of processes are known if all their functions can be traced, or not at all. */
char *bpf_source_unseen(const BpfSource *source)
{
	char *why = unseen_by_itself(source);

	for (guint i = 0; i < KMT_BPF_PROGRAMS && !why && g_str_equal(source->name, USER_MAPS);
	     i++) {
		if (g_str_equal(bpf_sources[i].name, USER_MAPS))
			why = unseen_by_itself(&bpf_sources[i]);
	}
	return why;
}

char *bpf_sources_wanted(const char *events, gboolean user_stacks)
{
	return g_strconcat(events, user_stacks ? " " USER_MAPS : NULL, NULL);
}

/* As in the module, the sources for user stacks are not shown if these are not recorded. */
static gboolean is_told(const BpfSource *source, const char *events)
{
	if (source->newer && kernel_btf() && !bpf_source_function(source))
		return FALSE;
	return !source->optional && (!g_str_equal(source->name, USER_MAPS) ||
				     bpf_source_is_wanted(source->groups, events));
}

gboolean bpf_source_is_wanted(const char *groups, const char *events)
{
	g_auto(GStrv) wanted = g_strsplit(events, " ", -1);
	g_auto(GStrv) words = g_strsplit(groups ?: "", " ", -1);

	for (guint i = 0; words[i]; i++) {
		if (g_strv_contains((const char *const *)wanted, words[i]))
			return TRUE;
	}
	return !groups;
}

char *bpf_sources_paths(const char *events, gboolean on)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		const BpfSource *source = &bpf_sources[i];
		gboolean told = is_told(source, events);
		gboolean traced = on && bpf_source_is_wanted(source->groups, events);
		g_autofree char *why = told ? bpf_source_unseen(source) : NULL;

		if (!told)
			continue;
		g_string_append_printf(text, "%s %s%s\n", source->name,
				       why      ? "unseen: "
				       : traced ? "on"
						: "off",
				       why ?: "");
	}
	return g_string_free(text, FALSE);
}
