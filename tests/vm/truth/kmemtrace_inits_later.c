// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_inits_later - has so much code that the kernel puts some of it where the init functions
 * of kmemtrace_inits.ko were, if it is loaded next.
 *
 * Writing anything to the parameter "take" has each of its functions allocate one object. They are
 * freed when the module is unloaded.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "kmemtrace_inits.h"

static void *later_objects[INITS_FUNCTIONS];
static unsigned int later_count;

#define LATER_FUNCTION(n)						\
static noinline void later_take_##n(void)				\
{									\
	asm volatile(".rept 600 + " #n "\n\tnop\n\t.endr");	/* no two alike */	\
	if (later_count < INITS_FUNCTIONS)				\
		later_objects[later_count++] = kmalloc(INITS_BYTES, GFP_KERNEL);	\
	asm volatile("" ::: "memory");					\
}
INITS_EACH(LATER_FUNCTION)

#define LATER_CALL(n) later_take_##n();

static int later_take(const char *value, const struct kernel_param *param)
{
	INITS_EACH(LATER_CALL)
	return 0;
}

static const struct kernel_param_ops later_ops = { .set = later_take };
module_param_cb(take, &later_ops, NULL, 0200);

static int __init later_init(void)
{
	return 0;
}

static void __exit later_exit(void)
{
	while (later_count)
		kfree(later_objects[--later_count]);
}

module_init(later_init);
module_exit(later_exit);
MODULE_DESCRIPTION("Has code where init functions were");
MODULE_LICENSE("GPL");
