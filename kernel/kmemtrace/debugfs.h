/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The read-only views in debugfs.
 */
#ifndef KMEMTRACE_DEBUGFS_H
#define KMEMTRACE_DEBUGFS_H

int kmt_debugfs_init(void);
void kmt_debugfs_exit(void);

#endif /* KMEMTRACE_DEBUGFS_H */
