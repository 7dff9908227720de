/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks: points of time that somebody has given a name, in the stream with all else.
 */
#ifndef KMEMTRACE_MARK_H
#define KMEMTRACE_MARK_H

#include <linux/types.h>

struct dentry;

/*
 * Writes a mark of @len bytes, 1 to KMEMTRACE_MARK_MAX, without a zero among them. -ENOSPC: this
 * CPU's buffer has no room. The caller holds kmt_mutex, and there are buffers.
 */
int kmt_mark_put(const char *text, size_t len);

void kmt_mark_create(struct dentry *dir);	/* the file "mark" */

#endif /* KMEMTRACE_MARK_H */
