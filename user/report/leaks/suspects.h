/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups that may leak: reads the figures by which leak_judge() judges each, and judges.
 *
 * It takes no more scans than the tables of leaks do. What is live is read once for both. By that
 * and a sample of all allocations (how long the freed ones lived, and when the load was) most
 * groups are no suspects. The scan of the growth curves then reads what suspects freed, by which
 * they are judged anew.
 */
#ifndef KMT_REPORT_LEAKS_SUSPECTS_H
#define KMT_REPORT_LEAKS_SUSPECTS_H

#include "report/leaks/suspect.h"

/*
 * Calls live_groups_read_live(), and judges all groups by that and the sample: sets their verdict.
 * *@suspects is for suspects_clear(), also after an error.
 */
gboolean suspects_read(Suspects *suspects, const Printer *printer, LiveGroups *live,
		       gint64 older_ns, GError **error);
void suspects_clear(Suspects *suspects);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Suspects, suspects_clear)

/*
 * Calls live_groups_read_curves() for the whole trace, and judges the suspects from LEAK_POSSIBLE
 * on by all that they freed. Suspects are wanted, in addition to groups that already are.
 */
gboolean suspects_judge(Suspects *suspects, GError **error);

/*
 * Suspects from LEAK_POSSIBLE on, by verdict, confidence and bytes, the worst first. Of Suspect *,
 * owned by @suspects.
 */
GPtrArray *suspects_sorted(const Suspects *suspects);

#endif
