/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report of one screen: whether the trace is complete, totals by kind, live memory, suspected
 * leaks, and commands for details.
 */
#ifndef KMT_REPORT_SUMMARY_OVERVIEW_H
#define KMT_REPORT_SUMMARY_OVERVIEW_H

#include "report/summary/report.h"

/* Ignores options of tables. *@incomplete: as of report_print(). */
gboolean overview_print(StoreDb *db, const ReportOptions *options, FILE *out, gboolean *incomplete,
			GError **error);

#endif
