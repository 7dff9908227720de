/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels, and the only file that tests for them. Each test names the release
 * that changed.
 */
#ifndef KMEMTRACE_COMPAT_H
#define KMEMTRACE_COMPAT_H

#include <linux/version.h>

/* 6.17 dropped the last argument of subbuf_start(), the padding of the sub-buffer before. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define KMT_SUBBUF_START_ARGS	struct rchan_buf *buf, void *subbuf, void *prev_subbuf
#else
#define KMT_SUBBUF_START_ARGS	struct rchan_buf *buf, void *subbuf, void *prev_subbuf, \
				size_t prev_padding
#endif

/* LoongArch has an ORC unwinder as well, from 6.9 on, which nobody has tried this with. */
#if defined(CONFIG_X86_64) && defined(CONFIG_UNWINDER_ORC)
#define KMT_CAN_WALK
#endif

/*
 * 6.6 has kvfree_call_rcu() take the object; before it was the head's place in it, or without a
 * head the object.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define KMT_KVFREE_RCU_PTR(head, second)	((void *)(second))
#else
#define KMT_KVFREE_RCU_PTR(head, second)	((void *)((head) ? (head) - (second) : (second)))
#endif

/* 6.4 split a module's memory by what it holds. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KMT_MODULE_TEXT(module)		((module)->mem[MOD_TEXT])
#define KMT_MODULE_INIT_TEXT(module)	((module)->mem[MOD_INIT_TEXT])
#else
#define KMT_MODULE_TEXT(module)		((module)->core_layout)
#define KMT_MODULE_INIT_TEXT(module)	((module)->init_layout)
#endif

#endif /* KMEMTRACE_COMPAT_H */
