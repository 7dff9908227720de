// SPDX-License-Identifier: GPL-2.0-only
#include <linux/atomic.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "cpu.h"
#include "irq_entry.h"
#include "kmemtrace.h"
#include "stack.h"
#include "trampoline.h"
#include "verify.h"

#define KMT_VERIFY_OWN     8 /* maximum frames from here to the probe's caller */
#define KMT_VERIFY_MAX     (KMT_VERIFY_OWN + KMT_WALK_MAX)
#define KMT_VERIFY_PRINTED 10 /* maximum differences printed */

DEFINE_STATIC_KEY_FALSE(kmt_verify_key);

static_assert(KMT_VERIFY_MAX <= sizeof_field(struct kmt_cpu, addrs) / sizeof(long));

static atomic64_t kmt_compared, kmt_differed;

u64 kmt_verify_compared(void)
{
	return atomic64_read(&kmt_compared);
}

u64 kmt_verify_differed(void)
{
	return atomic64_read(&kmt_differed);
}

static void kmt_print_stack(const char *what, const unsigned long *addrs, unsigned int count)
{
	unsigned int i;

	pr_err("kmemtrace: %s, %u frames:\n", what, count);
	for (i = 0; i < count; i++)
		pr_err("kmemtrace:   %pS\n", (void *)addrs[i]);
}

/*
 * Returns the number of addresses up to @call_site, if it is where call sites are; otherwise all.
 */
static unsigned int kmt_verify_up_to(const unsigned long *addrs, unsigned int count,
				     unsigned long call_site)
{
	unsigned int i;

	for (i = 0; i < count && i <= KMT_ALLOCATOR_FRAMES; i++) {
		if (addrs[i] == call_site)
			return i + 1;
	}
	return count;
}

noinline void kmt_verify_stack(unsigned long ip, unsigned long tag, struct kmt_origin origin)
{
	static const struct kmemtrace_stack none;
	const struct kmemtrace_stack *kept = &none;
	/* Per CPU, as a probe may run with little stack left. Interrupts are off. */
	unsigned long *all = this_cpu_ptr(&kmt_cpu)->addrs;
	unsigned long call_site = kmt_tag_call_site(tag);
	const unsigned long *addrs;
	unsigned int count, first, depth;

	/* The call site found in place of a trampoline must be in the stack. */
	if (kmt_is_trampoline(call_site))
		call_site = origin.call_site;
	if (origin.stack_id)
		kept = kmt_stack_of_id(origin.stack_id);
	else if (kmt_config.stack_depth) /* the table is full */
		return;
	count = stack_trace_save(all, KMT_VERIFY_MAX, 0);
	for (first = 0; first < count && all[first] != ip; first++)
		;
	addrs = all + first;
	count -= first;
	if (kmt_tag_is_irq(tag))
		count = kmt_irq_entry_cut(all + first, count);
	if (call_site != kmt_tag_call_site(tag) && !kmt_config.stack_depth)
		count = kmt_verify_up_to(addrs, count, call_site);
	else
		count = kmt_walk_cut(addrs, count, kmt_stack_want(call_site));
	count = kmt_stack_trim(&addrs, count, &call_site);
	depth = min(count, kmt_config.stack_depth);

	atomic64_inc(&kmt_compared);
	if (call_site == origin.call_site && depth == kept->depth &&
	    (!depth || !(kept->flags & KMEMTRACE_STACK_CUT) == (count <= depth)) &&
	    !memcmp(addrs, kept->addr, depth * sizeof(*addrs)))
		return;
	if (atomic64_inc_return(&kmt_differed) <= KMT_VERIFY_PRINTED) {
		kmt_print_stack("a stack differs, stack_trace_save() has", addrs, depth);
		kmt_print_stack("and the tracer", (const unsigned long *)kept->addr, kept->depth);
		pr_err("kmemtrace: of %pS, called by %pS, and by the tracer %pS\n", (void *)ip,
		       (void *)call_site, (void *)origin.call_site);
	}
}

static int kmt_verify_set(const char *value, const struct kernel_param *param)
{
	bool on;
	int ret = kstrtobool(value, &on);

	if (ret)
		return ret;
	kmt_key_set(&kmt_verify_key.key, on);
	return 0;
}

static int kmt_verify_get(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", static_key_enabled(&kmt_verify_key));
}

static const struct kernel_param_ops kmt_verify_ops = {
	.set = kmt_verify_set,
	.get = kmt_verify_get,
};

module_param_cb(verify_stacks, &kmt_verify_ops, NULL, 0600);
MODULE_PARM_DESC(verify_stacks, "1: unwind each stack a second time and compare (default 0)");
