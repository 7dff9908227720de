/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between architectures. Larger ones have files of their own: stacks are in walk_orc.c
 * and walk_records.c, entries of functions in entries_ftrace.c and entries_kprobes.c, the clock in
 * clock.c.
 */
#ifndef KMEMTRACE_ARCH_H
#define KMEMTRACE_ARCH_H

#include <linux/bits.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/thread_info.h>
#include <linux/types.h>

/*
 * x86-64: functions have no frame records. ORC locates return addresses; without it, every stack
 * would have to be unwound. Addresses of code are sign-extended from 32 bits.
 */
#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
#define KMT_HAS_ORC 1
#define KMT_HAS_TSC 1
/*
 * arm64: each function that calls another one pushes a frame record. Return addresses may be
 * signed: addresses of code have all upper bits set, and a signature is in these.
 */
#elif defined(CONFIG_ARM64)
#define KMT_HAS_ORC   0
#define KMT_HAS_TSC   0
#define KMT_CODE_BITS GENMASK(63, VA_BITS_MIN - 1) /* set in addresses of code */
#else
#error "kmemtrace needs an x86-64 kernel with CONFIG_UNWINDER_ORC, or an arm64 kernel"
#endif

/* Returns the address of code in @word, a return address on a stack. */
static __always_inline unsigned long kmt_code_addr(unsigned long word)
{
#ifdef CONFIG_X86_64
	return word;
#else
	return word | KMT_CODE_BITS;
#endif
}

/* Returns the number of the system call that the current thread is in, or was. */
static __always_inline unsigned long kmt_system_call(void)
{
#ifdef CONFIG_X86_64
	return task_pt_regs(current)->orig_ax;
#else
	return task_pt_regs(current)->syscallno;
#endif
}

/* Returns the frame pointer in @regs, kernel's or user's. */
static __always_inline unsigned long kmt_frame_pointer(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->bp;
#else
	return regs->regs[29];
#endif
}

/* Returns argument @n, 0 to 5, of the function that begins with @regs. */
static __always_inline unsigned long kmt_arg(const struct pt_regs *regs, unsigned int n)
{
	return regs_get_kernel_argument((struct pt_regs *)regs, n);
}

/* Returns whether a thread with the user registers @regs runs code with 32-bit frames. */
static __always_inline bool kmt_user_is_compat(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs->cs != __USER_CS || test_thread_flag(TIF_ADDR32);
#else
	return compat_user_mode(regs);
#endif
}

#endif /* KMEMTRACE_ARCH_H */
