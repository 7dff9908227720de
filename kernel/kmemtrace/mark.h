/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks: user space names points in time in the stream of events.
 */
#ifndef KMEMTRACE_MARK_H
#define KMEMTRACE_MARK_H

#include <linux/types.h>

/*
 * Writes a mark of @len bytes, 1 to KMEMTRACE_MARK_MAX, none of them zero. Returns 0; -ENOSPC: this
 * CPU's buffer is full; -EBUSY: an event is being written. The caller holds kmt_mutex, and there
 * must be buffers.
 */
int kmt_mark_put(const char *text, size_t len);

/*
 * Writes a mark for each line of @text, from a write() of @count bytes, at most PAGE_SIZE, to the
 * file "mark". Returns the bytes used; -errno if there was no mark: -EINVAL, -E2BIG, -ENODEV while
 * tracing is disabled, or that of kmt_mark_put(). Takes kmt_mutex.
 */
ssize_t kmt_mark_write(const char *text, size_t count);

#endif /* KMEMTRACE_MARK_H */
