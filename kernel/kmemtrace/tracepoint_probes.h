/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of tracepoints.
 */
#ifndef KMEMTRACE_TRACEPOINT_PROBES_H
#define KMEMTRACE_TRACEPOINT_PROBES_H

struct seq_file;

/* Which groups there are is decided by kmt_config.events. */
int kmt_tracepoint_probes_init(void); /* finds them; -ENOENT: a needed one is missing */
int kmt_tracepoint_probes_register(void);
void kmt_tracepoint_probes_unregister(void); /* returns when no probe runs any more */
void kmt_tracepoint_probes_show(struct seq_file *seq);

#endif /* KMEMTRACE_TRACEPOINT_PROBES_H */
