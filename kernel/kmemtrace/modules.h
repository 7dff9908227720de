/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records which modules were loaded, and when. So an address in the trace is not mistaken for the
 * same address in a later module, and cached data about code is dropped with the code.
 */
#ifndef KMEMTRACE_MODULES_H
#define KMEMTRACE_MODULES_H

#include <linux/types.h>

struct seq_file;

/*
 * Registers the notifier. It calls @forget under kmt_mutex for code that was removed or loaded;
 * @forget must drop all cached data about that range. Returns 0 or -errno. Not under kmt_mutex.
 */
int kmt_modules_init(void (*forget)(unsigned long start, unsigned long size));
void kmt_modules_exit(void);  /* not under kmt_mutex */
void kmt_modules_reset(void); /* forgets unloaded modules; no probe may run */
u64 kmt_modules_bytes(void);  /* memory held */

/* The views "modules" and "module_functions", the latter of unloaded code. May sleep. */
void kmt_modules_show(struct seq_file *seq);
void kmt_modules_show_functions(struct seq_file *seq);
void kmt_modules_show_path(struct seq_file *seq); /* the line of "paths", if some were not kept */

/*
 * Returns whether @ip is in the kernel or a loaded module, but not in code that is generated and
 * freed at run time, such as trampolines and BPF programs. Lock-free, from any context.
 */
bool kmt_is_lasting_code(unsigned long ip);

#endif /* KMEMTRACE_MODULES_H */
