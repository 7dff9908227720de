// SPDX-License-Identifier: GPL-2.0-only
/*
 * The walk with ORC, which tells how long frames are: from frame to frame, by the table of frames.
 * If a frame is unknown, the kernel's unwinder finds the whole stack, and its steps are added to
 * the table.
 *
 * It relies on the unwinder's step from an address depending only on that address. It reads only
 * the stack that the probe is on, and the stack of the current thread.
 */
#include <linux/stacktrace.h>

#include <asm/unwind.h>

#include "allocator_functions.h"
#include "compat.h"
#include "cpu.h"
#include "frames.h"
#include "irq_entry.h"
#include "kmemtrace.h"
#include "modules.h"
#include "trampoline.h"
#include "unwind_probe.h"
#include "walk.h"
#include "walk_step.h"

int kmt_walk_init(unsigned int frames)
{
	int ret = kmt_unwind_probe_init();

	if (ret)
		return ret;
	ret = kmt_frames_init(frames);
	if (ret)
		kmt_unwind_probe_exit();
	return ret;
}

void kmt_walk_exit(void)
{
	kmt_frames_exit();
	kmt_unwind_probe_exit();
}

u64 kmt_walk_bytes(void)
{
	return kmt_frames_bytes() + kmt_unwind_probe_bytes();
}

bool kmt_walk_bounds(unsigned long sp, struct kmt_bounds *bounds)
{
	*bounds = kmt_thread_bounds();
	if (kmt_within(bounds, sp, sizeof(long)))
		return true;
	*bounds = this_cpu_ptr(&kmt_cpu)->irq_stack;
	return kmt_within(bounds, sp, sizeof(long));
}

/* The registers during a walk, and where bp was found. */
struct kmt_walk_state {
	unsigned long sp, bp;
	unsigned long bp_slot;
	u8 bp_from; /* the part that bp_slot is in, or KMT_PART_OF_BP */
	struct kmt_bounds bounds;
};

/* Reads the word at @at. False: it is not on the stack. */
static bool kmt_read(const struct kmt_walk_state *state, unsigned long at, unsigned long *word)
{
	if (!kmt_within(&state->bounds, at, sizeof(long)))
		return false;
	*word = kmt_word(at);
	return true;
}

/* Begins a part: the next addresses are found from @base, which was in @slot of the part @from. */
static bool kmt_begin_part(struct kmt_walk *walk, unsigned long base, unsigned long slot, u8 from,
			   struct kmt_frame *frame)
{
	if (walk->parts == KMT_WALK_PARTS)
		return false;
	walk->part[walk->parts++] = (struct kmt_walk_part){
		.base = base,
		.slot = slot,
		.frame = frame,
		.from = from,
		.first = walk->count,
	};
	return true;
}

static u8 kmt_this_part(const struct kmt_walk *walk)
{
	return walk->parts - 1;
}

/* Continues at @sp: farther out on the same stack, or on the thread's stack, if it was switched. */
static bool kmt_move_sp(struct kmt_walk_state *state, unsigned long sp)
{
	struct kmt_bounds thread = kmt_thread_bounds();

	if (kmt_within(&state->bounds, sp, sizeof(long))) {
		if (sp <= state->sp)
			return false;
	} else if (kmt_within(&thread, sp, sizeof(long))) {
		state->bounds = thread;
	} else {
		return false;
	}
	state->sp = sp;
	return true;
}

/* Steps to the registers that an exception saved: the user's, or the interrupted function's. */
static enum kmt_walk_end kmt_step_regs(struct kmt_walk *walk, struct kmt_walk_state *state,
				       struct kmt_frame **frame)
{
	unsigned long at = state->sp + (*frame)->cfa;
	const struct pt_regs *regs = (const struct pt_regs *)at;

	if (at < state->sp || !kmt_within(&state->bounds, at, sizeof(*regs)))
		return KMT_WALK_FAILED;
	if (kmt_word((unsigned long)&regs->cs) & 3) {
		walk->user_cs = (unsigned long)&regs->cs;
		return KMT_WALK_USER;
	}
	state->bp = kmt_word((unsigned long)&regs->bp);
	state->bp_slot = (unsigned long)&regs->bp;
	state->bp_from = kmt_this_part(walk);
	*frame = kmt_frame_find(kmt_frame_key(kmt_word((unsigned long)&regs->ip), true));
	if (!*frame || !kmt_move_sp(state, kmt_word((unsigned long)&regs->sp)))
		return KMT_WALK_FAILED;
	/* The address belongs to this part, the following ones to the next. */
	walk->slot[walk->count++] = (unsigned long)&regs->ip;
	if (!kmt_begin_part(walk, state->sp, (unsigned long)&regs->sp, kmt_this_part(walk), NULL))
		return KMT_WALK_FAILED;
	walk->count--;
	return KMT_WALK_ON;
}

/* Finds the CFA of @frame, and begins a part unless it is based on sp. False: not on the stack. */
static bool kmt_find_cfa(struct kmt_walk *walk, struct kmt_walk_state *state,
			 struct kmt_frame *frame, unsigned long *cfa)
{
	unsigned long saved;

	switch (frame->kind) {
	case KMT_FRAME_SP:
		*cfa = state->sp + frame->cfa;
		return true;
	case KMT_FRAME_SP_SAVED:
		if (!kmt_read(state, state->sp, &saved) ||
		    !kmt_begin_part(walk, saved, state->sp, kmt_this_part(walk), NULL))
			return false;
		*cfa = saved + frame->cfa;
		/* The return address is on the other stack, at the end of the frame there. */
		return kmt_move_sp(state, *cfa - sizeof(long));
	case KMT_FRAME_BP:
		*cfa = state->bp + frame->cfa;
		return kmt_begin_part(walk, state->bp, state->bp_slot, state->bp_from, frame);
	case KMT_FRAME_BP_SAVED:
		return kmt_begin_part(walk, state->bp, state->bp_slot, state->bp_from, frame) &&
		       kmt_read(state, state->bp + frame->cfa, cfa) &&
		       kmt_begin_part(walk, *cfa, state->bp + frame->cfa, kmt_this_part(walk),
				      frame);
	}
	return false;
}

/* Restores the caller's bp, if @frame saved it, relative to @base in the part @from. */
static bool kmt_restore_bp(struct kmt_walk_state *state, const struct kmt_frame *frame,
			   unsigned long base, u8 from)
{
	if (!(frame->flags & KMT_FRAME_KEEPS_BP))
		return true;
	state->bp_slot = base + frame->bp;
	state->bp_from = from;
	return kmt_read(state, state->bp_slot, &state->bp);
}

/* Steps out from *@frame. KMT_WALK_ON: there is another address, and *@frame is its frame. */
static enum kmt_walk_end kmt_step_out(struct kmt_walk *walk, struct kmt_walk_state *state,
				      struct kmt_frame **frame)
{
	struct kmt_frame *inner = *frame, *caller = READ_ONCE(inner->caller);
	bool kept = true;
	unsigned long cfa, ip;

	if (inner->kind == KMT_FRAME_REGS)
		return kmt_step_regs(walk, state, frame);
	if (inner->kind == KMT_FRAME_OUTERMOST)
		return KMT_WALK_OUTERMOST;
	if (!kmt_find_cfa(walk, state, inner, &cfa) || cfa <= state->sp ||
	    !kmt_read(state, cfa - sizeof(long), &ip))
		return KMT_WALK_FAILED;
	if (inner->kind == KMT_FRAME_BP_SAVED) /* bp is in the last part but one */
		kept = kmt_restore_bp(state, inner, state->bp, walk->parts - 2);
	else
		kept = kmt_restore_bp(state, inner, cfa, kmt_this_part(walk));
	if (!kept)
		return KMT_WALK_FAILED;
	state->sp = cfa;
	walk->slot[walk->count] = cfa - sizeof(long);
	if (!caller || READ_ONCE(caller->key) != ip) {
		caller = kmt_frame_find(kmt_frame_key(ip, false));
		if (!caller)
			return KMT_WALK_FAILED;
		WRITE_ONCE(inner->caller, caller);
	}
	*frame = caller;
	return KMT_WALK_ON;
}

enum kmt_walk_end kmt_walk(struct kmt_walk *walk, const struct kmt_caller_regs *here,
			   struct kmt_bounds bounds, unsigned int want, bool irq)
{
	struct kmt_walk_state state = { .sp = here->sp, .bp = here->bp, .bounds = bounds };
	struct kmt_frame *frame = kmt_frame_find(kmt_frame_key(here->ip, false));
	enum kmt_walk_end end;

	state.bp_from = KMT_PART_OF_BP;
	walk->count = 1; /* the first address is not read from the stack */
	walk->parts = 0;
	walk->user_cs = 0;
	kmt_begin_part(walk, here->sp, 0, 0, NULL);
	walk->count = 0;
	if (!frame)
		return KMT_WALK_FAILED;
	for (;;) {
		walk->addr[walk->count++] = kmt_frame_ip(frame);
		if (kmt_walk_is_done(walk->addr, walk->count, want, frame) ||
		    (irq && frame->flags & KMT_FRAME_IRQ_ENTRY))
			return KMT_WALK_CUT;
		end = kmt_step_out(walk, &state, &frame);
		if (end != KMT_WALK_ON)
			return end;
	}
}

/* Remembers the interrupt stack of this CPU, which is constant. */
static void kmt_note_irq_stack(const struct stack_info *info)
{
	if (info->type == STACK_TYPE_IRQ &&
	    (char *)info->end - (char *)info->begin == THREAD_SIZE) {
		struct kmt_cpu *cpu = this_cpu_ptr(&kmt_cpu);

		cpu->irq_stack.low = (unsigned long)info->begin;
		cpu->irq_stack.high = (unsigned long)info->end;
	}
}

static const struct kmt_frame *kmt_learn_frame(unsigned long ip, bool interrupted)
{
	unsigned long key = kmt_frame_key(ip, interrupted);
	struct kmt_frame frame;

	if (!kmt_frame_find(key) && kmt_is_lasting_code(ip) && !kmt_is_trampoline(ip)) {
		frame = kmt_unwind_probe(ip, interrupted);
		if (!kmt_config.stack_depth && kmt_is_allocator(ip))
			frame.flags |= KMT_FRAME_ALLOCATOR;
		kmt_frame_add(&frame);
	}
	return kmt_frame_find(key);
}

/* Returns the slot of @state's return address; 0: an exception interrupted there. */
static unsigned long kmt_return_slot(const struct unwind_state *state)
{
	const struct kmt_bounds bounds = {
		(unsigned long)state->stack_info.begin,
		(unsigned long)state->stack_info.end,
	};
	unsigned long slot = state->sp - sizeof(long);

	return !state->signal && kmt_within(&bounds, slot, sizeof(long)) ? slot : 0;
}

void kmt_unwind(struct kmt_walk *walk, const struct kmt_caller_regs *here, unsigned int want,
		bool irq)
{
	const struct kmt_frame *frame;
	struct unwind_state state;
	unsigned long ip;

	walk->count = 0;
	/* unwind_start() skips frames up to this sp. */
	unwind_start(&state, current, this_cpu_ptr(&kmt_cpu)->unwind_from,
		     (unsigned long *)here->sp - 1);
	kmt_note_irq_stack(&state.stack_info);
	while (!unwind_done(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		walk->slot[walk->count] = kmt_return_slot(&state);
		walk->addr[walk->count++] = ip;
		frame = kmt_learn_frame(ip, state.signal);
		if (kmt_walk_is_done(walk->addr, walk->count, want, frame) ||
		    (irq && kmt_is_irq_entry(ip)))
			break;
		unwind_next_frame(&state);
	}
}
