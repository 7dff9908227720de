// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk on arm64, where each function that calls another one pushes a frame record: its caller's
 * frame pointer, and its return address. The frame pointer points to the last record. So no data
 * about functions is needed, and no stack is cached: a walk reads no more than comparing a cached
 * stack would.
 *
 * Steps are those of the kernel's unwinder. Where that is needed, it finds the whole stack: for
 * return addresses that other tracers replaced, and on stacks other than the thread's and this
 * CPU's for interrupts. Only while no stacks are recorded, the table of frames notes which
 * functions belong to the page allocator.
 */
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "allocator_functions.h"
#include "arch.h"
#include "cpu.h"
#include "frames.h"
#include "irq_entry.h"
#include "kmemtrace.h"
#include "modules.h"
#include "trampoline.h"
#include "walk.h"
#include "walk_step.h"

#define KMT_RECORD_BYTES 16
#define KMT_OWN_FRAMES   16 /* at most from kmt_unwind() to the probe's caller */

static_assert(KMT_OWN_FRAMES + KMT_WALK_MAX <= sizeof_field(struct kmt_cpu, addrs) / sizeof(long));

int kmt_walk_init(unsigned int frames)
{
	return kmt_frames_init(frames);
}

void kmt_walk_exit(void)
{
	kmt_frames_exit();
}

u64 kmt_walk_bytes(void)
{
	return kmt_frames_bytes();
}

/*
 * A stack that is mapped starts at an address that is aligned to more than its size. See
 * arch_alloc_vmap_stack() in the kernel.
 */
bool kmt_walk_bounds(unsigned long sp, struct kmt_bounds *bounds)
{
	*bounds = kmt_thread_bounds();
	if (kmt_within(bounds, sp, KMT_RECORD_BYTES))
		return true;
	bounds->low = ALIGN_DOWN(sp, THREAD_ALIGN);
	bounds->high = bounds->low + THREAD_SIZE;
	return IS_ENABLED(CONFIG_VMAP_STACK) && in_interrupt() &&
	       kmt_within(bounds, sp, KMT_RECORD_BYTES);
}

/*
 * Reads the record at *@fp into *@ip and *@fp. False: it is neither on the stack, above the last
 * one, nor on the thread's, once the walk leaves that for interrupts; or the unwinder is needed.
 */
static __always_inline bool kmt_next_record(struct kmt_bounds *bounds, unsigned long *fp,
					    unsigned long *ip)
{
	const unsigned long at = *fp;

	if (unlikely(at < bounds->low || at > bounds->high - KMT_RECORD_BYTES)) {
		const struct kmt_bounds thread = kmt_thread_bounds();

		if (bounds->high == thread.high || !kmt_within(&thread, at, KMT_RECORD_BYTES))
			return false;
		bounds->high = thread.high;
	}
	if (unlikely(!IS_ALIGNED(at, sizeof(long))))
		return false;
	bounds->low = at + KMT_RECORD_BYTES;
	*fp = kmt_word(at);
	*ip = kmt_word(at + sizeof(long));
	if (unlikely(!*ip)) /* registers that an exception saved */
		return false;
	*ip = kmt_code_addr(*ip);
	return !kmt_is_trampoline(*ip);
}

/* The outermost record of a thread is in its registers of user space. */
static unsigned long kmt_last_record(void)
{
	return (unsigned long)&task_pt_regs(current)->stackframe;
}

/* Returns the frame of @ip, for the walk to a caller. NULL: it is in code that may be freed. */
static const struct kmt_frame *kmt_learn_frame(unsigned long ip)
{
	const struct kmt_frame *known = kmt_frame_find(kmt_frame_key(ip, false));
	struct kmt_frame frame = { .key = kmt_frame_key(ip, false) };

	if (known || !kmt_is_lasting_code(ip) || kmt_is_trampoline(ip))
		return known;
	frame.flags = kmt_is_allocator(ip) ? KMT_FRAME_ALLOCATOR : 0;
	kmt_frame_add(&frame);
	return kmt_frame_find(frame.key);
}

static enum kmt_walk_end kmt_walk_stack(struct kmt_walk *walk, const struct kmt_caller_regs *here,
					struct kmt_bounds bounds, unsigned int want)
{
	const unsigned long last = kmt_last_record();
	unsigned long fp = here->bp, ip = here->ip;
	unsigned int count = 0;

	for (;;) {
		walk->addr[count++] = ip;
		if (count == want || fp == last)
			break;
		if (!kmt_next_record(&bounds, &fp, &ip))
			return KMT_WALK_FAILED;
	}
	walk->count = count;
	return count == want ? KMT_WALK_CUT : KMT_WALK_OUTERMOST;
}

/* The same while no stacks are recorded: up to the caller. */
static enum kmt_walk_end kmt_walk_to_caller(struct kmt_walk *walk,
					    const struct kmt_caller_regs *here,
					    struct kmt_bounds bounds, unsigned int want)
{
	const unsigned long last = kmt_last_record();
	unsigned long fp = here->bp, ip = here->ip;

	for (walk->count = 0;;) {
		walk->addr[walk->count++] = ip;
		if (kmt_walk_is_done(walk->addr, walk->count, want, kmt_learn_frame(ip)))
			return KMT_WALK_CUT;
		if (fp == last)
			return KMT_WALK_OUTERMOST;
		if (!kmt_next_record(&bounds, &fp, &ip))
			return KMT_WALK_FAILED;
	}
}

enum kmt_walk_end kmt_walk(struct kmt_walk *walk, const struct kmt_caller_regs *here,
			   struct kmt_bounds bounds, unsigned int want, bool irq)
{
	enum kmt_walk_end end = kmt_config.stack_depth
					? kmt_walk_stack(walk, here, bounds, want)
					: kmt_walk_to_caller(walk, here, bounds, want);

	if (irq && end != KMT_WALK_FAILED)
		walk->count = kmt_irq_entry_cut(walk->addr, walk->count);
	return end;
}

/* Sets the slots of @walk's addresses but the first; 0: unknown. */
static void kmt_find_slots(struct kmt_walk *walk, const struct kmt_caller_regs *here)
{
	struct kmt_bounds bounds;
	unsigned long fp = here->bp, ip, at;
	unsigned int i;
	bool known = kmt_walk_bounds(here->sp, &bounds);

	walk->slot[0] = 0;
	for (i = 1; i < walk->count; i++) {
		at = fp;
		ip = 0;
		known = known && at != kmt_last_record() &&
			(kmt_next_record(&bounds, &fp, &ip) || kmt_is_trampoline(ip));
		walk->slot[i] = known ? at + sizeof(long) : 0;
	}
}

void kmt_unwind(struct kmt_walk *walk, const struct kmt_caller_regs *here, unsigned int want,
		bool irq)
{
	struct kmt_cpu *cpu = this_cpu_ptr(&kmt_cpu);
	/* From a function's entry, the kernel starts at the function itself, not at its caller. */
	unsigned long from = cpu->unwind_from ? instruction_pointer(cpu->unwind_from) : here->ip;
	unsigned int i, first, count;

	/* The same memory as the walk's, from a little further on. */
	count = stack_trace_save(cpu->addrs, KMT_OWN_FRAMES + KMT_WALK_MAX, 0);
	for (first = 0; first < count && cpu->addrs[first] != from; first++)
		;
	count = min_t(unsigned int, count - first, KMT_WALK_MAX);
	memmove(walk->addr, cpu->addrs + first, count * sizeof(long));
	walk->addr[0] = here->ip;
	for (i = 1; i < count; i++) {
		const struct kmt_frame *frame =
			kmt_config.stack_depth ? NULL : kmt_learn_frame(walk->addr[i - 1]);

		if (kmt_walk_is_done(walk->addr, i, want, frame))
			break;
	}
	walk->count = max(min(i, count), 1U);
	if (irq)
		walk->count = kmt_irq_entry_cut(walk->addr, walk->count);
	kmt_find_slots(walk, here);
}
