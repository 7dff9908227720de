// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps from frame to frame as the kernel's unwinder does. The values that the unwinder reads from
 * the stack are not known here, only their positions. So sp and bp are positions, at a distance
 * from a base. Each exception, each switch of the stack and each frame of variable size begins a
 * new base.
 */
#include "capture/bpf/stack_layout.h"

#include <asm/ptrace.h>
#include <stddef.h>

#define WORD           ((gint)sizeof(guint64))
#define PROGRAM_FRAMES 3 /* of the program, at most, from its innermost function on */

typedef struct {
	gint sp;           /* bytes from the base */
	gboolean bp_saved; /* bp is in the word at @bp_at from the base; else the program has it */
	gint bp_at;
	gboolean interrupted;
	gboolean fits; /* all distances so far fit into a step */
} Walk;

static gint16 distance(Walk *walk, gint bytes)
{
	walk->fits &= ABS(bytes) <= G_MAXINT16;
	return (gint16)bytes;
}

/* Before the base changes, the program must load bp, which is saved at a distance from the base. */
static void load_bp(Walk *walk, struct kmt_bpf_step *step)
{
	if (!walk->bp_saved)
		return;
	step->flags |= KMT_BPF_STEP_LOAD_BP;
	step->bp_at = distance(walk, walk->bp_at);
	walk->bp_saved = FALSE;
}

/* Steps to the address just below @cfa, which is relative to the new base. */
static void return_below(Walk *walk, gint cfa, struct kmt_bpf_step *step)
{
	walk->sp = cfa;
	walk->interrupted = FALSE;
	step->next_at = distance(walk, cfa - WORD);
}

static void save_bp(Walk *walk, const OrcRule *rule, gint cfa)
{
	if (!rule->saves_bp)
		return;
	walk->bp_saved = TRUE;
	walk->bp_at = cfa + rule->bp;
}

/* @at: position of the struct pt_regs. */
static void step_to_regs(Walk *walk, gint at, struct kmt_bpf_step *step)
{
	step->flags = KMT_BPF_STEP_REGS | KMT_BPF_STEP_LOAD_BP | KMT_BPF_STEP_TO_WORD;
	step->next_at = distance(walk, at + (gint)offsetof(struct pt_regs, rip));
	step->bp_at = distance(walk, at + (gint)offsetof(struct pt_regs, rbp));
	step->move_at = distance(walk, at + (gint)offsetof(struct pt_regs, rsp));
	step->user_at = distance(walk, at + (gint)offsetof(struct pt_regs, cs));
	walk->bp_saved = FALSE;
	walk->sp = 0;
	walk->interrupted = TRUE;
}

static void step_by_rule(Walk *walk, const OrcRule *rule, struct kmt_bpf_step *step)
{
	gint cfa = rule->cfa; /* relative to the new base */

	if (rule->kind != ORC_SP)
		load_bp(walk, step);
	switch (rule->kind) {
	case ORC_SP:
		cfa += walk->sp;
		break;
	case ORC_BP:
		step->flags |= KMT_BPF_STEP_TO_BP;
		break;
	case ORC_SP_SAVED:
		step->flags |= KMT_BPF_STEP_TO_WORD;
		step->move_at = distance(walk, walk->sp);
		break;
	default: /* ORC_BP_SAVED */
		step->flags |= KMT_BPF_STEP_BY_BP;
		step->move_at = distance(walk, rule->cfa);
		step->outer_bp_at = distance(walk, rule->bp);
		return_below(walk, 0, step);
		return;
	}
	return_below(walk, cfa, step);
	save_bp(walk, rule, cfa);
}

static gboolean find_rule(const Walk *walk, const OrcTables *tables, guint64 addr, OrcRule *rule)
{
	return orc_find(tables, walk->interrupted ? addr : addr - 1, rule);
}

/* Finds the step from @addr to the next address. */
static gboolean step_out(Walk *walk, const OrcTables *tables, guint64 addr,
			 struct kmt_bpf_step *step)
{
	OrcRule rule;

	if (!find_rule(walk, tables, addr, &rule) || rule.kind == ORC_END ||
	    (rule.kind == ORC_BP_SAVED && !rule.saves_bp))
		return FALSE;
	if (rule.kind == ORC_REGS)
		step_to_regs(walk, walk->sp + rule.cfa, step);
	else
		step_by_rule(walk, &rule, step);
	return walk->fits;
}

/* Returns whether the unwinder stops at @addr: always, or if an exception came from user mode. */
static gboolean ends(Walk *walk, const OrcTables *tables, guint64 addr, struct kmt_bpf_step *end)
{
	OrcRule rule;

	if (!find_rule(walk, tables, addr, &rule))
		return FALSE;
	if (rule.kind == ORC_REGS)
		step_to_regs(walk, walk->sp + rule.cfa, end);
	return walk->fits && (rule.kind == ORC_REGS || rule.kind == ORC_END);
}

/* Returns the index of the address in the function that called the program; 0: none. */
static guint find_caller(const OrcTables *tables, const struct kmt_bpf_miss *miss)
{
	OrcRule rule;

	/* Addresses of the program and its functions are in no table. */
	for (guint i = 1; i <= PROGRAM_FRAMES; i++) {
		if (orc_find(tables, miss->addr[i] - 1, &rule))
			return i;
	}
	return 0;
}

/*
 * The context is in the frame of the function that called the program, at a distance that depends
 * on the kernel's compiler. The function's return address is at the end of that frame. It
 * determines the distance if no other word of the frame has its value.
 */
static gboolean find_start(const OrcTables *tables, const struct kmt_bpf_miss *miss, guint caller,
			   gint *at)
{
	guint found = KMT_BPF_WINDOW_WORDS, count = 0;
	OrcRule rule;

	if (!orc_find(tables, miss->addr[caller] - 1, &rule) || rule.kind != ORC_SP ||
	    rule.cfa < WORD || rule.cfa % WORD || rule.cfa / WORD > (gint)KMT_BPF_WINDOW_WORDS)
		return FALSE;
	for (guint i = 0; i < (guint)(rule.cfa / WORD); i++) {
		if (miss->window[i] == miss->addr[caller + 1]) {
			found = i;
			count++;
		}
	}
	*at = (gint)found * WORD - rule.cfa;
	return count == 1;
}

gboolean stack_layout_find(const OrcTables *tables, const struct kmt_bpf_miss *miss,
			   StackLayout *layout)
{
	Walk walk = { .bp_saved = TRUE, .fits = TRUE };
	guint caller = find_caller(tables, miss);
	gint start;

	*layout = (StackLayout){ 0 };
	if (!caller || miss->last <= caller || miss->last >= KMT_BPF_FRAMES_MAX ||
	    !find_start(tables, miss, caller, &start))
		return FALSE;
	layout->count = miss->last - caller + 1;
	layout->words[0].addr = miss->addr[caller];
	layout->words[0].step.next_at = (gint16)start;
	walk.sp = start + WORD;
	/* A program saves bp first, as the unwinder assumes, too. */
	walk.bp_at = start - WORD;
	for (guint i = 1; i < layout->count; i++) {
		StackWord *word = &layout->words[i];

		word->addr = miss->addr[caller + i];
		if (!step_out(&walk, tables, layout->words[i - 1].addr, &word->step))
			return FALSE;
	}
	return !miss->is_all ||
	       ends(&walk, tables, layout->words[layout->count - 1].addr, &layout->end);
}
