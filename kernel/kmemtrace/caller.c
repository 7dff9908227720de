// SPDX-License-Identifier: GPL-2.0-only
#include "caller.h"

/* Returns the bytes on the stack from the slot of address @index of @walk to that of the next. */
static unsigned long kmt_caller_distance(const struct kmt_walk *walk,
					 const struct kmt_caller_regs *here, unsigned int index)
{
	return walk->slot[index + 1] - (index ? walk->slot[index] : kmt_caller_start(here));
}

/*
 * Adds an address, replacing the older of the two entries. Inner functions, which are few, have
 * precedence over callers.
 */
static void kmt_caller_put(struct kmt_cpu *cpu, unsigned long addr, unsigned int out)
{
	const struct kmt_caller caller = { .addr = (s32)addr, .out = out };
	struct kmt_caller *pair = kmt_caller_pair(cpu, addr);

	if (kmt_caller_known(cpu, addr))
		return;
	if (!pair[0].out) {
		if (!pair[1].out)
			pair[1] = pair[0];
		pair[0] = caller;
	} else if (out || !pair[1].out) {
		pair[1] = caller;
	}
}

bool kmt_caller_keep(struct kmt_cpu *cpu, const struct kmt_walk *walk,
		     const struct kmt_caller_regs *here)
{
	unsigned int i, last = walk->count - 1;

	/* Beyond a saved pointer, distances vary. A walk of full length found no caller. */
	if (walk->count < 2 || walk->count == KMT_WALK_MAX ||
	    (walk->parts > 1 && walk->part[1].first <= last))
		return false;
	for (i = 0; i < last; i++) {
		if (kmt_caller_distance(walk, here, i) >= THREAD_SIZE / 2)
			return false;
	}
	for (i = 0; i < last; i++)
		kmt_caller_put(cpu, walk->addr[i], kmt_caller_distance(walk, here, i));
	kmt_caller_put(cpu, walk->addr[last], 0);
	return true;
}
