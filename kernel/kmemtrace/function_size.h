/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses and lengths of the kernel's own functions.
 */
#ifndef KMEMTRACE_FUNCTION_SIZE_H
#define KMEMTRACE_FUNCTION_SIZE_H

#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/types.h>

/* A range of code; a size of 0: none. */
struct kmt_code {
	unsigned long start, size;
};

static __always_inline bool kmt_code_has(const struct kmt_code *code, unsigned long addr)
{
	return addr - code->start < READ_ONCE(code->size);
}

/*
 * Finds the code of the kernel image, which may be among modules on arm64. Must precede the lookup
 * of functions. False: it can't be found. Only at init; may sleep.
 */
#ifdef CONFIG_X86_64
static inline bool kmt_find_kernel_code(void)
{
	return true;
}
#else
bool kmt_find_kernel_code(void);
extern struct kmt_code kmt_kernel_code;
#endif

/* Returns whether @addr is in the kernel image: not in a module or in generated code. */
static __always_inline bool kmt_is_kernel_code(unsigned long addr)
{
#ifdef CONFIG_X86_64
	return addr >= __START_KERNEL_map && addr < MODULES_VADDR;
#else
	return kmt_code_has(&kmt_kernel_code, addr);
#endif
}

/* Returns the bytes of the function at @start, by kallsyms; 0: unknown. */
unsigned long kmt_function_size(unsigned long start);

/*
 * Looks up the function @name of the kernel image, not of modules. Sets *@addr to where ftrace
 * calls from, or to its start if ftrace does not trace it; 0: there is no such function. Returns
 * 0; -EOPNOTSUPP: kprobes on it are not based on ftrace; -ENOENT: there is no such function; or
 * another -errno: it can't be probed. May sleep; not in early boot.
 */
int kmt_function_find(const char *name, unsigned long *addr);

#endif /* KMEMTRACE_FUNCTION_SIZE_H */
