// SPDX-License-Identifier: GPL-2.0-only
/* The only file that is compiled with ftrace's calls, see Kbuild. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "compat.h"
#include "kprobe_check.h"

#if KMT_CAN_ATTACH

#define KMT_KPROBE_CHECK_ACTIVE 4 /* only one call at a time */

noinline void kmt_entry_check(void)
{
	asm volatile(""); /* otherwise a compiler may leave out the call */
}

static bool kmt_kprobe_fired;

static noinline void kmt_kprobe_check_function(void)
{
	asm volatile(""); /* keeps the compiler from removing the call */
}

static int kmt_kprobe_check_leave(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	WRITE_ONCE(kmt_kprobe_fired, true);
	return 0;
}

static struct kretprobe kmt_kprobe_check_probe;

int kmt_kprobe_check_start(void)
{
	int ret;

	memset(&kmt_kprobe_check_probe, 0,
	       sizeof(kmt_kprobe_check_probe)); /* an earlier registration's */
	kmt_kprobe_check_probe.kp.addr = (kprobe_opcode_t *)kmt_kprobe_check_function;
	kmt_kprobe_check_probe.handler = kmt_kprobe_check_leave;
	kmt_kprobe_check_probe.maxactive = KMT_KPROBE_CHECK_ACTIVE;
	ret = register_kretprobe(&kmt_kprobe_check_probe);
	if (ret)
		return ret;
	if (!KMT_ATTACHES_BY_FTRACE || kprobe_ftrace(&kmt_kprobe_check_probe.kp))
		return 0;
	kmt_kprobe_check_stop();
	return -EOPNOTSUPP;
}

void kmt_kprobe_check_stop(void)
{
	unregister_kretprobe(&kmt_kprobe_check_probe);
}

bool kmt_kprobes_fire(void)
{
	WRITE_ONCE(kmt_kprobe_fired, false);
	kmt_kprobe_check_function();
	return READ_ONCE(kmt_kprobe_fired);
}

#endif
