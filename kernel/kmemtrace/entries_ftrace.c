// SPDX-License-Identifier: GPL-2.0-only
/* Reports entries of functions by ftrace, which misses no call. */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "attach.h"
#include "cpu.h"
#include "entries.h"
#include "function_size.h"
#include "kprobe_check.h"

#if KMT_CAN_ATTACH && KMT_ATTACHES_BY_FTRACE

/*
 * Allocated, because ftrace keeps the trampoline of an ops in the kernel's own data forever, in a
 * list of its own, and doesn't wait for handlers when such an ops is unregistered.
 *
 * It stays registered until the module is unloaded. ftrace waits for RCU tasks when it unregisters
 * an ops, and holds the lock that loading a module takes. A process that stays in the kernel, as in
 * a long read of /dev/urandom, can delay that indefinitely. Replacing the functions that an ops
 * traces waits for nothing. While nothing is attached, it traces only kmt_entry_check().
 */
static struct ftrace_ops *kmt_entry_ops; /* NULL: not registered */
static bool kmt_entries_on;              /* its functions are those of kmt_entries_attach() */
static struct kmt_code kmt_switch; /* the function that switches kprobes; a size of 0: not known */
static bool kmt_switched;          /* that function was called since kmt_entries_attach() */
static bool kmt_entry_checked;     /* kmt_entry_check() was called, and ftrace reported it */
static bool kmt_ftrace_died;       /* ftrace has shut itself down, until the next boot */

static struct kmt_entries {
	struct kmt_function_probe *functions; /* constant while there is a count */
	unsigned int count;                   /* release/acquire: functions is set */
} kmt_entries, kmt_other_entries; /* of kmt_entries_attach() and kmt_entries_attach_others() */

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
	/* kmt_entries_detach() waits for this with kmt_cpus_wait(). */
	preempt_disable_notrace();
	if (ip - (unsigned long)kmt_entry_check < KMT_ENTRY_BYTES)
		WRITE_ONCE(kmt_entry_checked, true);
	else
		kmt_enter_call(ip, fregs);
	preempt_enable_notrace();
}

/*
 * Kprobes that are switched off and on again between two checks would pass both. So ftrace reports
 * each write to the file that switches them. If that function isn't found, there are only the
 * checks.
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
	if (filled) /* an empty filter means all functions */
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

/*
 * ftrace then keeps the ops forever, and functions whose code still has the call still call
 * kmt_enter().
 */
static void kmt_note_ftrace_died(void)
{
	kmt_entry_ops = NULL;
	kmt_ftrace_died = true;
	__module_get(THIS_MODULE);
}

/* -EBUSY: ftrace is disabled. Otherwise it can't be disabled from now on. */
static int kmt_begin_entries(void)
{
	int ret;

	if (!kmt_entry_ops)
		return kmt_register_entries();
	kmt_keep_ftrace_on(true);
	ret = kmt_set_no_entries(); /* waits for ftrace's lock: for anyone disabling ftrace */
	if (ret)
		return ret;
	WRITE_ONCE(kmt_entry_checked, false);
	kmt_entry_check();
	return READ_ONCE(kmt_entry_checked) ? 0 : -EBUSY;
}

/* Needed even if no wanted function is probed at its entry: it keeps ftrace from being disabled. */
int kmt_entries_attach(struct kmt_function_probe *functions, unsigned int count)
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
 * Replacing the functions fails if ftrace has shut itself down, or if memory is short. They are
 * then still traced, and kmt_enter() does nothing.
 */
void kmt_entries_detach(void)
{
	if (!kmt_entries_on)
		return;
	kmt_entries_on = false;
	WRITE_ONCE(kmt_entries.count, 0);
	kmt_cpus_wait(); /* no handler uses the old count any more */
	if (kmt_set_no_entries() == -ENODEV)
		kmt_note_ftrace_died();
	else
		kmt_keep_ftrace_on(false);
}

int kmt_entries_attach_others(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned long ips[KMT_OTHERS_MAX];
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++)
		ips[i] = functions[i].code.start;
	ret = ftrace_set_filter_ips(kmt_entry_ops, ips, count, 0, 0);
	if (!ret)
		kmt_set_called(&kmt_other_entries, functions, count);
	return ret;
}

void kmt_entries_detach_others(void)
{
	WRITE_ONCE(kmt_other_entries.count, 0);
	kmt_cpus_wait(); /* handlers that saw the old count have ended */
}

void kmt_entries_exit(void)
{
	if (!kmt_entry_ops)
		return;
	if (unregister_ftrace_function(kmt_entry_ops))
		kmt_note_ftrace_died();
	else
		kmt_free_entries();
}

bool kmt_entries_saw_switch(void)
{
	return READ_ONCE(kmt_switched);
}

bool kmt_entries_died(void)
{
	return kmt_ftrace_died;
}

#endif
