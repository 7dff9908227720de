/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which modules were loaded, and when. So an address in the trace is not taken for the same
 * address in a later module, and cached facts about code are dropped together with the code.
 */
#ifndef KMEMTRACE_MODULES_H
#define KMEMTRACE_MODULES_H

#include <linux/types.h>

struct seq_file;

/* @forget: drops everything learned about this code, which is removed, or replaces other code. */
int kmt_modules_init(void (*forget)(unsigned long start, unsigned long size));
void kmt_modules_exit(void);
void kmt_modules_reset(void); /* forgets unloaded ones */
u64 kmt_modules_bytes(void);  /* memory held */
void kmt_modules_show(struct seq_file *seq);
void kmt_modules_show_functions(struct seq_file *seq); /* of unloaded code */

/*
 * True for code of the kernel itself, and of a loaded module; false for code generated and freed at
 * run time, such as trampolines and BPF programs.
 */
bool kmt_is_lasting_code(unsigned long ip);

#endif /* KMEMTRACE_MODULES_H */
