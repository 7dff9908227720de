/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks: names that user space gives to points of time, in the stream of events.
 */
#ifndef KMEMTRACE_MARK_H
#define KMEMTRACE_MARK_H

#include <linux/types.h>

/*
 * Writes a mark of @len bytes, 1 to KMEMTRACE_MARK_MAX, without a zero among them. -ENOSPC: this
 * CPU's buffer has no room. The caller holds kmt_mutex, and there are buffers.
 */
int kmt_mark_put(const char *text, size_t len);

/*
 * Writes a mark for each line of @text, which is what a write() to the file "mark" has, or the
 * first PAGE_SIZE bytes of it. Returns how many bytes of it were used, or -errno if the first line
 * can't become a mark.
 */
ssize_t kmt_mark_write(const char *text, size_t count);

#endif /* KMEMTRACE_MARK_H */
