// SPDX-License-Identifier: GPL-2.0-only
/*
 * The unwinder's tables are not exported, and their format differs between releases. But its rules
 * can be probed: on an artificial stack, in which each word holds its own address plus an offset,
 * and with chosen registers, the result of one step shows which rule was used. Three steps are
 * enough: a plain one, one on a stack with another offset, and one with another bp.
 */
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/unwind.h>

#include "compat.h"
#include "irq_entry.h"
#include "unwind_probe.h"

#define KMT_STAGE_BYTES SZ_32K
#define KMT_STAGE_SP    SZ_4K  /* offset of sp */
#define KMT_STAGE_BP    SZ_16K /* offset of bp; farther from sp than any frame is long */
#define KMT_STAGE_NEAR  SZ_8K  /* maximum distance of a CFA from the register it is based on */
#define KMT_STAGE_SHIFT SZ_1K  /* from bp to the other bp */

/* Two artificial stacks, "stages": each word holds its own address plus this. Constant. */
static const unsigned long kmt_stage_offsets[] = { SZ_2K, SZ_4K };
static unsigned long *kmt_stages[ARRAY_SIZE(kmt_stage_offsets)];

/* The result of a step. Addresses are relative to the stage. */
struct kmt_step {
	bool done; /* there is no caller */
	bool failed;
	unsigned long ip, sp, bp;
	bool regs; /* all registers come from a struct pt_regs */
	unsigned long regs_at;
};

int kmt_unwind_probe_init(void)
{
	unsigned int i, word;

	for (i = 0; i < ARRAY_SIZE(kmt_stages); i++) {
		kmt_stages[i] = vmalloc(KMT_STAGE_BYTES);
		if (!kmt_stages[i]) {
			kmt_unwind_probe_exit();
			return -ENOMEM;
		}
		for (word = 0; word < KMT_STAGE_BYTES / sizeof(long); word++)
			kmt_stages[i][word] =
				(unsigned long)&kmt_stages[i][word] + kmt_stage_offsets[i];
	}
	return 0;
}

void kmt_unwind_probe_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kmt_stages); i++) {
		vfree(kmt_stages[i]);
		kmt_stages[i] = NULL;
	}
}

u64 kmt_unwind_probe_bytes(void)
{
	return sizeof(kmt_stages) / sizeof(kmt_stages[0]) * KMT_STAGE_BYTES;
}

/*
 * Returns a task other than the current one, as the unwinder prints warnings only for that. The
 * idle thread of CPU 0 is init_task.
 */
static struct task_struct *kmt_other_task(void)
{
	if (current == &init_task && init_pid_ns.child_reaper)
		return init_pid_ns.child_reaper;
	return &init_task;
}

static struct kmt_step kmt_step(unsigned int stage, unsigned long ip, bool interrupted,
				unsigned long bp)
{
	unsigned long base = (unsigned long)kmt_stages[stage];
	struct unwind_state state;
	struct kmt_step step = {};

	memset(&state, 0, sizeof(state));
	state.stack_info.type = STACK_TYPE_TASK;
	state.stack_info.begin = (void *)base;
	state.stack_info.end = (void *)(base + KMT_STAGE_BYTES);
	state.task = kmt_other_task();
	state.signal = interrupted;
	state.ip = ip;
	state.sp = base + KMT_STAGE_SP;
	state.bp = base + bp;
	step.done = !unwind_next_frame(&state);
	step.failed = state.error;
	step.ip = state.ip - base;
	step.sp = state.sp - base;
	step.bp = state.bp - base;
	step.regs = state.regs && state.full_regs;
	step.regs_at = (unsigned long)state.regs - base;
	return step;
}

/* Finds the frame's kind and CFA, from the CFA in the three steps. */
static void kmt_solve_cfa(struct kmt_frame *frame, unsigned long plain, unsigned long other_words,
			  unsigned long other_bp)
{
	unsigned long shift = kmt_stage_offsets[1] - kmt_stage_offsets[0];

	frame->kind = KMT_FRAME_UNKNOWN;
	if (plain == other_words && plain == other_bp) {
		frame->kind = KMT_FRAME_SP;
		frame->cfa = plain - KMT_STAGE_SP;
	} else if (plain == other_words && plain + KMT_STAGE_SHIFT == other_bp) {
		frame->kind = KMT_FRAME_BP;
		frame->cfa = plain - KMT_STAGE_BP;
	} else if (plain + shift == other_words && plain == other_bp) {
		frame->kind = KMT_FRAME_SP_SAVED;
		frame->cfa = plain - KMT_STAGE_SP - kmt_stage_offsets[0];
	} else if (plain + shift == other_words && plain + KMT_STAGE_SHIFT == other_bp) {
		frame->kind = KMT_FRAME_BP_SAVED;
		frame->cfa = plain - KMT_STAGE_BP - kmt_stage_offsets[0];
	}
	if (abs(frame->cfa) > KMT_STAGE_NEAR)
		frame->kind = KMT_FRAME_UNKNOWN;
}

/*
 * Finds where the caller's bp is saved, if it is not in bp: at a distance from the CFA, or with
 * KMT_FRAME_BP_SAVED from bp, that is the same in all three steps.
 */
static void kmt_solve_bp(struct kmt_frame *frame, const struct kmt_step *plain,
			 const struct kmt_step *other_words, const struct kmt_step *other_bp)
{
	bool by_bp = frame->kind == KMT_FRAME_BP_SAVED;
	long at = plain->bp - kmt_stage_offsets[0] - (by_bp ? KMT_STAGE_BP : plain->sp);
	long at_words =
		other_words->bp - kmt_stage_offsets[1] - (by_bp ? KMT_STAGE_BP : other_words->sp);
	long at_bp = other_bp->bp - kmt_stage_offsets[0] -
		     (by_bp ? KMT_STAGE_BP + KMT_STAGE_SHIFT : other_bp->sp);

	if (plain->bp == KMT_STAGE_BP && other_words->bp == KMT_STAGE_BP &&
	    other_bp->bp == KMT_STAGE_BP + KMT_STAGE_SHIFT)
		return;
	frame->bp = at;
	frame->flags |= KMT_FRAME_KEEPS_BP;
	if (at != at_words || at != at_bp || abs(at) > KMT_STAGE_NEAR)
		frame->kind = KMT_FRAME_UNKNOWN;
}

/* Checks that all registers come from one struct pt_regs at a constant distance from sp. */
static void kmt_solve_regs(struct kmt_frame *frame, const struct kmt_step *plain,
			   const struct kmt_step *other_words, const struct kmt_step *other_bp)
{
	unsigned long regs = plain->regs_at, shift = kmt_stage_offsets[0];

	kmt_solve_cfa(frame, regs, other_words->regs_at, other_bp->regs_at);
	if (frame->kind == KMT_FRAME_SP &&
	    plain->ip == regs + offsetof(struct pt_regs, ip) + shift &&
	    plain->sp == regs + offsetof(struct pt_regs, sp) + shift &&
	    plain->bp == regs + offsetof(struct pt_regs, bp) + shift)
		frame->kind = KMT_FRAME_REGS;
	else
		frame->kind = KMT_FRAME_UNKNOWN;
}

struct kmt_frame kmt_unwind_probe(unsigned long ip, bool interrupted)
{
	struct kmt_frame frame = { .key = kmt_frame_key(ip, interrupted) };
	unsigned long shift = kmt_stage_offsets[0];
	struct kmt_step plain, other_words, other_bp;

	if (kmt_is_irq_entry(ip))
		frame.flags |= KMT_FRAME_IRQ_ENTRY;
	plain = kmt_step(0, ip, interrupted, KMT_STAGE_BP);
	other_words = kmt_step(1, ip, interrupted, KMT_STAGE_BP);
	other_bp = kmt_step(0, ip, interrupted, KMT_STAGE_BP + KMT_STAGE_SHIFT);
	if (plain.failed || other_words.failed || other_bp.failed)
		return frame;
	if (plain.done) {
		frame.kind = KMT_FRAME_OUTERMOST;
	} else if (plain.regs) {
		kmt_solve_regs(&frame, &plain, &other_words, &other_bp);
	} else {
		kmt_solve_cfa(&frame, plain.sp, other_words.sp, other_bp.sp);
		kmt_solve_bp(&frame, &plain, &other_words, &other_bp);
		if (plain.ip != plain.sp - sizeof(long) + shift)
			frame.kind = KMT_FRAME_UNKNOWN;
	}
	return frame;
}
