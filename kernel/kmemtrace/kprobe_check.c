// SPDX-License-Identifier: GPL-2.0-only
/* The only file of the tracer that is compiled for ftrace: see Kbuild. */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "compat.h"
#include "kprobe_check.h"

#if KMT_CAN_ATTACH

#define KMT_HEARD_ACTIVE 4 /* one is called at a time */

static bool kmt_heard;

static noinline void kmt_heard_call(void)
{
	asm volatile(""); /* else a compiler may leave out the call */
}

static int kmt_heard_leave(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	WRITE_ONCE(kmt_heard, true);
	return 0;
}

static struct kretprobe kmt_heard_probe;

int kmt_heard_start(void)
{
	int ret;

	memset(&kmt_heard_probe, 0, sizeof(kmt_heard_probe)); /* an earlier registration's */
	kmt_heard_probe.kp.addr = (kprobe_opcode_t *)kmt_heard_call;
	kmt_heard_probe.handler = kmt_heard_leave;
	kmt_heard_probe.maxactive = KMT_HEARD_ACTIVE;
	ret = register_kretprobe(&kmt_heard_probe);
	if (ret)
		return ret;
	if (kprobe_ftrace(&kmt_heard_probe.kp))
		return 0;
	kmt_heard_stop();
	return -EOPNOTSUPP;
}

void kmt_heard_stop(void)
{
	unregister_kretprobe(&kmt_heard_probe);
}

bool kmt_heard_now(void)
{
	WRITE_ONCE(kmt_heard, false);
	kmt_heard_call();
	return READ_ONCE(kmt_heard);
}

#endif
