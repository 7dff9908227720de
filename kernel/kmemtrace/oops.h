/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * While buffers overwrite what is oldest, an oops or a panic stops the writing: the last seconds
 * before it stay as they are, to be extracted, or found in a crash dump.
 */
#ifndef KMEMTRACE_OOPS_H
#define KMEMTRACE_OOPS_H

int kmt_oops_init(void);
void kmt_oops_exit(void);

#endif /* KMEMTRACE_OOPS_H */
