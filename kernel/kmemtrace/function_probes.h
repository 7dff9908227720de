/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of functions that have no tracepoint, by probes on their calls.
 */
#ifndef KMEMTRACE_FUNCTION_PROBES_H
#define KMEMTRACE_FUNCTION_PROBES_H

#include "function_size.h"

struct pt_regs;
struct seq_file;

/*
 * Functions that can't be probed are noted, which is not an error. Functions that free are
 * registered first: a tracer that already writes sees them before those that allocate.
 */
void kmt_function_probes_register(void);
void kmt_function_probes_register_late(
	void); /* paths have the time until which they weren't probed, */
void kmt_function_probes_forget_late(void); /* until then, that is until the trace is dropped */
void kmt_function_probes_check(
	void); /* notes what is heard no more; while enabled, under kmt_mutex */
void kmt_function_probes_unregister(void); /* returns when no handler runs any more */
void kmt_function_probes_forget_missed(
	void); /* calls that no handler saw until now: before writing */
void kmt_function_probes_report_missed(void); /* counts those since then, when writing ends */
void kmt_function_probes_show(struct seq_file *seq);
void kmt_enter_free_bulk(struct pt_regs *regs); /* for tests, as ftrace calls it */

/* The function whose pages are recorded all at once when it returns. */
extern struct kmt_code kmt_bulk_pages_code;

/* True for a caller in that function. */
static __always_inline bool kmt_in_bulk_pages(unsigned long call_site)
{
	return kmt_code_has(&kmt_bulk_pages_code, call_site);
}

#endif /* KMEMTRACE_FUNCTION_PROBES_H */
