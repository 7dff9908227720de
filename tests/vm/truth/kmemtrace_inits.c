// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace_inits - allocates in init functions, whose code the kernel frees once they have
 * returned, and in a weak function. kmemtrace_inits_later.ko may then get the place of that code.
 *
 * Each init function allocates one object, the weak function INITS_WEAK. They are freed when the
 * module is unloaded.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "kmemtrace_inits.h"

#define INITS_WEAK	10

static void *inits_objects[INITS_FUNCTIONS + INITS_WEAK];
static unsigned int inits_count;

/* The functions differ in size, so that the later module's functions don't begin where they do. */
#define INITS_FUNCTION(n)						\
static noinline void __init inits_take_##n(void)			\
{									\
	inits_objects[inits_count++] = kmalloc(INITS_BYTES, GFP_KERNEL);	\
	asm volatile(".rept 200 + 8 * " #n "\n\tnop\n\t.endr");	\
}
INITS_EACH(INITS_FUNCTION)

/* Just before it is a function that allocates nothing. */
noinline void inits_never(void);
noinline void inits_never(void)
{
	asm volatile("" ::: "memory");
}

__weak noinline void inits_take_weak(void);
__weak noinline void inits_take_weak(void)
{
	inits_objects[inits_count++] = kmalloc(INITS_BYTES, GFP_KERNEL);
}

#define INITS_CALL(n) inits_take_##n();

static int __init inits_init(void)
{
	unsigned int i;

	INITS_EACH(INITS_CALL)
	for (i = 0; i < INITS_WEAK; i++)
		inits_take_weak();
	inits_never();
	return 0;
}

static void __exit inits_exit(void)
{
	while (inits_count)
		kfree(inits_objects[--inits_count]);
}

module_init(inits_init);
module_exit(inits_exit);
MODULE_DESCRIPTION("Allocates in init functions");
MODULE_LICENSE("GPL");
