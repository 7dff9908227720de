/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of functions that have no tracepoint, by probes on their calls.
 */
#ifndef KMEMTRACE_FUNCTION_PROBES_H
#define KMEMTRACE_FUNCTION_PROBES_H

#include "function_size.h"

struct seq_file;

/*
 * Attaches the probes of the groups in kmt_config.events. Functions that can't be probed are noted
 * as unseen, which is not an error. Functions that free come first, so that while records are
 * written, their calls are seen before those of functions that allocate. Under kmt_mutex, as all
 * below unless noted otherwise; may sleep.
 */
void kmt_function_probes_register(void);

/*
 * The same after early boot, while records are written already. The view "paths" says until when
 * functions were not probed, up to kmt_function_probes_forget_late() at the end of the session.
 */
void kmt_function_probes_register_late(void);
void kmt_function_probes_forget_late(void);
void kmt_function_probes_check(void);      /* notes functions no longer seen; while enabled */
void kmt_function_probes_unregister(void); /* returns when no handler runs any more */

/*
 * Calls that no handler saw: the first function ignores those so far, the second counts those since
 * then as lost.
 */
void kmt_function_probes_forget_missed(void);        /* before writing begins */
void kmt_function_probes_report_missed(void);        /* when writing ends; from any context */
void kmt_function_probes_show(struct seq_file *seq); /* lines of the view "paths" */

/* The function whose pages are recorded together when it returns. */
extern struct kmt_code kmt_bulk_pages_code;

/* Returns whether a caller is in that function. */
static __always_inline bool kmt_in_bulk_pages(unsigned long call_site)
{
	return kmt_code_has(&kmt_bulk_pages_code, call_site);
}

#endif /* KMEMTRACE_FUNCTION_PROBES_H */
