// SPDX-License-Identifier: GPL-2.0-only
#include <linux/completion.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "attach.h"
#include "chan.h"
#include "cpu.h"
#include "function_size.h"
#include "kprobe_check.h"

#if KMT_CAN_ATTACH

static const char kmt_no_probe[] = "its function can't be probed";

/* ---- where a function is ---- */

/* What is found stays: the kernel's functions don't move. Returns why it can't be used, or NULL. */
static const char *kmt_find_code(struct kmt_function_probe *function)
{
	unsigned long start;
	int ret;

	if (function->unseen || function->code.size)
		return function->unseen;
	ret = kmt_function_find(function->symbol, &start);
	if (ret == -ENOENT && function->older)
		ret = kmt_function_find(function->older, &start);
	if (ret == -ENOENT)
		return "this kernel has no such function";
	if (ret == -EOPNOTSUPP)
		return "its function can't be probed by ftrace";
	if (ret)
		return kmt_no_probe;
	function->code.start = start;
	function->code.size = kmt_function_size(start);
	return function->code.size ? NULL : kmt_no_probe;
}

/* ---- when functions are called ---- */

/*
 * Allocated, as ftrace keeps the trampoline of an ops that lies in the kernel's own data for ever,
 * in a list of its own, and doesn't wait for handlers when such an ops is unregistered.
 */
static struct ftrace_ops *kmt_entry_ops; /* NULL: nothing is registered */
static const char *kmt_entry_error;      /* why it isn't */
static struct kmt_code kmt_switch;       /* what switches kprobes; a size of 0: not known */
static bool kmt_switched;                /* it was called since kmt_attach() */
static bool kmt_ftrace_died;             /* it has shut itself down, until the next boot */

static struct kmt_entries {
	struct kmt_function_probe *functions; /* constant while there is a count */
	unsigned int count;                   /* release/acquire: functions is set */
} kmt_entries, kmt_other_entries;             /* of kmt_attach() and kmt_attach_others() */

static bool kmt_enter_one(const struct kmt_entries *entries, unsigned long ip,
			  struct ftrace_regs *fregs)
{
	unsigned int i, count = smp_load_acquire(&entries->count);

	for (i = 0; i < count; i++) {
		const struct kmt_function_probe *function = &entries->functions[i];

		if (function->enter && function->wanted && kmt_code_has(&function->code, ip)) {
			function->enter(ftrace_get_regs(fregs));
			return true;
		}
	}
	return false;
}

static void kmt_enter_call(unsigned long ip, struct ftrace_regs *fregs)
{
	if (!kmt_enter_one(&kmt_entries, ip, fregs) &&
	    !kmt_enter_one(&kmt_other_entries, ip, fregs) && READ_ONCE(kmt_entries.count) &&
	    kmt_code_has(&kmt_switch, ip))
		WRITE_ONCE(kmt_switched, true);
}

static void kmt_set_called(struct kmt_entries *entries, struct kmt_function_probe *functions,
			   unsigned int count)
{
	entries->functions = functions;
	smp_store_release(&entries->count, count);
}

/* With preemption off, so that kmt_detach() can wait for it whatever other processes do. */
static void kmt_enter(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	kmt_enter_call(ip, fregs);
	preempt_enable_notrace();
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

/* Whether ftrace is to call us for @function. */
static bool kmt_is_entered(const struct kmt_function_probe *function, bool any)
{
	return function->enter && function->code.size && (function->wanted || any);
}

static int kmt_set_entries(struct kmt_function_probe *functions, unsigned int count, bool any)
{
	int ret = -ENOENT;
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!kmt_is_entered(&functions[i], any))
			continue;
		ret = ftrace_set_filter_ip(kmt_entry_ops, functions[i].code.start, 0, 0);
		if (ret)
			break;
	}
	return ret;
}

static void kmt_free_ops(struct ftrace_ops *ops)
{
	ftrace_free_filter(ops);
	kfree(ops);
}

/*
 * Registered even if no wanted function is probed at its entry: while it is, ftrace can't be
 * disabled. -EBUSY: it's disabled already.
 */
static int kmt_attach_entries(struct kmt_function_probe *functions, unsigned int count)
{
	int ret;

	kmt_entry_ops = kzalloc(sizeof(*kmt_entry_ops), GFP_KERNEL);
	if (!kmt_entry_ops)
		return -ENOMEM;
	kmt_entry_ops->func = kmt_enter;
	kmt_entry_ops->flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT;
	ret = kmt_set_entries(functions, count, false);
	if (ret == -ENOENT)
		ret = kmt_set_entries(functions, count, true);
	if (!ret) {
		WRITE_ONCE(kmt_switched, false);
		kmt_watch_switch();
		ret = register_ftrace_function(kmt_entry_ops);
	}
	if (ret) {
		kmt_free_ops(kmt_entry_ops);
		kmt_entry_ops = NULL;
		return ret;
	}
	kmt_set_called(&kmt_entries, functions, count);
	return 0;
}

/*
 * ftrace waits until each thread has slept or been in user space once, and a process that stays in
 * the kernel keeps it waiting for as long as its user likes. So a work item unregisters, and no
 * recorder waits for long. Who loads a module, or uses ftrace or kprobes, still does: ftrace holds
 * its own lock meanwhile.
 */
#define KMT_LEAVE_S 1

static struct ftrace_ops *kmt_left_ops;  /* what it unregisters; set while it isn't pending */
static DECLARE_COMPLETION(kmt_has_left); /* its last act; of the last time that it was queued */
static bool kmt_leaves;                  /* it was queued once */

/*
 * Unregistering fails where ftrace has shut itself down: it keeps the ops for ever then, and still
 * calls kmt_enter() where the functions' code does.
 */
static void kmt_leave_entries(struct work_struct *work)
{
	if (!unregister_ftrace_function(kmt_left_ops)) {
		kmt_free_ops(kmt_left_ops);
	} else {
		WRITE_ONCE(kmt_ftrace_died, true);
		__module_get(THIS_MODULE);
	}
	complete_all(&kmt_has_left);
}

static DECLARE_WORK(kmt_leave_work, kmt_leave_entries);

void kmt_attach_wait(unsigned int seconds)
{
	if (READ_ONCE(kmt_leaves))
		wait_for_completion_killable_timeout(&kmt_has_left, seconds * HZ);
}

bool kmt_attach_is_free(void)
{
	return !kmt_leaves || completion_done(&kmt_has_left);
}

void kmt_attach_finish(void)
{
	flush_work(&kmt_leave_work);
}

static void kmt_detach_entries(void)
{
	WRITE_ONCE(kmt_entries.count, 0);
	synchronize_rcu(); /* whoever has seen the old count is done */
	kmt_left_ops = kmt_entry_ops;
	kmt_entry_ops = NULL;
	reinit_completion(&kmt_has_left);
	WRITE_ONCE(kmt_leaves, true);
	queue_work(system_unbound_wq, &kmt_leave_work);
	kmt_attach_wait(KMT_LEAVE_S);
}

int kmt_attach_others(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned long ips[KMT_OTHERS_MAX];
	unsigned int i;
	int ret;

	if (WARN_ON_ONCE(count > KMT_OTHERS_MAX))
		return -EINVAL;
	for (i = 0; i < count; i++) {
		if (kmt_find_code(&functions[i]))
			return -EOPNOTSUPP;
		ips[i] = functions[i].code.start;
	}
	ret = ftrace_set_filter_ips(kmt_entry_ops, ips, count, 0, 0);
	if (!ret)
		kmt_set_called(&kmt_other_entries, functions, count);
	return ret;
}

void kmt_detach_others(void)
{
	WRITE_ONCE(kmt_other_entries.count, 0);
	synchronize_rcu(); /* whoever has seen the old count is done */
}

/* ---- when they return ---- */

static int kmt_attach_return(struct kmt_function_probe *function)
{
	struct kretprobe *probe = &function->probe;

	memset(probe, 0, sizeof(*probe)); /* what an earlier registration left */
	function->missed = 0;
	probe->kp.addr = (kprobe_opcode_t *)function->code.start;
	probe->entry_handler = function->enter_return;
	probe->handler = function->leave;
	probe->data_size = function->data_size;
	probe->maxactive = KMT_RETURNS_ACTIVE;
	return register_kretprobe(probe);
}

static unsigned long kmt_missed(const struct kmt_function_probe *function)
{
	return READ_ONCE(function->probe.kp.nmissed) + READ_ONCE(function->probe.nmissed);
}

static void kmt_report_missed(struct kmt_function_probe *function, bool always)
{
	unsigned long reported = READ_ONCE(function->missed), missed;

	smp_rmb(); /* the sum isn't older than the count already reported */
	missed = kmt_missed(function);
	if (likely((long)(missed - reported) <= 0) || (!always && !kmt_chan_counts_losses()) ||
	    cmpxchg(&function->missed, reported, missed) != reported)
		return;
	this_cpu_add(kmt_cpu.lost[KMEMTRACE_LOSS_RECURSION], missed - reported);
}

void kmt_attach_report_missed(struct kmt_function_probe *function)
{
	kmt_report_missed(function, false);
}

void kmt_attach_report_last_missed(struct kmt_function_probe *function)
{
	kmt_report_missed(function, true);
}

void kmt_attach_forget_missed(struct kmt_function_probe *function)
{
	function->missed = kmt_missed(function);
}

/* ---- both ---- */

static const char kmt_ftrace_off[] = "ftrace is off: kernel.ftrace_enabled=1 switches it on";
static const char kmt_ftrace_dead[] = "ftrace has shut itself down: see the kernel log";
static const char kmt_kprobes_off[] =
	"kprobes are off: /sys/kernel/debug/kprobes/enabled switches them on";
static const char kmt_kprobes_switched[] =
	"/sys/kernel/debug/kprobes/enabled was written: kprobes may have been off";

static bool kmt_kprobe_check_runs;   /* kmt_kprobes_fire() may be called */
static const char *kmt_kprobe_error; /* why no kprobe is heard; NULL: they are, until now */

/*
 * @ret: of kmt_attach_entries(). With ftrace off no kprobe may be registered: ftrace loses count of
 * who calls, and shuts itself down when it's on again.
 */
static void kmt_begin_kprobe_check(int ret)
{
	if (ret == -EBUSY) {
		kmt_kprobe_error = kmt_ftrace_off;
		return;
	}
	kmt_kprobe_check_runs = !kmt_kprobe_check_start();
	if (!kmt_kprobe_check_runs)
		kmt_kprobe_error = "whether kprobes are on is unknown";
	kmt_attach_kprobe_error();
}

const char *kmt_attach_entry_error(void)
{
	return kmt_entry_error;
}

const char *kmt_attach_kprobe_error(void)
{
	if (kmt_kprobe_error || !kmt_kprobe_check_runs)
		return kmt_kprobe_error;
	if (!kmt_kprobes_fire())
		kmt_kprobe_error = kmt_kprobes_off;
	else if (READ_ONCE(kmt_switched))
		kmt_kprobe_error = kmt_kprobes_switched;
	return kmt_kprobe_error;
}

void kmt_attach_check(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned int i;

	if (!kmt_attach_kprobe_error())
		return;
	for (i = 0; i < count; i++) {
		if (functions[i].source.on && functions[i].leave)
			functions[i].source.unseen = kmt_kprobe_error;
	}
}

/* @ret: of kmt_attach_entries(). */
static const char *kmt_attach_one(struct kmt_function_probe *function, int ret)
{
	if (function->enter && ret == -EBUSY)
		return kmt_ftrace_off;
	if (function->leave && kmt_kprobe_error)
		return kmt_kprobe_error;
	if (function->enter ? ret : kmt_attach_return(function))
		return kmt_no_probe;
	return NULL;
}

/* What kprobes were registered then are in the kernel's lists still, and can't be again. */
static void kmt_note_ftrace_dead(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (functions[i].wanted)
			functions[i].source.unseen = kmt_ftrace_dead;
	}
	kmt_kprobe_error = kmt_ftrace_dead;
	kmt_entry_error = kmt_ftrace_dead;
}

void kmt_attach(struct kmt_function_probe *functions, unsigned int count, bool others)
{
	bool any = others, returns = false;
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		const char *why = kmt_find_code(&functions[i]);

		functions[i].source.unseen = functions[i].wanted ? why : NULL;
		any |= functions[i].wanted;
		returns |= functions[i].wanted && functions[i].leave;
	}
	kmt_kprobe_error = NULL;
	if (READ_ONCE(kmt_ftrace_died)) {
		kmt_note_ftrace_dead(functions, count);
		return;
	}
	if (!any)
		return;
	ret = kmt_attach_entries(functions, count);
	kmt_entry_error = !ret ? NULL : ret == -EBUSY ? kmt_ftrace_off : kmt_no_probe;
	if (returns)
		kmt_begin_kprobe_check(ret);
	for (i = 0; i < count; i++) {
		struct kmt_function_probe *function = &functions[i];

		if (!function->wanted || function->source.unseen)
			continue;
		function->source.unseen = kmt_attach_one(function, ret);
		function->source.on = !function->source.unseen;
	}
	kmt_attach_check(functions, count);
}

bool kmt_attach_ftrace_died(void)
{
	return READ_ONCE(kmt_ftrace_died);
}

void kmt_detach(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned int i = count;

	while (i--) {
		if (functions[i].source.on && functions[i].leave)
			unregister_kretprobe(&functions[i].probe);
		functions[i].source.on = false;
	}
	if (kmt_kprobe_check_runs)
		kmt_kprobe_check_stop();
	kmt_kprobe_check_runs = false;
	if (!kmt_entry_ops)
		return;
	kmt_detach_entries();
	if (READ_ONCE(kmt_ftrace_died))
		kmt_note_ftrace_dead(functions, count);
}

#endif
