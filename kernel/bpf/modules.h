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

struct kmt_code {
	__u64 base, size;
};

static __always_inline bool kmt_code_has(const struct kmt_code *code, __u64 addr)
{
	return addr - code->base < code->size;
}

static __always_inline struct kmt_code kmt_module_code(const struct module *module)
{
	const struct module___before_6_4 *before = (const void *)module;

	if (bpf_core_field_exists(module->mem))
		return (struct kmt_code){ (__u64)BPF_CORE_READ(module, mem[0].base),
					  BPF_CORE_READ(module, mem[0].size) };
	return (struct kmt_code){ (__u64)BPF_CORE_READ(before, core_layout.base),
				  BPF_CORE_READ(before, core_layout.size) };
}

static __always_inline struct kmt_code kmt_module_init_code(const struct module *module)
{
	const struct module___before_6_4 *before = (const void *)module;

	if (bpf_core_field_exists(module->mem))
		return (struct kmt_code){ (__u64)BPF_CORE_READ(module, mem[4].base),
					  BPF_CORE_READ(module, mem[4].size) };
	return (struct kmt_code){ (__u64)BPF_CORE_READ(before, init_layout.base),
				  BPF_CORE_READ(before, init_layout.size) };
}

/* For the body of a loop over the symbols of a module. */
struct kmt_module_symbols {
	const struct kmt_symbol *symbols;
	const char *names, *types;
	struct kmt_code code;
};

static long kmt_note_symbol(__u32 i, struct kmt_module_symbols *all)
{
	struct kmt_bpf_function *function;
	struct kmt_symbol symbol = { 0 };
	char type = 0;
	__u32 at;

	bpf_probe_read_kernel(&type, sizeof(type), all->types + i);
	if ((type != 't' && type != 'T' && type != 'w' && type != 'W') ||
	    bpf_probe_read_kernel(&symbol, sizeof(symbol), all->symbols + i) ||
	    !kmt_code_has(&all->code, symbol.value))
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

/*
 * Adds the module's functions in @code to the list. Entries of modules that are loaded or unloaded
 * at the same time may lie between them.
 */
static __always_inline void kmt_note_functions(const struct module *module, struct kmt_code code,
					       struct kmt_bpf_module *entry)
{
	const struct mod_kallsyms *kallsyms = BPF_CORE_READ(module, kallsyms);
	struct kmt_module_symbols all = {
		.symbols = BPF_CORE_READ(kallsyms, symtab),
		.names = BPF_CORE_READ(kallsyms, strtab),
		.types = BPF_CORE_READ(kallsyms, typetab),
		.code = code,
	};

	entry->first = state.functions;
	bpf_loop(BPF_CORE_READ(kallsyms, num_symtab), kmt_note_symbol, &all, 0);
	entry->count = state.functions - entry->first;
}

static __always_inline void kmt_note_module(const struct module *module, bool is_unloaded)
{
	struct kmt_code code = kmt_module_code(module), init = kmt_module_init_code(module);
	__u64 time_ns = bpf_ktime_get_ns();
	__u32 at = __sync_fetch_and_add(&state.modules, 1);
	struct kmt_bpf_module *entry = bpf_map_lookup_elem(&modules, &at);

	if (!entry)
		return;
	entry->base = code.base;
	entry->size = code.size;
	entry->is_unloaded = is_unloaded;
	bpf_probe_read_kernel_str(entry->name, sizeof(entry->name), module->name);
	if (!is_unloaded) {
		entry->init_base = init.base;
		entry->init_size = init.size;
	}
	kmt_note_functions(module, is_unloaded ? code : init, entry);
	barrier();
	entry->time_ns = time_ns;
}

/* Callback of bpf_loop(): ends the init code that contains @function. */
static long kmt_end_init(__u32 i, const __u64 *function)
{
	__u32 at = (state.modules < KMT_BPF_MODULES ? state.modules : KMT_BPF_MODULES) - 1 - i;
	struct kmt_bpf_module *entry = bpf_map_lookup_elem(&modules, &at);

	if (!entry)
		return 1;
	if (entry->is_unloaded || entry->init_end_ns ||
	    *function - entry->init_base >= entry->init_size)
		return 0;
	entry->init_end_ns = bpf_ktime_get_ns();
	return 1;
}

static __always_inline void kmt_note_init(__u64 function)
{
	bpf_loop(KMT_BPF_MODULES, kmt_end_init, &function, 0);
}

#endif /* KMEMTRACE_MODULES_H */
