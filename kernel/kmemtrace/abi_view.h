/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sizes, offsets and names of constants, for readers of the trace.
 */
#ifndef KMEMTRACE_ABI_VIEW_H
#define KMEMTRACE_ABI_VIEW_H

struct seq_file;

/* Writes the view "abi". Takes kmt_mutex. */
void kmt_abi_show(struct seq_file *seq);

#endif /* KMEMTRACE_ABI_VIEW_H */
