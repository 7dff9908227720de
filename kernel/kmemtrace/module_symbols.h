/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the names of a module's functions when the module is unloaded: its addresses are still in
 * the trace, and kallsyms no longer has their names.
 */
#ifndef KMEMTRACE_MODULE_SYMBOLS_H
#define KMEMTRACE_MODULE_SYMBOLS_H

#include <linux/types.h>

struct module;

struct kmt_module_symbols {
	char *text; /* lines "address type name"; NULL: none kept */
	size_t len; /* bytes */
};

/*
 * Keeps the functions of @module in [@start, @start + @size), all or none, and does nothing if
 * @functions has some already. Returns false if there are some for which @room, in bytes, or memory
 * does not suffice. Called by a notifier of @module. May sleep. The caller frees @functions with
 * kmt_module_symbols_drop().
 */
bool kmt_module_symbols_keep(struct kmt_module_symbols *functions, const struct module *module,
			     unsigned long start, unsigned long size, size_t room);
void kmt_module_symbols_drop(struct kmt_module_symbols *functions);

#endif /* KMEMTRACE_MODULE_SYMBOLS_H */
