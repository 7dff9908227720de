// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "function_size.h"

unsigned long kmt_function_size(unsigned long start)
{
	char text[KSYM_SYMBOL_LEN], *slash;
	unsigned long size = 0;

	sprint_symbol(text, start); /* "name+0x0/0x1c0" */
	slash = strrchr(text, '/');
	if (!slash || sscanf(slash, "/0x%lx", &size) != 1)
		return 0;
	return size;
}

#ifdef CONFIG_KPROBES
/*
 * Registers a kprobe, disabled, to look up the symbol. The kprobe keeps the address even if it may
 * not be placed there, as on most trampolines. kprobes also search modules, whose functions of that
 * name are unrelated.
 */
int kmt_function_find(const char *name, unsigned long *addr)
{
	struct kprobe probe = { .symbol_name = name, .flags = KPROBE_FLAG_DISABLED };
	int ret = register_kprobe(&probe);

	*addr = (unsigned long)probe.addr;
	if (!ret) {
		ret = kprobe_ftrace(&probe) ? 0 : -EOPNOTSUPP;
		unregister_kprobe(&probe);
	}
	if (kmt_is_kernel_code(*addr))
		return ret;
	*addr = 0;
	return -ENOENT;
}
#else
int kmt_function_find(const char *name, unsigned long *addr)
{
	*addr = 0;
	return -ENOENT;
}
#endif
