// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/kernel_config.h"

#include <bpf/btf.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "capture/bpf/sources.h"

#define KERNEL_STACK_BYTES 16384 /* of x86-64 */

/* The number that the kernel's configuration gives to @name, with its "="; 0: not known. */
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

static void set_own_functions(struct kmt_bpf_config *config, const struct btf *btf,
			      const BpfSymbols *symbols)
{
	for (guint i = 0; i < KMT_BPF_PROGRAMS; i++) {
		const char *class = bpf_sources[i].class ?: bpf_sources[i].name;
		char *const names[KMT_BPF_OWN_FUNCTIONS] = {
			g_strdup(bpf_sources[i].args ? "bpf_get_stack_raw_tp" : bpf_source_function(&bpf_sources[i], btf) ?: ""),
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

static void set_nested(struct kmt_bpf_config *config, const BpfSymbols *symbols)
{
	static const char *const names[KMT_BPF_NESTED] = { "__kmalloc_noprof",
							   "__kmalloc_node_noprof",
							   "__kmalloc_node_track_caller_noprof" };

	for (guint i = 0; i < KMT_BPF_NESTED; i++) {
		guint64 from, to;

		if (bpf_symbols_range(symbols, names[i], &from, &to))
			config->nested[i] = (struct kmt_bpf_range){ from, to };
	}
}

/* kvfree_call_rcu(): what its second argument is called tells what it is. */
static gboolean has_rcu_offset(const struct btf *btf)
{
	gint32 id = btf__find_by_name_kind(btf, "kvfree_call_rcu", BTF_KIND_FUNC);
	const struct btf_type *type = id > 0 ? btf__type_by_id(btf, id) : NULL;
	const struct btf_type *proto = type ? btf__type_by_id(btf, type->type) : NULL;

	return proto && btf_vlen(proto) == 2 &&
	       !strcmp(btf__name_by_offset(btf, btf_params(proto)[1].name_off), "func");
}

/* One more than the highest number of a CPU that is there. */
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

void kernel_config_fill(struct kmt_bpf_config *config, const struct btf *btf,
			const BpfSymbols *symbols)
{
	config->cpus = count_cpus();
	config->stack_limit = stack_limit();
	config->stack_bytes = KERNEL_STACK_BYTES;
	config->node_shift = node_shift();
	config->page_shift = __builtin_ctzl(sysconf(_SC_PAGESIZE));
	config->rcu_offset = has_rcu_offset(btf);
	set_own_functions(config, btf, symbols);
	set_nested(config, symbols);
}
