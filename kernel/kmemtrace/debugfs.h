/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The read-only views in debugfs.
 */
#ifndef KMEMTRACE_DEBUGFS_H
#define KMEMTRACE_DEBUGFS_H

int kmt_debugfs_init(void);  /* 0 or -errno */
void kmt_debugfs_exit(void); /* waits for users of the views; not under kmt_mutex; idempotent */

#endif /* KMEMTRACE_DEBUGFS_H */
