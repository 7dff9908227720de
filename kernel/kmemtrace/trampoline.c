// SPDX-License-Identifier: GPL-2.0-only
#include <linux/cache.h>
#include <linux/kernel.h>

#include "function_size.h"
#include "trampoline.h"

/* Not an address of code, and not 0, which is an unknown call site. */
#define KMT_NO_TRAMPOLINE 1UL

unsigned long kmt_trampolines[2] __ro_after_init = { KMT_NO_TRAMPOLINE, KMT_NO_TRAMPOLINE };

static unsigned long __init kmt_find_trampoline(const char *name)
{
	unsigned long addr;

	kmt_function_find(name, &addr); /* most can't be probed */
	return addr ?: KMT_NO_TRAMPOLINE;
}

void __init kmt_trampolines_init(void)
{
#ifdef CONFIG_RETHOOK
	kmt_trampolines[0] = kmt_find_trampoline("arch_rethook_trampoline");
#else
	kmt_trampolines[0] = kmt_find_trampoline("__kretprobe_trampoline");
#endif
	kmt_trampolines[1] = kmt_find_trampoline("return_to_handler");
}
