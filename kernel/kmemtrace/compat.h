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

#endif /* KMEMTRACE_COMPAT_H */
