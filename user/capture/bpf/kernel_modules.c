// SPDX-License-Identifier: GPL-2.0-or-later
#include "capture/bpf/kernel_modules.h"

#include "capture/bpf/kernel_btf.h"

#define MODULES_MAX 4096
#define CODE_MAX    (1U << 30)

gboolean kernel_modules_find(KernelModules *modules, const BpfSymbols *symbols)
{
	const struct btf_type *module = kernel_btf_struct("module");
	BtfField link = { 0 };
	gboolean has_code = (kernel_btf_inner(module, "mem", "base", &modules->base) &&
			     kernel_btf_inner(module, "mem", "size", &modules->size)) ||
			    (kernel_btf_inner(module, "core_layout", "base", &modules->base) &&
			     kernel_btf_inner(module, "core_layout", "text_size", &modules->size));

	modules->list = bpf_symbols_find(symbols, "modules");
	if (!modules->list || !has_code || !kernel_btf_member(module, "list", &link))
		return FALSE;
	modules->link = link.at / 8;
	return TRUE;
}

gboolean kernel_modules_each(const KernelModules *modules, const KernelMemory *memory,
			     KernelModuleFunc func, gpointer data)
{
	guint64 link = 0;

	if (!modules->list || !kernel_memory_read(memory, modules->list, &link, sizeof(link)))
		return FALSE;
	for (guint i = 0; link != modules->list; i++) {
		KernelModule module = { .at = link - modules->link };

		if (i == MODULES_MAX)
			return FALSE;
		if (kernel_memory_read(memory, module.at + modules->base, &module.base,
				       sizeof(module.base)) &&
		    kernel_memory_read(memory, module.at + modules->size, &module.size,
				       sizeof(module.size)) &&
		    module.size && module.size < CODE_MAX)
			func(&module, data);
		if (!kernel_memory_read(memory, link, &link, sizeof(link)))
			return FALSE;
	}
	return TRUE;
}

static void add_size(const KernelModule *module, gpointer data)
{
	g_hash_table_insert(data, GSIZE_TO_POINTER(module->base), GUINT_TO_POINTER(module->size));
}

GHashTable *kernel_modules_sizes(const KernelMemory *memory, const BpfSymbols *symbols)
{
	GHashTable *sizes = g_hash_table_new(NULL, NULL);
	KernelModules modules;

	if (kernel_modules_find(&modules, symbols))
		kernel_modules_each(&modules, memory, add_size, sizes);
	return sizes;
}
