// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports entries of functions by kprobes. Each is a breakpoint, whose exception does not count as
 * an NMI on arm64. A call while another kprobe's handler runs on this CPU is missed, and counted.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "attach.h"
#include "entries.h"
#include "function_size.h"
#include "missed_calls.h"

#if KMT_CAN_ATTACH && !KMT_ATTACHES_BY_FTRACE

/* Functions whose kprobes are registered; no count: none. Under kmt_mutex. */
static struct kmt_entries {
	struct kmt_function_probe *functions;
	unsigned int count;
} kmt_entries, kmt_other_entries;

static struct kprobe kmt_switch_probe; /* at the switch of kprobes; no addr: not registered */
static bool kmt_switched;

static int kmt_enter(struct kprobe *probe, struct pt_regs *regs)
{
	struct kmt_function_probe *function =
		container_of(probe, struct kmt_function_probe, probe.kp);

	kmt_missed_report(function);
	function->enter(regs);
	return 0;
}

static int kmt_note_switch(struct kprobe *probe, struct pt_regs *regs)
{
	WRITE_ONCE(kmt_switched, true);
	return 0;
}

static bool kmt_is_entry(const struct kmt_function_probe *function)
{
	return function->enter && function->wanted && function->code.size;
}

static void kmt_unregister(struct kmt_entries *entries)
{
	while (entries->count) {
		struct kmt_function_probe *function = &entries->functions[--entries->count];

		if (kmt_is_entry(function))
			unregister_kprobe(&function->probe.kp);
	}
}

static int kmt_register(struct kmt_entries *entries, struct kmt_function_probe *functions,
			unsigned int count)
{
	int ret;

	entries->functions = functions;
	for (entries->count = 0; entries->count < count; entries->count++) {
		struct kmt_function_probe *function = &functions[entries->count];

		if (!kmt_is_entry(function))
			continue;
		memset(&function->probe, 0,
		       sizeof(function->probe)); /* an earlier registration's */
		function->missed = 0;
		function->probe.kp.addr = (kprobe_opcode_t *)function->code.start;
		function->probe.kp.pre_handler = kmt_enter;
		ret = register_kprobe(&function->probe.kp);
		if (ret) {
			kmt_unregister(entries);
			return ret;
		}
	}
	return 0;
}

/* If that function isn't found, there are only the checks of kprobe_check.c. */
static void kmt_watch_switch(void)
{
	WRITE_ONCE(kmt_switched, false);
	memset(&kmt_switch_probe, 0, sizeof(kmt_switch_probe));
	kmt_switch_probe.symbol_name = "write_enabled_file_bool";
	kmt_switch_probe.pre_handler = kmt_note_switch;
	if (register_kprobe(&kmt_switch_probe))
		kmt_switch_probe.addr = NULL;
}

int kmt_entries_attach(struct kmt_function_probe *functions, unsigned int count)
{
	int ret;

	kmt_watch_switch();
	ret = kmt_register(&kmt_entries, functions, count);
	if (ret)
		kmt_entries_detach();
	return ret;
}

void kmt_entries_detach(void)
{
	kmt_unregister(&kmt_entries);
	if (kmt_switch_probe.addr)
		unregister_kprobe(&kmt_switch_probe);
	kmt_switch_probe.addr = NULL;
}

int kmt_entries_attach_others(struct kmt_function_probe *functions, unsigned int count)
{
	return kmt_register(&kmt_other_entries, functions, count);
}

void kmt_entries_detach_others(void)
{
	kmt_unregister(&kmt_other_entries);
}

bool kmt_entries_saw_switch(void)
{
	return READ_ONCE(kmt_switched);
}

bool kmt_entries_died(void)
{
	return false;
}

void kmt_entries_exit(void)
{
}

#endif
