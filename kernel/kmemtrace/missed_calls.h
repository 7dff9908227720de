/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts calls of probed functions that no handler saw, from the counters that the kernel has for
 * each kprobe.
 */
#ifndef KMEMTRACE_MISSED_CALLS_H
#define KMEMTRACE_MISSED_CALLS_H

#include "attach.h"

#if KMT_CAN_ATTACH

/*
 * Count missed calls as lost: kmt_missed_report() only while records are written,
 * kmt_missed_report_last() right after that. kmt_missed_forget() ignores the calls missed so far.
 * From any context.
 */
void kmt_missed_report(struct kmt_function_probe *function);
void kmt_missed_report_last(struct kmt_function_probe *function);
void kmt_missed_forget(struct kmt_function_probe *function);

#endif

#endif /* KMEMTRACE_MISSED_CALLS_H */
