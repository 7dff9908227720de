/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's own functions: their addresses and lengths.
 */
#ifndef KMEMTRACE_FUNCTION_SIZE_H
#define KMEMTRACE_FUNCTION_SIZE_H

#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/types.h>

/* Where code lies; a size of 0: nowhere. */
struct kmt_code {
	unsigned long start, size;
};

static __always_inline bool kmt_code_has(const struct kmt_code *code, unsigned long addr)
{
	return addr - code->start < READ_ONCE(code->size);
}

/* True for an address in the kernel's own code: not a module's, nor what is made at run time. */
static __always_inline bool kmt_is_kernel_code(unsigned long addr)
{
	return addr >= __START_KERNEL_map && addr < MODULES_VADDR;
}

/* Bytes of the function at @start, as kallsyms knows them; 0: it doesn't. */
unsigned long kmt_function_size(unsigned long start);

/*
 * Finds where ftrace calls from in the kernel's own function @name, or its start where ftrace
 * doesn't. A module's function of that name is never found. Returns 0; -EOPNOTSUPP: ftrace doesn't
 * carry probes on it; -ENOENT: the kernel has no such function; or why it can't be probed. *@addr
 * is 0 if it has none. It may sleep; not in early boot.
 */
int kmt_function_find(const char *name, unsigned long *addr);

#endif /* KMEMTRACE_FUNCTION_SIZE_H */
