/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The groups that may leak: reads the figures for leak_judge(), and judges each group.
 *
 * It needs no more scans than the tables of leaks. Live allocations are read once for both. They
 * and a sample of all allocations (lifetimes of freed ones, and the load over time) show that most
 * groups are not suspects. The scan of the growth curves then reads what suspects freed, and they
 * are judged again by that.
 */
#ifndef KMT_REPORT_LEAKS_SUSPECTS_H
#define KMT_REPORT_LEAKS_SUSPECTS_H

#include "report/leaks/suspect.h"

/*
 * Calls live_groups_read_live(), and judges all groups by its data and the sample: sets their
 * verdict. *@suspects is for suspects_clear(), also after an error.
 */
gboolean suspects_read(Suspects *suspects, const Printer *printer, LiveGroups *live,
		       gint64 older_ns, GError **error);
void suspects_clear(Suspects *suspects);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Suspects, suspects_clear)

/*
 * Calls live_groups_read_curves() for the whole trace, and judges the suspects from LEAK_POSSIBLE
 * on by everything that the selection freed. Marks suspects as wanted, in addition to groups that
 * already are.
 */
gboolean suspects_judge(Suspects *suspects, GError **error);

/*
 * The same. If filters leave out allocations, also looks in the whole trace for reclaimable memory
 * that likely leaks follow or come with. In suspects_whole.c.
 */
gboolean suspects_judge_whole(Suspects *suspects, GError **error);

/*
 * Returns suspects from LEAK_POSSIBLE on, by verdict, confidence and bytes, the worst first. Of
 * Suspect *, owned by @suspects.
 */
GPtrArray *suspects_sorted(const Suspects *suspects);

#endif
