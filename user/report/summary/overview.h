/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report of one screen: whether the trace is complete, totals by kind, what is live, what may
 * leak, and the commands that tell more.
 */
#ifndef KMT_REPORT_SUMMARY_OVERVIEW_H
#define KMT_REPORT_SUMMARY_OVERVIEW_H

#include "report/summary/report.h"

/* Options that are for tables only are not used. *@incomplete: as of report_print(). */
gboolean overview_print(StoreDb *db, const ReportOptions *options, FILE *out, gboolean *incomplete,
			GError **error);

#endif
