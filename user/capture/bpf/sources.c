// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/sources.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <unistd.h>

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
	[KMT_BPF_MODULE_FREE] = { "module_free", "kmt_module_free", NULL, NULL, 1,
				  .optional = TRUE },
	[KMT_BPF_FREE_BULK] = { "kmem_cache_free_bulk", "kmt_free_bulk", "slab" },
	[KMT_BPF_KFREE_RCU] = { "kfree_rcu", "kmt_kfree_rcu", "slab vmalloc",
				.function = "kvfree_call_rcu" },
	[KMT_BPF_ALLOC_BULK] = { "kmem_cache_alloc_bulk", "kmt_alloc_bulk", "slab",
				 .function = "kmem_cache_alloc_bulk_noprof" },
};

/* What the module traces, and these programs don't. */
static const struct {
	const char *name, *groups;
} missing[] = {
	{ "krealloc", "slab" },
	{ "alloc_pages_bulk", "page" },
	{ "alloc_contig_range", "page" },
	{ "folio_migrate_flags", "page" },
};

static gboolean has_function(const struct btf *btf, const char *name)
{
	return name && btf__find_by_name_kind(btf, name, BTF_KIND_FUNC) > 0;
}

const char *bpf_source_function(const BpfSource *source, const struct btf *btf)
{
	if (has_function(btf, source->function))
		return source->function;
	return has_function(btf, source->name) ? source->name : NULL;
}

/* Some kernels let no programs run at functions, which is found out by one that does nothing. */
static int try_function(gint32 id)
{
	const struct bpf_insn instructions[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = id);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, NULL, "GPL", instructions,
			       G_N_ELEMENTS(instructions), &options);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

char *bpf_source_unseen(const BpfSource *source, const struct btf *btf)
{
	g_autofree char *type = g_strconcat("btf_trace_", source->name, NULL);
	const char *name = source->args ? type : btf ? bpf_source_function(source, btf) : NULL;
	guint kind = source->args ? BTF_KIND_TYPEDEF : BTF_KIND_FUNC;
	gint32 id = btf && name ? btf__find_by_name_kind(btf, name, kind) : -1;
	int code;

	if (id <= 0)
		return g_strdup_printf("this kernel has no such %s",
				       source->args ? "tracepoint" : "function");
	code = source->args ? 0 : try_function(id);
	return code ? g_strdup_printf(
			      "BPF programs cannot be attached to functions of this kernel (%s)",
			      g_strerror(code))
		    : NULL;
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
	struct btf *btf = btf__load_vmlinux_btf();

	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		const BpfSource *source = &bpf_sources[i];
		g_autofree char *why = source->optional ? NULL : bpf_source_unseen(source, btf);
		gboolean traced = on && bpf_source_is_wanted(source->groups, events);

		if (source->optional)
			continue;
		g_string_append_printf(text, "%s %s%s\n", source->name,
				       why      ? "unseen: "
				       : traced ? "on"
						: "off",
				       why ?: "");
	}
	for (guint i = 0; i < G_N_ELEMENTS(missing); i++) {
		g_string_append_printf(text, "%s %s\n", missing[i].name,
				       bpf_source_is_wanted(missing[i].groups, events)
					       ? "unseen: BPF programs don't trace it"
					       : "off");
	}
	btf__free(btf);
	return g_string_free(text, FALSE);
}
