// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts and stops tracing.
 *
 * The states, changed under kmt_mutex:
 *
 *   empty     no buffers; sizes may be changed
 *   enabled   there are buffers, and probes write to them
 *   stopped   no event begins; the records can still be read, and enabling appends to them
 *
 *   empty ──enable──▶ enabled ──disable──▶ stopped ──reset──▶ empty
 *                        ◀──────enable───────┘
 *
 * Probes are registered and unregistered one by one, which takes time. So records are written only
 * between two instants at which all are registered: see kmt_chan_set_writable(). That way no
 * allocation is recorded whose free would not be. In early boot there are only tracepoints, and
 * bulk frees are missed until kmt_catch_up(), which registers probes for frees before those for
 * allocations.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>

#include "caches.h"
#include "chan.h"
#include "clock.h"
#include "core.h"
#include "event.h"
#include "filter.h"
#include "function_probes.h"
#include "irq_entry.h"
#include "kmemtrace.h"
#include "mapped_files.h"
#include "maps.h"
#include "modules.h"
#include "names.h"
#include "oops.h"
#include "pauses.h"
#include "stack.h"
#include "stack_cache.h"
#include "tracepoint_probes.h"
#include "walk.h"

static bool kmt_is_late; /* after early boot: functions can be probed; under kmt_mutex */

bool kmt_has_buffers(void)
{
	return kmt_chan_is_open();
}

/*
 * Returns whether there is enough memory. Otherwise the allocation could invoke the OOM killer many
 * times before it fails.
 */
static bool kmt_is_room(void)
{
	u64 a_cpu = (u64)kmt_config.subbuf_size * kmt_config.subbufs +
		    kmt_stack_cache_bytes_for(kmt_config.stack_depth);
	u64 table = kmt_config.stack_bytes * 3ULL / 2; /* with the frames and slots */
	u64 bytes = a_cpu * num_online_cpus() + table;
	/* The caches of an earlier session are reused, or freed first. */
	long pages = si_mem_available() + (kmt_stack_cache_bytes() >> PAGE_SHIFT);

	if (pages > 0 && bytes >> PAGE_SHIFT < pages)
		return true;
	pr_err("buffers and stacks need %llu MiB, and %ld are available\n", bytes >> 20,
	       max(pages, 0L) >> (20 - PAGE_SHIFT));
	return false;
}

/*
 * Under cpus_read_lock(): relay allocates buffers for the CPUs online at the time, and its hotplug
 * callback for those that come online while the channel is open.
 */
static int kmt_open_buffers(u64 session)
{
	unsigned int cpu;
	int ret = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		ret = kmt_stack_cache_prepare(cpu);
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
	/* Unique: the time; in early boot, when there is none, the cycle counter. */
	u64 session = system_state == SYSTEM_BOOTING ? get_cycles() | 1 : ktime_get_real_ns();
	int ret;

	if (kmt_has_buffers())
		return 0;
	if (!kmt_is_room())
		return -ENOMEM;
	kmt_clock_start();
	kmt_event_reset();
	kmt_caches_reset();
	kmt_modules_reset();
	kmt_pauses_reset();
	kmt_maps_reset();
	kmt_stack_cache_reset(kmt_config.stack_depth);
	kmt_key_set(&kmt_stack_key.key, kmt_config.stack_depth);
	kmt_key_set(&kmt_user_key.key, kmt_config.user_stacks);
	ret = kmt_stack_init(kmt_config.stack_bytes, session);
	if (ret)
		return ret;
	ret = kmt_config.user_stacks ? kmt_files_init() : 0;
	if (!ret)
		ret = kmt_open_buffers(session);
	if (ret) {
		kmt_chan_close();
		kmt_stack_exit();
		kmt_files_exit();
	}
	return ret;
}

void kmt_check_sources(void)
{
	kmt_function_probes_check();
	kmt_maps_check();
}

/* While no probe ran, thread ids and cache addresses may have been reused. */
static void kmt_invalidate_names(void)
{
	kmt_names_forget();
	kmt_caches_invalidate();
}

void kmt_unfollow(void)
{
	kmt_filter_unfollow(kmt_tracepoint_probes_unfollow);
}

static int kmt_begin(void)
{
	int ret = kmt_filter_follow(kmt_tracepoint_probes_follow) ?: kmt_filter_start();

	if (ret)
		return ret;
	if (kmt_is_late) /* else kmt_catch_up() does that */
		kmt_function_probes_register();
	ret = kmt_config.user_stacks ? kmt_maps_register() : 0;
	if (!ret)
		ret = kmt_tracepoint_probes_register();
	if (ret) {
		kmt_maps_unregister();
		kmt_function_probes_unregister();
		kmt_filter_stop();
		return ret;
	}
	kmt_check_sources();
	kmt_function_probes_forget_missed();
	kmt_pauses_end();
	kmt_maps_set_recording(true); /* before any allocation is recorded */
	kmt_chan_set_writable(KMT_WRITABLE_ALL);
	kmt_maps_end_pause();
	kmt_clock_watch(true);
	kmt_set_enabled(true);
	return 0;
}

int kmt_enable(void)
{
	bool resumes = kmt_has_buffers();
	int ret;

	if (kmt_is_enabled() && !kmt_is_keeping_maps())
		return 0;
	kmt_disable(); /* whoever wanted only mappings may have been killed */
	if (resumes && kmt_chan_frozen())
		return -EBUSY; /* it would record nothing */
	ret = kmt_tracepoint_probes_wait();
	if (ret)
		return ret;
	if (resumes)
		kmt_invalidate_names();
	ret = kmt_setup_buffers();
	if (!ret)
		ret = kmt_begin();
	if (ret && !resumes)
		kmt_reset(false); /* so that the settings can be corrected */
	return ret;
}

bool kmt_is_keeping_maps(void)
{
	return kmt_chan_get_writable() == KMT_WRITABLE_MAPS;
}

/* All records but those of mappings have ended. */
static void kmt_note_end(void)
{
	kmt_pauses_begin();
	if (!kmt_chan_frozen()) /* else oops.c has done that */
		kmt_function_probes_report_missed();
}

int kmt_keep_maps(void)
{
	if (!kmt_is_enabled() || !kmt_config.overwrite || !kmt_config.user_stacks)
		return -EINVAL;
	if (kmt_is_keeping_maps() || kmt_chan_frozen())
		return 0;
	kmt_chan_set_writable(KMT_WRITABLE_MAPS);
	kmt_note_end();
	return 0;
}

void kmt_disable(void)
{
	bool has_ended = kmt_is_keeping_maps();

	if (!kmt_is_enabled())
		return;
	kmt_chan_set_writable(KMT_WRITABLE_NONE);
	if (!has_ended)
		kmt_note_end();
	if (!kmt_chan_frozen()) /* likewise */
		kmt_maps_report_missed();
	kmt_check_sources();
	kmt_clock_watch(false);
	kmt_chan_flush();
	/* A reader that sees this sees all records, and need not wait for the following. */
	kmt_set_enabled(false);
	kmt_chan_wake();
	kmt_tracepoint_probes_unregister();
	kmt_maps_unregister();
	kmt_function_probes_unregister();
	kmt_filter_stop();
}

int kmt_reset(bool follows)
{
	if (kmt_is_enabled() || kmt_chan_is_read() || kmt_stack_is_read())
		return -EBUSY;
	if (!follows)
		kmt_unfollow();
	kmt_function_probes_forget_late();
	if (kmt_has_buffers()) {
		kmt_chan_close();
		kmt_stack_exit();
		kmt_files_exit();
	}
	return 0;
}

/* Code was unloaded or loaded: cached frames and stacks with its addresses are invalid. */
static void kmt_forget_code(unsigned long start, unsigned long size)
{
	kmt_walk_forget(start, size);
	kmt_stack_cache_forget(start, size);
}

int __init kmt_core_init(void)
{
	int ret = kmt_config_check(&kmt_config);

	if (ret) {
		pr_err("subbuf_size, subbufs, stack_depth or stack_bytes is out of range\n");
		return ret;
	}
	ret = kmt_modules_init(kmt_forget_code);
	if (ret)
		return ret;
	ret = kmt_caches_init();
	if (ret)
		goto free_modules;
	ret = kmt_tracepoint_probes_init();
	if (ret)
		goto free_defs;
	ret = kmt_clock_init();
	if (ret)
		goto free_defs;
	ret = kmt_oops_init();
	if (ret)
		goto free_clock;
	return 0;

free_clock:
	kmt_clock_exit();
free_defs:
	kmt_caches_exit();
free_modules:
	kmt_modules_exit();
	return ret;
}

void kmt_core_exit(void)
{
	kmt_tracepoint_probes_exit();
	kmt_oops_exit();
	kmt_clock_exit();
	kmt_modules_exit(); /* first: its notifier searches the stack caches */
	kmt_stack_cache_exit();
	kmt_caches_exit();
}

/* Sets up what is not available in early boot. */
static void kmt_catch_up(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		kmt_stack_cache_prepare(cpu);
	cpus_read_unlock();
	/* What was learned about it before it was known to be an entry. */
	kmt_forget_code(kmt_softirq_code.start, kmt_softirq_code.size);
	kmt_function_probes_register_late();
}

void __init kmt_core_boot_is_over(void)
{
	mutex_lock(&kmt_mutex);
	kmt_is_late = true;
	if (kmt_is_enabled())
		kmt_catch_up();
	mutex_unlock(&kmt_mutex);
}
