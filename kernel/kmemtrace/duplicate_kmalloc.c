// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>

#include "duplicate_kmalloc.h"
#include "event.h"
#include "function_size.h"

#ifdef KMT_KMALLOC_LARGE_HAS_TWO_EVENTS

/*
 * The callers of __kmalloc_large_node_noprof() that report the same kmalloc() again. All others
 * call it for kmalloc_node(), which has no other event.
 */
static struct kmt_code kmt_nesting_kmallocs[] = {
	{ (unsigned long)__kmalloc_noprof },
	{ (unsigned long)__kmalloc_node_noprof },
	{ (unsigned long)__kmalloc_node_track_caller_noprof },
#if KMT_KVMALLOC_IS_KMALLOC
	{ (unsigned long)__kvmalloc_node_noprof },
#endif
};

void kmt_duplicate_kmalloc_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_nesting_kmallocs); i++)
		kmt_nesting_kmallocs[i].size = kmt_function_size(kmt_nesting_kmallocs[i].start);
}

bool kmt_kmalloc_is_nested(unsigned long call_site, struct kmt_caller_regs here)
{
	unsigned int i;

	call_site = kmt_event_call_site(&here, call_site);
	for (i = 0; i < ARRAY_SIZE(kmt_nesting_kmallocs); i++) {
		if (kmt_code_has(&kmt_nesting_kmallocs[i], call_site))
			return true;
	}
	return false;
}

#endif
