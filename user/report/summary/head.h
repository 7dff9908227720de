/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The head of a report: the trace, and whether it is complete.
 */
#ifndef KMT_REPORT_SUMMARY_HEAD_H
#define KMT_REPORT_SUMMARY_HEAD_H

#include "report/print/completeness.h"
#include "report/summary/report.h"

typedef struct {
	char *release, *machine, *source, *command;
	gint64 cpus, events, span_ns;
	gint64 lost_details, lost_names, backward;
	gint64 tick_ns, ticks_until_ns; /* both 0: the clock was not tick-based */
	Completeness completeness;
} Head;

void head_clear(Head *head);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Head, head_clear)

/* @head is for head_clear(), also after an error: a database may have no trace. */
gboolean head_read(Head *head, StoreDb *db, GError **error);

/* Uses name and interval of @options. @memory: print the tracer's memory, too. */
gboolean head_print(const Head *head, StoreDb *db, const ReportOptions *options, gboolean memory,
		    FILE *out, GError **error);

#endif
