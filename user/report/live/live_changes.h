/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every change of live memory, in time order, with bounded memory: time is divided into parts with
 * so few changes that they can be sorted, and each part takes one scan of all lifetimes.
 */
#ifndef KMT_REPORT_LIVE_LIVE_CHANGES_H
#define KMT_REPORT_LIVE_LIVE_CHANGES_H

#include "report/groups/live_interval.h"

/* Called with all changes at one time; changes of a group are adjacent. */
typedef void (*LiveChangesFunc)(gpointer data, const LiveChange *changes, guint count);

/* Calls @func for each time. @groups must be without tasks. */
gboolean live_changes(StoreDb *db, const Groups *groups, LiveChangesFunc func, gpointer data,
		      GError **error);

#endif
