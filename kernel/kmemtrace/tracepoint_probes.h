/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of tracepoints.
 */
#ifndef KMEMTRACE_TRACEPOINT_PROBES_H
#define KMEMTRACE_TRACEPOINT_PROBES_H

struct seq_file;

int kmt_tracepoint_probes_init(void); /* finds them: 0; -ENOENT: a required one is missing */

/*
 * Registers those of the groups in kmt_config.events, and returns 0; or -errno, and none is
 * registered. Under kmt_mutex; may sleep.
 */
int kmt_tracepoint_probes_register(void);
void kmt_tracepoint_probes_unregister(void); /* returns when no probe runs any more */
int kmt_tracepoint_probes_follow(void);      /* calls kmt_filter_newtask() for each new thread */
void kmt_tracepoint_probes_unfollow(void);
void kmt_tracepoint_probes_show(struct seq_file *seq); /* lines of the view "paths" */

#endif /* KMEMTRACE_TRACEPOINT_PROBES_H */
