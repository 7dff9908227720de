/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls of probed functions that no handler saw, as the kernel counts them for each kprobe. */
#ifndef KMEMTRACE_MISSED_CALLS_H
#define KMEMTRACE_MISSED_CALLS_H

#include "attach.h"

#if KMT_CAN_ATTACH

/*
 * Counts calls that were missed as lost: while records are written; at once when that has ended; or
 * doesn't, for those until now. From any context.
 */
void kmt_missed_report(struct kmt_function_probe *function);
void kmt_missed_report_last(struct kmt_function_probe *function);
void kmt_missed_forget(struct kmt_function_probe *function);

#endif

#endif /* KMEMTRACE_MISSED_CALLS_H */
