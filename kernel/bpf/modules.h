/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Notes when modules are loaded and unloaded, and the functions of unloaded modules, whose names
 * are not available elsewhere afterwards.
 */
#ifndef KMEMTRACE_MODULES_H
#define KMEMTRACE_MODULES_H

#include "kernel_types.h"
#include "ring.h"

#include <bpf/bpf_core_read.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KMT_BPF_MODULES);
	__type(key, __u32);
	__type(value, struct kmt_bpf_module);
} modules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, KMT_BPF_FUNCTIONS);
	__type(key, __u32);
	__type(value, struct kmt_bpf_function);
} functions SEC(".maps");

static __always_inline void kmt_module_code(const struct module *module, __u64 *base, __u64 *size)
{
	const struct module___before_6_4 *before = (const void *)module;

	if (bpf_core_field_exists(module->mem)) {
		*base = (__u64)BPF_CORE_READ(module, mem[0].base);
		*size = BPF_CORE_READ(module, mem[0].size);
	} else {
		*base = (__u64)BPF_CORE_READ(before, core_layout.base);
		*size = BPF_CORE_READ(before, core_layout.size);
	}
}

/* For the body of a loop over the symbols of a module. */
struct kmt_module_symbols {
	const struct kmt_symbol *symbols;
	const char *names, *types;
};

static long kmt_note_symbol(__u32 i, struct kmt_module_symbols *all)
{
	struct kmt_bpf_function *function;
	struct kmt_symbol symbol = { 0 };
	char type = 0;
	__u32 at;

	bpf_probe_read_kernel(&type, sizeof(type), all->types + i);
	if ((type != 't' && type != 'T' && type != 'w' && type != 'W') ||
	    bpf_probe_read_kernel(&symbol, sizeof(symbol), all->symbols + i))
		return 0;
	at = __sync_fetch_and_add(&state.functions, 1);
	function = bpf_map_lookup_elem(&functions, &at);
	if (!function)
		return 1;
	function->addr = symbol.value;
	function->type = type;
	bpf_probe_read_kernel_str(function->name, sizeof(function->name), all->names + symbol.name);
	return 0;
}

/* The kernel unloads one module at a time, so a module's functions are adjacent in the list. */
static __always_inline void kmt_note_functions(const struct module *module,
					       struct kmt_bpf_module *entry)
{
	const struct mod_kallsyms *kallsyms = BPF_CORE_READ(module, kallsyms);
	struct kmt_module_symbols all = {
		.symbols = BPF_CORE_READ(kallsyms, symtab),
		.names = BPF_CORE_READ(kallsyms, strtab),
		.types = BPF_CORE_READ(kallsyms, typetab),
	};

	entry->first = state.functions;
	bpf_loop(BPF_CORE_READ(kallsyms, num_symtab), kmt_note_symbol, &all, 0);
	entry->count = state.functions - entry->first;
}

static __always_inline void kmt_note_module(const struct module *module, bool is_unloaded)
{
	__u64 time_ns = bpf_ktime_get_ns();
	__u32 at = __sync_fetch_and_add(&state.modules, 1);
	struct kmt_bpf_module *entry = bpf_map_lookup_elem(&modules, &at);

	if (!entry)
		return;
	kmt_module_code(module, &entry->base, &entry->size);
	entry->is_unloaded = is_unloaded;
	bpf_probe_read_kernel_str(entry->name, sizeof(entry->name), module->name);
	if (is_unloaded)
		kmt_note_functions(module, entry);
	barrier();
	entry->time_ns = time_ns;
}

#endif /* KMEMTRACE_MODULES_H */
