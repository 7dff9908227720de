// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/kernel_config.h"

#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/bpf/kernel_btf.h"
#include "capture/bpf/sources.h"

#define KERNEL_STACK_BYTES 16384 /* of x86-64 */

/* Returns the number of @name, with its "=", in the kernel's configuration; 0: unknown. */
static guint read_config_in(const char *path, const char *name)
{
	gzFile file = gzopen(path, "re"); /* reads plain text, too */
	guint64 value = 0;
	char line[256];

	while (file && gzgets(file, line, sizeof(line)) && !value) {
		if (g_str_has_prefix(line, name))
			value = g_ascii_strtoull(line + strlen(name), NULL, 10);
	}
	if (file)
		gzclose(file);
	return value;
}

static guint read_config(const char *name)
{
	g_autofree char *path = NULL;
	struct utsname uts;

	uname(&uts);
	path = g_strconcat("/boot/config-", uts.release, NULL);
	return read_config_in("/proc/config.gz", name) ?: read_config_in(path, name);
}

/* The node's number is in the highest bits of the flags of a page. */
static guint32 node_shift(void)
{
	g_autofree char *possible = NULL;
	guint bits;

	if (g_file_get_contents("/sys/devices/system/node/possible", &possible, NULL, NULL) &&
	    g_str_equal(g_strchomp(possible), "0"))
		return KMT_BPF_ONE_NODE;
	bits = read_config("CONFIG_NODES_SHIFT=");
	return bits ? 64 - bits : KMT_BPF_NODE_UNKNOWN;
}

static void set_own_functions(struct kmt_bpf_config *config, const BpfSymbols *symbols)
{
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		if (!bpf_sources[i].args)
			config->functions |= G_GUINT64_CONSTANT(1) << i;
	}
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		const char *class = bpf_sources[i].class ?: bpf_sources[i].name;
		char *const names[KMT_BPF_OWN_FUNCTIONS] = {
			g_strdup(bpf_sources[i].args ? "bpf_get_stack_raw_tp" : bpf_source_function(&bpf_sources[i]) ?: ""),
			g_strdup_printf("bpf_trace_run%u", bpf_sources[i].args),
			g_strconcat("__bpf_trace_", class, NULL),
			g_strconcat("__traceiter_", bpf_sources[i].name, NULL),
		};

		for (guint k = 0; k < KMT_BPF_OWN_FUNCTIONS; k++) {
			guint64 from, to;

			if (bpf_symbols_range(symbols, names[k], &from, &to))
				config->own[i][k] = (struct kmt_bpf_range){ from, to };
			g_free(names[k]);
		}
	}
}

/*
 * Sets the code by which interrupts enter the kernel. Stacks of events in interrupts end there. As
 * kernel/kmemtrace/irq_entry.h says, newer kernels run softirqs in another function.
 */
static void set_irq_entries(struct kmt_bpf_config *config, const BpfSymbols *symbols)
{
	static const char *const names[] = { "handle_softirqs", "handle_softirqs.constprop.0",
					     "handle_softirqs.isra.0" };
	guint64 from, to;

	config->irq_entry[0] = (struct kmt_bpf_range){
		.from = bpf_symbols_find(symbols, "__irqentry_text_start"),
		.to = bpf_symbols_find(symbols, "__irqentry_text_end"),
	};
	config->irq_entry[1] = (struct kmt_bpf_range){
		.from = bpf_symbols_find(symbols, "__softirqentry_text_start"),
		.to = bpf_symbols_find(symbols, "__softirqentry_text_end"),
	};
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (bpf_symbols_range(symbols, names[i], &from, &to))
			config->irq_entry[2] = (struct kmt_bpf_range){ from, to };
	}
}

/* As KMT_KVMALLOC_IS_KMALLOC in kernel/kmemtrace/compat.h. */
static gboolean kvmalloc_is_kmalloc(void)
{
	struct utsname uts;
	guint major = 0, minor = 0;

	uname(&uts);
	sscanf(uts.release, "%u.%u", &major, &minor);
	return major > 6 || (major == 6 && minor >= 15);
}

static void set_nested(struct kmt_bpf_config *config, const BpfSymbols *symbols)
{
	static const char *const names[KMT_BPF_NESTED] = {
		"__kmalloc_noprof",
		"__kmalloc_node_noprof",
		"__kmalloc_node_track_caller_noprof",
		"__kvmalloc_node_noprof",
	};
	guint count = kvmalloc_is_kmalloc() ? KMT_BPF_NESTED : KMT_BPF_NESTED - 1;

	for (guint i = 0; i < count; i++) {
		guint64 from, to;

		if (bpf_symbols_range(symbols, names[i], &from, &to))
			config->nested[i] = (struct kmt_bpf_range){ from, to };
	}
}

/* kvfree_call_rcu(): the name of its second argument shows what it is. */
static gboolean has_rcu_offset(void)
{
	const struct btf_type *proto = bpf_source_proto(&bpf_sources[KMT_BPF_KFREE_RCU]);

	return proto && btf_vlen(proto) == 2 &&
	       !strcmp(btf__name_by_offset(kernel_btf(), btf_params(proto)[1].name_off), "func");
}

/* Returns __GFP_THISNODE in kernels that have its bit in their BTF; else 0. */
static guint32 gfp_thisnode(void)
{
	const struct btf *btf = kernel_btf();

	for (guint32 id = 1; id < btf__type_cnt(btf); id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		for (guint i = 0; btf_is_enum(type) && i < btf_vlen(type); i++) {
			const struct btf_enum *value = &btf_enum(type)[i];

			if (!strcmp(btf__name_by_offset(btf, value->name_off),
				    "___GFP_THISNODE_BIT"))
				return 1U << (value->val & 31);
		}
	}
	return 0;
}

/* alloc_pages_bulk(gfp, node, nodemask, count, [list,] array): without a list since 6.14. */
static void set_pages_bulk(struct kmt_bpf_config *config)
{
	guint count = bpf_source_params(&bpf_sources[KMT_BPF_PAGES_BULK]);

	config->pages_list = count == 6 ? 4 : 0;
	config->pages_array = count == 6 ? 5 : 4;
}

/* krealloc(object, size, gfp); since 6.18 (object, size, alignment, gfp, node). */
static void set_krealloc(struct kmt_bpf_config *config)
{
	gboolean more = bpf_source_params(&bpf_sources[KMT_BPF_KREALLOC]) == 5;

	config->krealloc_align = more ? 2 : 0;
	config->krealloc_gfp = more ? 3 : 2;
	config->krealloc_node = more ? 4 : 0;
	config->gfp_thisnode = more ? gfp_thisnode() : 0;
}

/* kmem_cache_alloc_bulk() returns how many it allocated; since 7.1 or so, whether it got all. */
static gboolean bulk_is_bool(void)
{
	const struct btf_type *proto = bpf_source_proto(&bpf_sources[KMT_BPF_ALLOC_BULK]);
	gint32 returned = proto ? btf__resolve_type(kernel_btf(), proto->type) : -1;

	return returned > 0 && btf__resolve_size(kernel_btf(), returned) == 1;
}

/* Returns the highest number of a present CPU, plus 1. */
static guint count_cpus(void)
{
	g_autofree char *present = NULL;
	const char *last;

	if (!g_file_get_contents("/sys/devices/system/cpu/present", &present, NULL, NULL))
		return MAX(sysconf(_SC_NPROCESSORS_CONF), 1);
	last = present + strlen(g_strchomp(present));
	while (last > present && g_ascii_isdigit(last[-1]))
		last--;
	return (guint)g_ascii_strtoull(last, NULL, 10) + 1;
}

static guint32 stack_limit(void)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents("/proc/sys/kernel/perf_event_max_stack", &text, NULL, NULL))
		return G_MAXUINT32;
	return (guint32)g_ascii_strtoull(text, NULL, 10);
}

void kernel_config_fill(struct kmt_bpf_config *config, const BpfSymbols *symbols)
{
	config->cpus = count_cpus();
	config->stack_limit = stack_limit();
	config->stack_bytes = KERNEL_STACK_BYTES;
	config->node_shift = node_shift();
	config->page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	config->unmap_desc = bpf_source_params(&bpf_sources[KMT_BPF_UNMAP]) == 2;
	config->rcu_offset = has_rcu_offset();
	set_pages_bulk(config);
	set_krealloc(config);
	config->bulk_is_bool = bulk_is_bool();
	set_own_functions(config, symbols);
	set_irq_entries(config, symbols);
	set_nested(config, symbols);
}
