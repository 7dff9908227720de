// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "compat.h"
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
#ifndef CONFIG_X86_64
struct kmt_code kmt_kernel_code __ro_after_init;

/*
 * kprobes look up the addresses before they check whether a probe can be there. The address of
 * _etext isn't found: without CONFIG_KALLSYMS_ALL, only code has symbols.
 */
bool __init kmt_find_kernel_code(void)
{
	struct kprobe start = { .symbol_name = "_stext", .flags = KPROBE_FLAG_DISABLED };
	struct kprobe end = { .symbol_name = "_sinittext", .flags = KPROBE_FLAG_DISABLED };

	if (!register_kprobe(&start))
		unregister_kprobe(&start);
	if (!register_kprobe(&end))
		unregister_kprobe(&end);
	if (!start.addr || end.addr <= start.addr)
		return false;
	kmt_kernel_code.start = (unsigned long)start.addr;
	kmt_kernel_code.size = (unsigned long)end.addr - kmt_kernel_code.start;
	return true;
}
#endif

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
		ret = !KMT_ATTACHES_BY_FTRACE || kprobe_ftrace(&probe) ? 0 : -EOPNOTSUPP;
		unregister_kprobe(&probe);
	}
	if (kmt_is_kernel_code(*addr))
		return ret;
	*addr = 0;
	return -ENOENT;
}
#else
#ifndef CONFIG_X86_64
struct kmt_code kmt_kernel_code;

bool __init kmt_find_kernel_code(void)
{
	return false;
}
#endif

int kmt_function_find(const char *name, unsigned long *addr)
{
	*addr = 0;
	return -ENOENT;
}
#endif
