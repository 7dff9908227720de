/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the kernel's structs that the programs read. They are found by name when the
 * programs are loaded, wherever they lie in the running kernel.
 */
#ifndef KMEMTRACE_KERNEL_TYPES_H
#define KMEMTRACE_KERNEL_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct page { /* of which only the size matters */
	unsigned long flags;
};

struct kmem_cache {
	const char *name;
	unsigned int object_size;
};

struct task_struct {
	int pid;
	int tgid;
	char comm[16];
	void *stack;
};

struct pcpu_hot { /* 6.2 to 6.14 */
	int preempt_count;
};

struct mod_kallsyms {
	void *symtab; /* of kmt_symbol */
	unsigned int num_symtab;
	char *strtab;
	char *typetab;
};

struct module_memory { /* since 6.4 */
	void *base;
	unsigned int size;
};

struct module {
	char name[56];
	struct mod_kallsyms *kallsyms;
	struct module_memory mem[1]; /* more of them; the first is code */
};

struct module_layout { /* before */
	void *base;
	unsigned int size;
};

struct module___before_6_4 {
	struct module_layout core_layout;
};

#pragma clang attribute pop

/* Of ELF: the same for all kernels. */
struct kmt_symbol {
	__u32 name; /* offset in the strings */
	__u8 info, other;
	__u16 section;
	__u64 value, size;
};

#endif /* KMEMTRACE_KERNEL_TYPES_H */
