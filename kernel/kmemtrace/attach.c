// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kernel.h>
#include <linux/string.h>

#include "attach.h"
#include "chan.h"
#include "cpu.h"
#include "entries.h"
#include "function_size.h"
#include "kprobe_check.h"

#if KMT_CAN_ATTACH

static const char *kmt_entry_error; /* why entries are not reported; NULL: they are */
static const char kmt_no_probe[] = "its function can't be probed";

/* ---- finding a function ---- */

/*
 * Returns why the function can't be used, or NULL. A result is kept: the kernel's functions don't
 * move.
 */
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

/* ---- returns ---- */

static bool kmt_needs_kprobes(const struct kmt_function_probe *function)
{
	return function->leave || !KMT_ATTACHES_BY_FTRACE;
}

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

/* ---- entries and returns ---- */

int kmt_attach_others(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned int i;

	if (WARN_ON_ONCE(count > KMT_OTHERS_MAX))
		return -EINVAL;
	for (i = 0; i < count; i++) {
		if (kmt_find_code(&functions[i]))
			return -EOPNOTSUPP;
	}
	return kmt_entries_attach_others(functions, count);
}

void kmt_detach_others(void)
{
	kmt_entries_detach_others();
}

static const char kmt_ftrace_off[] = "ftrace is off: kernel.ftrace_enabled=1 switches it on";
static const char kmt_ftrace_dead[] = "ftrace has shut itself down: see the kernel log";
static const char kmt_kprobes_off[] =
	"kprobes are off: /sys/kernel/debug/kprobes/enabled switches them on";
static const char kmt_kprobes_switched[] =
	"/sys/kernel/debug/kprobes/enabled was written: kprobes may have been off";

static bool kmt_kprobe_check_runs;   /* kmt_kprobes_fire() may be called */
static const char *kmt_kprobe_error; /* why kprobes do not fire; NULL: they did so far */

/*
 * @ret: the result of kmt_entries_attach(). While ftrace is off, no kprobe may be registered:
 * ftrace would lose count of its users, and shut itself down when it is switched on again.
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
	else if (kmt_entries_saw_switch())
		kmt_kprobe_error = kmt_kprobes_switched;
	return kmt_kprobe_error;
}

void kmt_attach_check(struct kmt_function_probe *functions, unsigned int count)
{
	unsigned int i;

	if (!kmt_attach_kprobe_error())
		return;
	for (i = 0; i < count; i++) {
		if (functions[i].source.on && kmt_needs_kprobes(&functions[i]))
			functions[i].source.unseen = kmt_kprobe_error;
	}
}

/* @ret: of kmt_entries_attach(). */
static const char *kmt_attach_one(struct kmt_function_probe *function, int ret)
{
	if (function->enter && ret == -EBUSY)
		return kmt_ftrace_off;
	if (kmt_needs_kprobes(function) && kmt_kprobe_error)
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
	bool any = others, kprobes = others && !KMT_ATTACHES_BY_FTRACE;
	unsigned int i;
	int ret;

	for (i = 0; i < count; i++) {
		const char *why = kmt_find_code(&functions[i]);

		functions[i].source.unseen = functions[i].wanted ? why : NULL;
		any |= functions[i].wanted;
		kprobes |= functions[i].wanted && kmt_needs_kprobes(&functions[i]);
	}
	kmt_kprobe_error = NULL;
	if (kmt_entries_died()) {
		kmt_note_ftrace_dead(functions, count);
		return;
	}
	if (!any)
		return;
	ret = kmt_entries_attach(functions, count);
	kmt_entry_error = !ret ? NULL : ret == -EBUSY ? kmt_ftrace_off : kmt_no_probe;
	if (kmt_entries_died()) {
		kmt_note_ftrace_dead(functions, count);
		return;
	}
	if (kprobes)
		kmt_begin_kprobe_check(ret);
	if (!KMT_ATTACHES_BY_FTRACE && !kmt_entry_error)
		kmt_entry_error = kmt_kprobe_error;
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
	return kmt_entries_died();
}

void kmt_attach_exit(void)
{
	kmt_entries_exit();
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
	kmt_entries_detach();
	if (kmt_entries_died())
		kmt_note_ftrace_dead(functions, count);
}

#endif
