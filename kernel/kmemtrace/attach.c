// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "attach.h"
#include "chan.h"
#include "cpu.h"
#include "function_size.h"
#include "kprobe_check.h"

#if KMT_CAN_ATTACH

static const char kmt_no_probe[] = "its function can't be probed";

/* ---- where a function is ---- */

/* What is found stays: the kernel's functions don't move. Returns why it can't be used, or NULL. */
static const char *kmt_find_code(struct kmt_call *call)
{
	unsigned long start;
	int ret;

	if (call->unseen || call->code.size)
		return call->unseen;
	ret = kmt_function_find(call->symbol, &start);
	if (ret == -ENOENT)
		return "this kernel has no such function";
	if (ret == -EOPNOTSUPP)
		return "its function can't be probed by ftrace";
	if (ret)
		return kmt_no_probe;
	call->code.start = start;
	call->code.size = kmt_function_size(start);
	return call->code.size ? NULL : kmt_no_probe;
}

/* ---- when functions are called ---- */

/*
 * Allocated, as ftrace keeps the trampoline of an ops that lies in the kernel's own data for ever,
 * in a list of its own, and doesn't wait for handlers when such an ops is unregistered.
 */
static struct ftrace_ops *kmt_entry_ops; /* NULL: nothing is registered */
static struct kmt_call *kmt_entry_calls; /* constant while there is a count */
static unsigned int kmt_entry_count;     /* release/acquire: kmt_entry_calls is set */
static struct kmt_code kmt_switch;       /* what switches kprobes; a size of 0: not known */
static bool kmt_switched;                /* it was called since kmt_attach() */
static bool kmt_ftrace_died;             /* it has shut itself down, until the next boot */

static void kmt_enter(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	unsigned int i, count = smp_load_acquire(&kmt_entry_count);

	for (i = 0; i < count; i++) {
		const struct kmt_call *call = &kmt_entry_calls[i];

		if (call->enter && call->wanted && kmt_code_has(&call->code, ip)) {
			call->enter(ftrace_get_regs(fregs));
			return;
		}
	}
	if (count && kmt_code_has(&kmt_switch, ip))
		WRITE_ONCE(kmt_switched, true);
}

/*
 * Kprobes that are off and on again between two checks would pass both. So ftrace reports each
 * write to the file that switches them. Without that function there are only the checks.
 */
static void kmt_watch_switch(void)
{
	unsigned long start;

	if (!kmt_switch.size && !kmt_function_find("write_enabled_file_bool", &start)) {
		kmt_switch.start = start;
		kmt_switch.size = kmt_function_size(start);
	}
	if (kmt_switch.size && ftrace_set_filter_ip(kmt_entry_ops, kmt_switch.start, 0, 0))
		kmt_switch.size = 0;
}

/* Whether ftrace is to call us for @call. */
static bool kmt_is_entered(const struct kmt_call *call, bool any)
{
	return call->enter && call->code.size && (call->wanted || any);
}

static int kmt_set_entries(struct kmt_call *calls, unsigned int count, bool any)
{
	int ret = -ENOENT;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!kmt_is_entered(&calls[i], any))
			continue;
		ret = ftrace_set_filter_ip(kmt_entry_ops, calls[i].code.start, 0, 0);
		if (ret)
			break;
	}
	return ret;
}

static void kmt_free_entries(void)
{
	ftrace_free_filter(kmt_entry_ops);
	kfree(kmt_entry_ops);
	kmt_entry_ops = NULL;
}

/*
 * Registered even if no wanted function is probed at its entry: while it is, ftrace can't be
 * disabled. -EBUSY: it's disabled already.
 */
static int kmt_attach_entries(struct kmt_call *calls, unsigned int count)
{
	int ret;

	kmt_entry_ops = kzalloc(sizeof(*kmt_entry_ops), GFP_KERNEL);
	if (!kmt_entry_ops)
		return -ENOMEM;
	kmt_entry_ops->func = kmt_enter;
	kmt_entry_ops->flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT;
	ret = kmt_set_entries(calls, count, false);
	if (ret == -ENOENT)
		ret = kmt_set_entries(calls, count, true);
	if (!ret) {
		WRITE_ONCE(kmt_switched, false);
		kmt_watch_switch();
		ret = register_ftrace_function(kmt_entry_ops);
	}
	if (ret) {
		kmt_free_entries();
		return ret;
	}
	kmt_entry_calls = calls;
	smp_store_release(&kmt_entry_count, count);
	return 0;
}

/*
 * Unregistering fails where ftrace has shut itself down: it keeps the ops for ever then, and still
 * calls kmt_enter() where the functions' code does.
 */
static void kmt_detach_entries(void)
{
	WRITE_ONCE(kmt_entry_count, 0);
	if (!unregister_ftrace_function(kmt_entry_ops)) {
		kmt_free_entries();
		return;
	}
	kmt_entry_ops = NULL;
	kmt_ftrace_died = true;
	__module_get(THIS_MODULE);
	/* Whoever has seen the old count is done: with preemption off, or preempted. */
	synchronize_rcu();
	synchronize_rcu_tasks();
}

/* ---- when they return ---- */

static int kmt_attach_return(struct kmt_call *call)
{
	struct kretprobe *probe = &call->probe;

	memset(probe, 0, sizeof(*probe)); /* what an earlier registration left */
	call->missed = 0;
	probe->kp.addr = (kprobe_opcode_t *)call->code.start;
	probe->entry_handler = call->enter_return;
	probe->handler = call->leave;
	probe->data_size = call->data_size;
	probe->maxactive = KMT_CALLS_ACTIVE;
	return register_kretprobe(probe);
}

static unsigned long kmt_missed(const struct kmt_call *call)
{
	return READ_ONCE(call->probe.kp.nmissed) + READ_ONCE(call->probe.nmissed);
}

static void kmt_report_missed(struct kmt_call *call, bool always)
{
	unsigned long reported = READ_ONCE(call->missed), missed;

	smp_rmb(); /* the sum isn't older than the count already reported */
	missed = kmt_missed(call);
	if (likely((long)(missed - reported) <= 0) || (!always && !kmt_chan_loses()) ||
	    cmpxchg(&call->missed, reported, missed) != reported)
		return;
	this_cpu_add(kmt_cpu.lost[KMEMTRACE_LOSS_RECURSION], missed - reported);
}

void kmt_attach_report_missed(struct kmt_call *call)
{
	kmt_report_missed(call, false);
}

void kmt_attach_report_last_missed(struct kmt_call *call)
{
	kmt_report_missed(call, true);
}

void kmt_attach_forget_missed(struct kmt_call *call)
{
	call->missed = kmt_missed(call);
}

/* ---- both ---- */

static const char kmt_ftrace_off[] = "ftrace is off: kernel.ftrace_enabled=1 switches it on";
static const char kmt_ftrace_dead[] = "ftrace has shut itself down: the kernel's log tells why";
static const char kmt_kprobes_off[] =
	"kprobes are off: /sys/kernel/debug/kprobes/enabled switches them on";
static const char kmt_kprobes_switched[] =
	"/sys/kernel/debug/kprobes/enabled was written: kprobes may have been off";

static bool kmt_listens;     /* kmt_heard_now() may be called */
static const char *kmt_deaf; /* why no kprobe is heard; NULL: they are, until now */

/*
 * @ret: of kmt_attach_entries(). With ftrace off no kprobe may be registered: ftrace loses count of
 * who calls, and shuts itself down when it's on again.
 */
static void kmt_listen(int ret)
{
	if (ret == -EBUSY) {
		kmt_deaf = kmt_ftrace_off;
		return;
	}
	kmt_listens = !kmt_heard_start();
	if (!kmt_listens)
		kmt_deaf = "whether kprobes are on can't be found out";
	kmt_attach_deaf();
}

const char *kmt_attach_deaf(void)
{
	if (kmt_deaf || !kmt_listens)
		return kmt_deaf;
	if (!kmt_heard_now())
		kmt_deaf = kmt_kprobes_off;
	else if (READ_ONCE(kmt_switched))
		kmt_deaf = kmt_kprobes_switched;
	return kmt_deaf;
}

void kmt_attach_look(struct kmt_call *calls, unsigned int count)
{
	unsigned int i;

	if (!kmt_attach_deaf())
		return;
	for (i = 0; i < count; i++) {
		if (calls[i].path.on && calls[i].leave)
			calls[i].path.unseen = kmt_deaf;
	}
}

/* @ret: of kmt_attach_entries(). */
static const char *kmt_attach_one(struct kmt_call *call, int ret)
{
	if (call->enter && ret == -EBUSY)
		return kmt_ftrace_off;
	if (call->leave && kmt_deaf)
		return kmt_deaf;
	if (call->enter ? ret : kmt_attach_return(call))
		return kmt_no_probe;
	return NULL;
}

/* What kprobes were registered then are in the kernel's lists still, and can't be again. */
static void kmt_note_death(struct kmt_call *calls, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (calls[i].wanted)
			calls[i].path.unseen = kmt_ftrace_dead;
	}
	kmt_deaf = kmt_ftrace_dead;
}

void kmt_attach(struct kmt_call *calls, unsigned int count, bool others)
{
	bool any = others, returns = others;
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		const char *why = kmt_find_code(&calls[i]);

		calls[i].path.unseen = calls[i].wanted ? why : NULL;
		any |= calls[i].wanted;
		returns |= calls[i].wanted && calls[i].leave;
	}
	kmt_deaf = NULL;
	if (kmt_ftrace_died) {
		kmt_note_death(calls, count);
		return;
	}
	if (!any)
		return;
	ret = kmt_attach_entries(calls, count);
	if (returns)
		kmt_listen(ret);
	for (i = 0; i < count; i++) {
		struct kmt_call *call = &calls[i];

		if (!call->wanted || call->path.unseen)
			continue;
		call->path.unseen = kmt_attach_one(call, ret);
		call->path.on = !call->path.unseen;
	}
	kmt_attach_look(calls, count);
}

bool kmt_attach_died(void)
{
	return kmt_ftrace_died;
}

void kmt_detach(struct kmt_call *calls, unsigned int count)
{
	unsigned int i = count;

	while (i--) {
		if (calls[i].path.on && calls[i].leave)
			unregister_kretprobe(&calls[i].probe);
		calls[i].path.on = false;
	}
	if (kmt_listens)
		kmt_heard_stop();
	kmt_listens = false;
	if (!kmt_entry_ops)
		return;
	kmt_detach_entries();
	if (kmt_ftrace_died)
		kmt_note_death(calls, count);
}

#endif
