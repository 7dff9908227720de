// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmemtrace - traces the kernel's own memory: the state, the parameters, loading and unloading.
 *
 * The states, changed under kmt_mutex alone:
 *
 *   empty     no buffers; sizes may be changed
 *   enabled   buffers are there and probes write to them
 *   stopped   no probe runs; what was written can still be read, and enabling goes on behind it
 *
 *   empty ──enable──▶ enabled ──disable──▶ stopped ──reset──▶ empty
 *                        ◀──────enable───────┘
 *
 * Registering probes, and unregistering them, takes long, and they come and go one by one. So what
 * they see is recorded from one instant on, when all are there, to another, when all still are: see
 * kmt_chan_let_write(). In between no allocation is recorded whose free wouldn't be, whichever
 * probes tell of the two. From early boot on there are tracepoints alone, and what they saw may be
 * freed in bulk, unseen, until kmt_catch_up(); it hears frees before allocations.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "attach.h"
#include "chan.h"
#include "clock.h"
#include "defs.h"
#include "event.h"
#include "filter.h"
#include "kmemtrace.h"
#include "maps.h"
#include "modules.h"
#include "oops.h"
#include "paths.h"
#include "pauses.h"
#include "recall.h"
#include "stack.h"
#include "trampoline.h"
#include "user.h"

#ifndef MODULE
#include <linux/kmemtrace.h>
#endif

#define KMT_SUBBUF_SIZE_MAX	SZ_16M
#define KMT_SUBBUFS_MAX		65536
#define KMT_STACK_BYTES_MAX	SZ_1G

DEFINE_MUTEX(kmt_mutex);

struct kmt_config kmt_config = {
	.subbuf_size = SZ_128K,
	.subbufs = 32,
	.stack_depth = 16,
	.stack_bytes = SZ_8M,
	.events = KMT_GROUP_SLAB | KMT_GROUP_PAGE,
};

static bool kmt_enabled;	/* written under kmt_mutex */
static bool kmt_has_base;	/* what tracing needs is set up; at boot, before files can be */
static bool kmt_is_late;	/* functions can be probed: it's not early boot */

static bool enable;
module_param(enable, bool, 0400);
MODULE_PARM_DESC(enable, "1: trace from loading on (default 0)");
module_param_named(subbuf_size, kmt_config.subbuf_size, uint, 0400);
MODULE_PARM_DESC(subbuf_size, "bytes of a sub-buffer (default 131072)");
module_param_named(subbufs, kmt_config.subbufs, uint, 0400);
MODULE_PARM_DESC(subbufs, "sub-buffers for each CPU (default 32)");
module_param_named(stack_depth, kmt_config.stack_depth, uint, 0400);
MODULE_PARM_DESC(stack_depth, "return addresses kept of each stack, 0 to 32 (default 16)");
module_param_named(stack_bytes, kmt_config.stack_bytes, uint, 0400);
MODULE_PARM_DESC(stack_bytes, "bytes of the table of stacks (default 8388608)");

int kmt_config_check(const struct kmt_config *config)
{
	if (config->subbuf_size < PAGE_SIZE || config->subbuf_size > KMT_SUBBUF_SIZE_MAX ||
	    config->subbuf_size % PAGE_SIZE)
		return -EINVAL;
	if (config->subbufs < 2 || config->subbufs > KMT_SUBBUFS_MAX ||
	    (u64)config->subbuf_size * config->subbufs > SZ_1G)
		return -EINVAL;
	if (config->stack_depth > KMEMTRACE_STACK_DEPTH_MAX)
		return -EINVAL;
	if (config->stack_bytes < SZ_64K || config->stack_bytes > KMT_STACK_BYTES_MAX)
		return -EINVAL;
	if (config->user_stacks > 1)
		return -EINVAL;
	if (config->user_stacks && !KMT_HAS_USER_STACKS)
		return -EOPNOTSUPP;
	return 0;
}

bool kmt_is_enabled(void)
{
	return smp_load_acquire(&kmt_enabled);
}

bool kmt_has_buffers(void)
{
	return kmt_chan_is_open();
}

/*
 * Whether what is asked for can be had at all. Else the kernel would kill processes for it, one by
 * one, before it gives up.
 */
static bool kmt_is_room(void)
{
	u64 bytes = (u64)kmt_config.subbuf_size * kmt_config.subbufs * num_online_cpus() +
		    kmt_config.stack_bytes * 3ULL / 2;	/* with what finds a stack */
	long pages = si_mem_available();

	if (pages > 0 && bytes >> PAGE_SHIFT < pages)
		return true;
	pr_err("buffers and stacks need %llu MiB, and %ld are available\n", bytes >> 20,
	       max(pages, 0L) >> (20 - PAGE_SHIFT));
	return false;
}

/*
 * CPUs stay as they are meanwhile. One that came just between would have no buffer: relay makes
 * them for those that are there, and for those that come to a channel that is.
 */
static int kmt_open_buffers(u64 session)
{
	unsigned int cpu;
	int ret = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		ret = kmt_recall_prepare(cpu);
		if (ret)
			break;
	}
	if (!ret)
		ret = kmt_chan_open(session);
	cpus_read_unlock();
	return ret;
}

static int kmt_setup_buffers(void)
{
	/* No two alike: the time, and at boot, when there is none yet, something of the kind. */
	u64 session = system_state == SYSTEM_BOOTING ? get_cycles() | 1 : ktime_get_real_ns();
	int ret;

	if (kmt_has_buffers())
		return 0;
	if (!kmt_is_room())
		return -ENOMEM;
	kmt_clock_start();
	kmt_event_reset();
	kmt_defs_reset();
	kmt_modules_reset();
	kmt_pauses_reset();
	kmt_recall_clear();
	kmt_key_set(&kmt_stack_key.key, kmt_config.stack_depth);
	kmt_key_set(&kmt_user_key.key, kmt_config.user_stacks);
	ret = kmt_stack_init(kmt_config.stack_bytes, session);
	if (ret)
		return ret;
	ret = kmt_config.user_stacks ? kmt_maps_init() : 0;
	if (!ret)
		ret = kmt_open_buffers(session);
	if (ret) {
		kmt_chan_close();
		kmt_stack_exit();
		kmt_maps_exit();
	}
	return ret;
}

void kmt_look(void)
{
	kmt_calls_look();
	if (kmt_config.user_stacks)
		kmt_maps_look();
}

/* What is known of threads and caches may have become another one's while no probe ran. */
static void kmt_doubt_names(void)
{
	kmt_event_forget_names();
	kmt_defs_doubt();
}

static int kmt_begin(bool resumes)
{
	int ret = kmt_filter_start(resumes);

	if (ret)
		return ret;
	if (kmt_is_late)		/* else kmt_catch_up() does it */
		kmt_calls_register();
	ret = kmt_config.user_stacks ? kmt_maps_register() : 0;
	if (!ret)
		ret = kmt_probes_register();
	if (ret) {
		kmt_maps_unregister();
		kmt_calls_unregister();
		kmt_filter_stop();
		return ret;
	}
	kmt_look();
	kmt_calls_forget_missed();
	kmt_pauses_end();
	kmt_chan_let_write(true);
	kmt_maps_hear(true);
	kmt_clock_watch(true);
	smp_store_release(&kmt_enabled, true);
	return 0;
}

int kmt_enable(void)
{
	bool resumes = kmt_has_buffers();
	int ret;

	if (kmt_enabled)
		return 0;
	if (resumes)
		kmt_doubt_names();
	ret = kmt_setup_buffers();
	if (!ret)
		ret = kmt_begin(resumes);
	if (ret && !resumes)
		kmt_reset();	/* else what may be wrong couldn't be set otherwise */
	return ret;
}

void kmt_disable(void)
{
	if (!kmt_enabled)
		return;
	kmt_chan_let_write(false);
	kmt_pauses_begin();
	if (!kmt_chan_frozen())		/* else it was done then */
		kmt_calls_tell_missed();
	kmt_look();
	kmt_clock_watch(false);
	kmt_chan_flush();
	/* A reader that sees this sees all that was written; it needn't wait for what follows. */
	smp_store_release(&kmt_enabled, false);
	kmt_chan_wake();
	kmt_probes_unregister();
	kmt_maps_unregister();
	kmt_calls_unregister();
	kmt_filter_stop();
}

int kmt_reset(void)
{
	if (kmt_enabled || kmt_chan_is_read() || kmt_stack_is_read())
		return -EBUSY;
	kmt_calls_forget_late();
	if (kmt_has_buffers()) {
		kmt_chan_close();
		kmt_stack_exit();
		kmt_maps_exit();
		kmt_filter_reset();
	}
	return 0;
}

/* All that tracing needs, and nothing that needs more than the allocators. */
static int __init kmt_init_base(void)
{
	int ret = kmt_config_check(&kmt_config);

	if (ret) {
		pr_err("subbuf_size, subbufs, stack_depth or stack_bytes is out of range\n");
		return ret;
	}
	ret = kmt_modules_init();
	if (ret)
		return ret;
	ret = kmt_defs_init();
	if (ret)
		goto free_modules;
	ret = kmt_probes_init();
	if (ret)
		goto free_defs;
	ret = kmt_clock_init();
	if (ret)
		goto free_defs;
	ret = kmt_oops_init();
	if (ret)
		goto free_clock;
	kmt_has_base = true;
	return 0;

free_clock:
	kmt_clock_exit();
free_defs:
	kmt_defs_exit();
free_modules:
	kmt_modules_exit();
	return ret;
}

static void kmt_exit_base(void)
{
	kmt_oops_exit();
	kmt_clock_exit();
	kmt_modules_exit();	/* a module that comes or goes looks through what follows */
	kmt_recall_exit();
	kmt_defs_exit();
	kmt_has_base = false;
}

static int kmt_enable_locked(void)
{
	int ret;

	mutex_lock(&kmt_mutex);
	ret = kmt_enable();
	mutex_unlock(&kmt_mutex);
	return ret;
}

#ifndef MODULE
/* See early.h. There is one CPU, and interrupts are off. */
void __init kmemtrace_init_early(void)
{
	int ret;

	if (!enable)
		return;
	ret = kmt_init_base();
	if (!ret)
		ret = kmt_enable_locked();
	if (ret)
		pr_err("can't trace from early boot on: error %d\n", ret);
}
#endif

/* What tracing from early boot on had to go without until now. */
static void kmt_catch_up(void)
{
	unsigned int cpu;

	mutex_lock(&kmt_mutex);
	cpus_read_lock();
	for_each_online_cpu(cpu)
		kmt_recall_prepare(cpu);
	cpus_read_unlock();
	kmt_calls_register_late();
	mutex_unlock(&kmt_mutex);
}

static int __init kmt_init(void)
{
	int ret = kmt_has_base ? 0 : kmt_init_base();

	if (ret)
		return ret;
	kmt_trampolines_init();
	kmt_is_late = true;
	if (kmt_is_enabled())
		kmt_catch_up();
	else if (enable)
		ret = kmt_enable_locked();
	/* The views last: who has opened one must not see this fail, and the code go. */
	if (!ret)
		ret = kmt_control_init();
	if (!ret)
		ret = kmt_debugfs_init();
	if (!ret)
		return 0;
	kmt_control_exit();
	mutex_lock(&kmt_mutex);
	kmt_disable();
	kmt_reset();
	mutex_unlock(&kmt_mutex);
	kmt_exit_base();
	return ret;
}

/*
 * Whoever has a view open holds the module, so nobody has, unless rmmod -f did not ask. debugfs
 * fails all calls on it by now but release(), which needs our code and buffers. Who never closes
 * the view makes rmmod wait for ever, which is better than a crash; so does an ftrace that has shut
 * itself down and goes on calling us.
 */
static void __exit kmt_wait_for_readers(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	while (module_refcount(THIS_MODULE) > 0 || kmt_attach_died())
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
	kmt_wait_for_readers();
	mutex_lock(&kmt_mutex);
	kmt_reset();
	mutex_unlock(&kmt_mutex);
	kmt_exit_base();
}

module_init(kmt_init);
module_exit(kmt_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Traces the kernel's memory allocations with their lifetimes");
