// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace - traces the kernel's memory allocations: parameters, load and unload.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "attach.h"
#include "control.h"
#include "core.h"
#include "debugfs.h"
#include "irq_entry.h"
#include "kmemtrace.h"
#include "trampoline.h"

#ifndef MODULE
#include <linux/kmemtrace.h>
#endif

static bool kmt_has_core; /* kmt_core_init() was called in early boot */

static bool enable;
module_param(enable, bool, 0400);
MODULE_PARM_DESC(enable, "1: start tracing when loaded (default 0)");
module_param_named(subbuf_size, kmt_config.subbuf_size, uint, 0400);
MODULE_PARM_DESC(subbuf_size, "bytes of a sub-buffer (default 131072)");
module_param_named(subbufs, kmt_config.subbufs, uint, 0400);
MODULE_PARM_DESC(subbufs, "sub-buffers for each CPU (default 32)");
module_param_named(stack_depth, kmt_config.stack_depth, uint, 0400);
MODULE_PARM_DESC(stack_depth, "return addresses per stack, 0 to 128 (default 64)");
module_param_named(stack_bytes, kmt_config.stack_bytes, uint, 0400);
MODULE_PARM_DESC(stack_bytes, "bytes of the stack table (default 8388608)");

static int kmt_enable_locked(void)
{
	int ret;

	mutex_lock(&kmt_mutex);
	ret = kmt_enable();
	mutex_unlock(&kmt_mutex);
	return ret;
}

static int __init kmt_init_core(void)
{
	int ret = kmt_core_init();

	kmt_has_core = ret == 0;
	return ret;
}

#ifndef MODULE
/* See early.h. Errors are only printed. */
void __init kmemtrace_init_early(void)
{
	int ret;

	if (!enable)
		return;
	ret = kmt_init_core();
	if (!ret)
		ret = kmt_enable_locked();
	if (ret)
		pr_err("can't trace early boot: error %d\n", ret);
}
#endif

/*
 * If ftrace has shut itself down, it calls our code forever. Then neither unloading nor a failed
 * load may free the code, so both wait forever.
 */
static void kmt_wait_for_ftrace(void)
{
#ifdef MODULE
	while (kmt_attach_ftrace_died())
		schedule_timeout_idle(HZ / 10);
#endif
}

static int __init kmt_init(void)
{
	int ret = kmt_has_core ? 0 : kmt_init_core();

	if (ret)
		return ret;
	if (!kmt_find_kernel_code())
		pr_warn("kmemtrace: can't find the kernel's code: no function is probed\n");
	kmt_trampolines_init();
	kmt_irq_entry_init();
	kmt_core_boot_is_over();
	if (enable && !kmt_is_enabled())
		ret = kmt_enable_locked();
	/* The views come last: one that is open must not see init fail and the code freed. */
	if (!ret)
		ret = kmt_control_init();
	if (!ret)
		ret = kmt_debugfs_init();
	if (!ret)
		return 0;
	kmt_control_exit();
	mutex_lock(&kmt_mutex);
	kmt_disable();
	kmt_unfollow();
	kmt_reset(false);
	mutex_unlock(&kmt_mutex);
	kmt_attach_exit();
	kmt_core_exit();
	kmt_wait_for_ftrace();
	return ret;
}

/*
 * An open view holds the module, so views are open here only after rmmod -f. debugfs fails all
 * calls on such a view except release(), which needs our code and buffers.
 */
static void __exit kmt_wait_for_readers(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	while (module_refcount(THIS_MODULE) > 0)
		schedule_timeout_idle(HZ / 10);
#endif
}

static void __exit kmt_exit(void)
{
	kmt_control_exit();
	kmt_debugfs_exit();
	mutex_lock(&kmt_mutex);
	kmt_disable();
	mutex_unlock(&kmt_mutex);
	kmt_attach_exit();
	kmt_wait_for_ftrace();
	kmt_wait_for_readers();
	mutex_lock(&kmt_mutex);
	kmt_reset(false);
	mutex_unlock(&kmt_mutex);
	kmt_core_exit();
}

module_init(kmt_init);
module_exit(kmt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Traces the kernel's memory allocations with their lifetimes");
