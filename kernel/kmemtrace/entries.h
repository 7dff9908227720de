/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reports entries of functions to their handlers: by ftrace (entries_ftrace.c), or on arm64 by
 * kprobes (entries_kprobes.c).
 */
#ifndef KMEMTRACE_ENTRIES_H
#define KMEMTRACE_ENTRIES_H

#include "attach.h"

#if KMT_CAN_ATTACH

/*
 * Reports the entries of the wanted @functions that have an enter handler, until
 * kmt_entries_detach(). Returns 0, or -errno if none is reported. -EBUSY: ftrace is off. All under
 * kmt_mutex, except kmt_entries_exit(); may sleep.
 */
int kmt_entries_attach(struct kmt_function_probe *functions, unsigned int count);
void kmt_entries_detach(void); /* returns when no handler runs; does nothing if none is reported */

/* The same for at most KMT_OTHERS_MAX more functions, all with enter handlers. */
int kmt_entries_attach_others(struct kmt_function_probe *functions, unsigned int count);
void kmt_entries_detach_others(void);

/*
 * Returns whether the file that switches kprobes off and on was written since kmt_entries_attach().
 */
bool kmt_entries_saw_switch(void);

bool kmt_entries_died(void); /* ftrace has shut itself down, until the next boot */
void kmt_entries_exit(void); /* before the module is unloaded; may wait very long */

#endif

#endif /* KMEMTRACE_ENTRIES_H */
