/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fields of the kernel's structs that the programs read. They are found by name when the
 * programs are loaded, wherever they lie in the running kernel.
 */
#ifndef KMEMTRACE_KERNEL_TYPES_H
#define KMEMTRACE_KERNEL_TYPES_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct page {
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

#pragma clang attribute pop

#endif /* KMEMTRACE_KERNEL_TYPES_H */
