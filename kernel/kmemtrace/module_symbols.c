// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the names of a module's functions, from the module's kallsyms. */
#include <linux/elf.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "module_symbols.h"

#ifdef CONFIG_KALLSYMS
#define KMT_FUNCTION_LINE "%lx %c %s\n"

/* Returns the name of symbol @i if it is a function in [@start, @start + @size), otherwise NULL. */
static const char *kmt_function_name(const struct mod_kallsyms *symbols, unsigned int i,
				     unsigned long start, unsigned long size)
{
	const Elf_Sym *symbol = &symbols->symtab[i];
	const char *name = symbols->strtab + symbol->st_name;

	if (symbol->st_shndx == SHN_UNDEF || symbol->st_value - start >= size || !*name ||
	    !strchr("tTwW", symbols->typetab[i]))
		return NULL;
	return name;
}

/*
 * Writes as much as fits, like snprintf(). Returns the bytes needed, without the terminating zero.
 */
static size_t kmt_module_symbols_write(char *text, size_t room, const struct mod_kallsyms *symbols,
				       unsigned long start, unsigned long size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < symbols->num_symtab; i++) {
		const char *name = kmt_function_name(symbols, i, start, size);
		unsigned long addr = symbols->symtab[i].st_value;
		size_t at = min(len, room);

		if (name)
			len += snprintf(text ? text + at : NULL, room - at, KMT_FUNCTION_LINE, addr,
					symbols->typetab[i], name);
	}
	return len;
}

bool kmt_module_symbols_keep(struct kmt_module_symbols *functions, const struct module *module,
			     unsigned long start, unsigned long size, size_t room)
{
	/* It is not changed while the module's notifiers run. */
	const struct mod_kallsyms *symbols = rcu_dereference_raw(module->kallsyms);
	size_t len;

	if (functions->text || !symbols || !size)
		return true;
	len = kmt_module_symbols_write(NULL, 0, symbols, start, size);
	if (!len)
		return true;
	if (len <= room)
		functions->text = kvmalloc(len + 1, GFP_KERNEL | __GFP_NOWARN);
	if (!functions->text)
		return false;
	functions->len = kmt_module_symbols_write(functions->text, len + 1, symbols, start, size);
	return true;
}
#else
bool kmt_module_symbols_keep(struct kmt_module_symbols *functions, const struct module *module,
			     unsigned long start, unsigned long size, size_t room)
{
	return true;
}
#endif

void kmt_module_symbols_drop(struct kmt_module_symbols *functions)
{
	kvfree(functions->text);
	*functions = (struct kmt_module_symbols){ NULL };
}
