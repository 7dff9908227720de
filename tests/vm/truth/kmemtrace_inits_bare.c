// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_inits_bare - has only init code, which allocates objects. It can't be unloaded.
 * kmemtrace_inits_fails.ko is the same, but its init function fails.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "kmemtrace_inits.h"

#ifndef BARE_RESULT
#define BARE_RESULT	0
#endif

static void *bare_objects[INITS_FUNCTIONS];

static int __init bare_init(void)
{
	unsigned int i;

	for (i = 0; i < INITS_FUNCTIONS; i++)
		bare_objects[i] = kmalloc(INITS_BYTES, GFP_KERNEL);
	return BARE_RESULT;
}

module_init(bare_init);
MODULE_DESCRIPTION("Has only init code");
MODULE_LICENSE("GPL");
