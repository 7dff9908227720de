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
static const char *kmt_find_code(struct kmt_function_probe *function)
{
	unsigned long start;
	int ret;

	if (function->unseen || function->code.size)
		return function->unseen;
	ret = kmt_function_find(function->symbol, &start);
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
 *
 * It stays registered until the module is unloaded. ftrace waits for RCU tasks when it unregisters
 * an ops, and holds the lock that loading a module takes. A process that stays in the kernel, as a
 * long read of /dev/urandom does, delays that for as long as it likes. Replacing the functions that
 * an ops traces waits for nothing. While nothing is attached, that is kmt_entry_check() alone.
 */
static struct ftrace_ops *kmt_entry_ops; /* NULL: not registered */
static bool kmt_entries_on;              /* its functions are those of kmt_attach() */
static const char *kmt_entry_error;      /* why they aren't */
static struct kmt_code kmt_switch;       /* what switches kprobes; a size of 0: not known */
static bool kmt_switched;                /* it was called since kmt_attach() */
static bool kmt_entry_checked;           /* kmt_entry_check() was called, and ftrace reported it */
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

static void kmt_enter(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		      struct ftrace_regs *fregs)
{
	/* kmt_detach_entries() waits for this with synchronize_rcu(). */
	preempt_disable_notrace();
	if (ip - (unsigned long)kmt_entry_check < KMT_ENTRY_BYTES)
		WRITE_ONCE(kmt_entry_checked, true);
	else
		kmt_enter_call(ip, fregs);
	preempt_enable_notrace();
}

/*
 * Kprobes that are off and on again between two checks would pass both. So ftrace reports each
 * write to the file that switches them. Without that function there are only the checks.
 */
static void kmt_find_switch(void)
{
	unsigned long start;

	if (!kmt_switch.size && !kmt_function_find("write_enabled_file_bool", &start)) {
		kmt_switch.start = start;
		kmt_switch.size = kmt_function_size(start);
	}
}

/* Makes ftrace report the wanted functions and the switch of kprobes, all at once. */
static int kmt_set_entries(const struct kmt_function_probe *functions, unsigned int count)
{
	unsigned int i, filled = 0;
	unsigned long *ips;
	int ret = 0;

	kmt_find_switch();
	ips = kmalloc_array(count + 1, sizeof(*ips), GFP_KERNEL);
	if (!ips)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		if (functions[i].enter && functions[i].wanted && functions[i].code.size)
			ips[filled++] = functions[i].code.start;
	}
	if (kmt_switch.size)
		ips[filled++] = kmt_switch.start;
	if (filled) /* none means all functions */
		ret = ftrace_set_filter_ips(kmt_entry_ops, ips, filled, 0, 1);
	kfree(ips);
	return ret;
}

static int kmt_set_no_entries(void)
{
	return ftrace_set_filter_ip(kmt_entry_ops, (unsigned long)kmt_entry_check, 0, 1);
}

static void kmt_free_entries(void)
{
	ftrace_free_filter(kmt_entry_ops);
	kfree(kmt_entry_ops);
	kmt_entry_ops = NULL;
}

static int kmt_register_entries(void)
{
	int ret;

	kmt_entry_ops = kzalloc(sizeof(*kmt_entry_ops), GFP_KERNEL);
	if (!kmt_entry_ops)
		return -ENOMEM;
	kmt_entry_ops->func = kmt_enter;
	kmt_entry_ops->flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT;
	ret = kmt_set_no_entries();
	if (!ret)
		ret = register_ftrace_function(kmt_entry_ops);
	if (ret)
		kmt_free_entries();
	return ret;
}

/* ftrace can't be disabled while an ops has this flag; it reads the flag under its own lock. */
static void kmt_keep_ftrace_on(bool on)
{
	unsigned long flags = kmt_entry_ops->flags & ~FTRACE_OPS_FL_PERMANENT;

	WRITE_ONCE(kmt_entry_ops->flags, flags | (on ? FTRACE_OPS_FL_PERMANENT : 0));
}

/* It keeps the ops for ever then, and still calls kmt_enter() where the functions' code does. */
static void kmt_note_ftrace_died(void)
{
	kmt_entry_ops = NULL;
	kmt_ftrace_died = true;
	__module_get(THIS_MODULE);
}

/* -EBUSY: ftrace is disabled. Else it can't be from now on. */
static int kmt_begin_entries(void)
{
	int ret;

	if (!kmt_entry_ops)
		return kmt_register_entries();
	kmt_keep_ftrace_on(true);
	ret = kmt_set_no_entries(); /* it waits for ftrace's lock, so for whoever disables ftrace */
	if (ret)
		return ret;
	WRITE_ONCE(kmt_entry_checked, false);
	kmt_entry_check();
	return READ_ONCE(kmt_entry_checked) ? 0 : -EBUSY;
}

/* Even if no wanted function is probed at its entry: ftrace can't be disabled then. */
static int kmt_attach_entries(struct kmt_function_probe *functions, unsigned int count)
{
	int ret = kmt_begin_entries();

	if (!ret) {
		WRITE_ONCE(kmt_switched, false);
		ret = kmt_set_entries(functions, count);
	}
	if (ret == -ENODEV && kmt_entry_ops)
		kmt_note_ftrace_died();
	else if (ret && kmt_entry_ops)
		kmt_keep_ftrace_on(false);
	if (ret)
		return ret;
	kmt_set_called(&kmt_entries, functions, count);
	kmt_entries_on = true;
	return 0;
}

/*
 * Fails if ftrace has shut itself down, or if memory is short. The functions are then still traced,
 * and kmt_enter() does nothing.
 */
static void kmt_detach_entries(void)
{
	kmt_entries_on = false;
	WRITE_ONCE(kmt_entries.count, 0);
	synchronize_rcu(); /* no handler has the old count any more */
	if (kmt_set_no_entries() == -ENODEV)
		kmt_note_ftrace_died();
	else
		kmt_keep_ftrace_on(false);
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

void kmt_attach_exit(void)
{
	if (!kmt_entry_ops)
		return;
	if (unregister_ftrace_function(kmt_entry_ops))
		kmt_note_ftrace_died();
	else
		kmt_free_entries();
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
static const char *kmt_kprobe_error; /* why kprobes do not fire; NULL: they do, until now */

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

/* Kprobes registered before are still in the kernel's lists and cannot be re-registered. */
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
	if (kmt_ftrace_died) {
		kmt_note_ftrace_dead(functions, count);
		return;
	}
	if (!any)
		return;
	ret = kmt_attach_entries(functions, count);
	kmt_entry_error = !ret ? NULL : ret == -EBUSY ? kmt_ftrace_off : kmt_no_probe;
	if (kmt_ftrace_died) {
		kmt_note_ftrace_dead(functions, count);
		return;
	}
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
	return kmt_ftrace_died;
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
	if (!kmt_entries_on)
		return;
	kmt_detach_entries();
	if (kmt_ftrace_died)
		kmt_note_ftrace_dead(functions, count);
}

#endif
