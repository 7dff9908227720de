// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks the user stack of the current thread by frame pointers. Only pages in memory are read.
 *
 * A program without frame pointers uses bp for other values, which usually do not point to the
 * stack, and the walk ends. The innermost function, if it is a system call wrapper of the C
 * library, has no frame. So the word at the top of the stack, or the link register on arm64, is
 * recorded if it may be its return address; the mapped file shows whether it is.
 */
#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>

#include "cpu.h"
#include "kmemtrace.h"
#include "record_size.h"
#include "stack.h"
#include "user_stack.h"

#if KMT_HAS_USER_STACKS

/*
 * Returns whether the thread's user registers can be walked. Kernel threads have none. Kernel
 * threads of a process, such as io_uring's, have a copy with an ip of 0. During execve(), until the
 * code of the new program is mapped, the registers are those of the old one. 32-bit programs have
 * different frames.
 */
static bool kmt_user_has_stack(struct pt_regs *regs)
{
	const struct mm_struct *mm = current->mm;

	return mm && READ_ONCE(mm->start_code) && !(current->flags & PF_KTHREAD) &&
	       instruction_pointer(regs) && !kmt_user_is_compat(regs);
}

#ifdef CONFIG_X86_64

/* Returns whether the instruction before @ip may be a direct or indirect call. */
static bool kmt_user_is_behind_call(unsigned long ip)
{
	unsigned int i;
	u8 code[8];

	if (ip < sizeof(code) || ip >= TASK_SIZE_MAX ||
	    copy_from_user_nofault(code, (const void __user *)(ip - sizeof(code)), sizeof(code)))
		return false;
	if (code[sizeof(code) - 5] == 0xe8)
		return true;
	for (i = 1; i < sizeof(code) - 1; i++) {
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

/* Returns the possible return address of a function without a frame, or 0. */
static unsigned long kmt_user_top(struct pt_regs *regs)
{
	unsigned long top;

	if (copy_from_user_nofault(&top, (const void __user *)regs->sp, sizeof(top)))
		return 0;
	return kmt_user_is_behind_call(top) ? top : 0;
}

static unsigned long kmt_user_addr(unsigned long word)
{
	return word;
}

#else

/*
 * A return address may be signed, in the bits above those of addresses on this machine, which may
 * have fewer than the kernel is built for. An address of the kernel is no return address.
 */
static unsigned long kmt_user_addr(unsigned long word)
{
	return word & BIT(55) ? 0 : word & (TASK_SIZE_64 - 1);
}

/* The same, if the instruction before is bl or blr. */
static unsigned long kmt_user_top(struct pt_regs *regs)
{
	unsigned long top = kmt_user_addr(regs->regs[30]);
	u32 code;

	if (top < sizeof(code) || !IS_ALIGNED(top, sizeof(code)) ||
	    copy_from_user_nofault(&code, (const void __user *)(top - sizeof(code)), sizeof(code)))
		return 0;
	return code >> 26 == 0x25 || (code & 0xfefff000) == 0xd63f0000 ? top : 0;
}

#endif

/*
 * Writes at most @max addresses to @addr, and returns how many. The second one may be 0: the
 * innermost function has a frame. Each frame must be above the previous one.
 */
static unsigned int kmt_user_walk(struct pt_regs *regs, unsigned long *addr, unsigned int max)
{
	struct {
		unsigned long bp, ip;
	} frame;
	unsigned long bp = kmt_frame_pointer(regs), above = user_stack_pointer(regs);
	unsigned int count = 0;

	addr[count++] = instruction_pointer(regs);
	if (count < max)
		addr[count++] = kmt_user_top(regs);
	while (count < max && bp >= above && IS_ALIGNED(bp, sizeof(long))) {
		if (copy_from_user_nofault(&frame, (const void __user *)bp, sizeof(frame)) ||
		    !kmt_user_addr(frame.ip) || kmt_user_addr(frame.ip) >= TASK_SIZE_MAX)
			break;
		addr[count++] = kmt_user_addr(frame.ip);
		above = bp + sizeof(frame);
		bp = frame.bp;
	}
	return count;
}

static u32 kmt_user_stack(struct kmt_cpu *cpu)
{
	struct pt_regs *regs = task_pt_regs(current);
	unsigned int depth = kmt_config.stack_depth, count;
	bool cut;

	if (!depth || !kmt_user_has_stack(regs))
		return KMEMTRACE_STACK_NONE;
	/* With a depth of 1, an empty second address does not count. */
	count = kmt_user_walk(regs, cpu->addrs, max(depth, 2U) + 1);
	cut = count > depth && (depth > 1 || count > 2 || cpu->addrs[1]);
	return kmt_stack_intern_user(cpu->addrs, min(count, depth), cut);
}

#else

static u32 kmt_user_stack(struct kmt_cpu *cpu)
{
	return KMEMTRACE_STACK_NONE;
}

#endif

noinline void kmt_user_note(struct kmt_cpu *cpu, struct kmemtrace_record *record, bool take)
{
	struct kmemtrace_record_user *whole = kmt_record_user(record);

	whole->tgid = current->tgid;
	whole->user_stack_id = take ? kmt_user_stack(cpu) : KMEMTRACE_STACK_NONE;
}
