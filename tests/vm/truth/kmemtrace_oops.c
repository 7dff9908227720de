// SPDX-License-Identifier: GPL-2.0-only
/* kmemtrace_oops - a thread that oopses. */
#include <linux/bug.h>
#include <linux/kthread.h>
#include <linux/module.h>

static int kmemtrace_oops_thread(void *unused)
{
	BUG();
}

static int __init kmemtrace_oops_init(void)
{
	return PTR_ERR_OR_ZERO(kthread_run(kmemtrace_oops_thread, NULL, "kmemtrace_oops"));
}

/* So that it can be unloaded. */
static void __exit kmemtrace_oops_exit(void)
{
}

module_init(kmemtrace_oops_init);
module_exit(kmemtrace_oops_exit);
MODULE_DESCRIPTION("Oopses");
MODULE_LICENSE("GPL");
