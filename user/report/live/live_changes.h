/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every change of live memory, in time order, with bounded memory: time is divided into pieces
 * with so few changes that they can be sorted, and each piece takes one scan of all lifetimes.
 */
#ifndef KMT_REPORT_LIVE_LIVE_CHANGES_H
#define KMT_REPORT_LIVE_LIVE_CHANGES_H

#include "report/groups/groups.h"

/* Live from then on, or not any more, at one time. */
typedef struct {
	gint64 time_ns;
	gint64 bytes;
	guint32 group;
	gint32 count; /* 1, −1, or 0: a part of it was freed */
} LiveChange;

/* All changes of one time, those of a group together. */
typedef void (*LiveChangesFunc)(gpointer data, const LiveChange *changes, guint count);

/*
 * @groups without tasks. What is live at the end of the trace has no end; what was partly freed
 * ends with the trace, and so does memory being freed.
 */
gboolean live_changes(StoreDb *db, const Groups *groups, LiveChangesFunc func, gpointer data,
		      GError **error);

#endif
