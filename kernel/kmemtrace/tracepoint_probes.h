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
void kmt_tracepoint_probes_unregister(void); /* they may run for some time */
int kmt_tracepoint_probes_follow(void);      /* calls kmt_filter_newtask() for each new thread */
void kmt_tracepoint_probes_unfollow(void);   /* as kmt_tracepoint_probes_unregister() */

/*
 * Wait until all probes that were unregistered have ended: before any is registered again, for some
 * seconds, and before the code is freed. Returns 0; -EBUSY: some still run; -EINTR: killed.
 */
int kmt_tracepoint_probes_wait(void);
void kmt_tracepoint_probes_exit(void);
void kmt_tracepoint_probes_show(struct seq_file *seq); /* lines of the view "paths" */

#endif /* KMEMTRACE_TRACEPOINT_PROBES_H */
