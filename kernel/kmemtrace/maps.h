/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records the executable mappings of processes as they change: without them, the addresses of user
 * stacks mean nothing. Only while user stacks are enabled.
 */
#ifndef KMEMTRACE_MAPS_H
#define KMEMTRACE_MAPS_H

#include <linux/types.h>

struct seq_file;
struct task_struct;

/* All under kmt_mutex, except kmt_maps_fork() and kmt_maps_report_missed(). */
void kmt_maps_reset(void);   /* for new buffers */
int kmt_maps_register(void); /* -EOPNOTSUPP; comes after kmt_function_probes_register() */
void kmt_maps_set_recording(bool on);
void kmt_maps_end_pause(void);                 /* once records can be written */
void kmt_maps_check(void);                     /* notes functions no longer seen; while enabled */
void kmt_maps_unregister(void);                /* returns when no handler runs any more */
void kmt_maps_show_path(struct seq_file *seq); /* a line, if user stacks are wanted */
void kmt_mms_show(struct seq_file *seq);       /* the view "mms" */

void kmt_maps_report_missed(void); /* counts calls that no handler saw, when writing ends */

/* The current process created @task, also a process; @shared: they have the same memory. */
void kmt_maps_fork(const struct task_struct *task, bool shared);

#endif /* KMEMTRACE_MAPS_H */
