/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the time at which the live bytes of each kind were highest.
 */
#ifndef KMT_REPORT_LIVE_PEAK_H
#define KMT_REPORT_LIVE_PEAK_H

#include "report/groups/groups.h"
#include "trace/event/kind.h"

typedef struct {
	gint64 time_ns; /* the first time of the peak; -1: nothing of the kind was live */
	gint64 bytes;   /* live then */
} Peak;

/* Finds the maxima of each kind, over all of @groups, exact and unscaled. */
gboolean peak_find(StoreDb *db, const Groups *groups, Peak peaks[TRACE_KINDS], GError **error);

#endif
