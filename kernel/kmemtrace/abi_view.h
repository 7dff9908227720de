/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader needs to know about this kernel: sizes, offsets, and names of constants.
 */
#ifndef KMEMTRACE_ABI_VIEW_H
#define KMEMTRACE_ABI_VIEW_H

struct seq_file;

void kmt_abi_show(struct seq_file *seq);

#endif /* KMEMTRACE_ABI_VIEW_H */
