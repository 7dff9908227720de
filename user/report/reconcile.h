/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the trace saw, compared with what the kernel's own accounts changed by from the start of the
 * recording to its end: how much of it is explained, and what can't be.
 */
#ifndef KMT_REPORT_RECONCILE_H
#define KMT_REPORT_RECONCILE_H

#include <stdio.h>

#include "store/store.h"

typedef struct {
	const char *name;	/* of the trace, for its first line and for errors */
	int limit;		/* caches that are listed */
	gboolean json;
} ReconcileOptions;

/*
 * *@incomplete: events were lost, or the trace was cut. That the trace has no meminfo of both ends
 * is an error, and nothing is printed then.
 */
gboolean reconcile_print(StoreDb *db, const ReconcileOptions *options, FILE *out,
			 gboolean *incomplete, GError **error);

#endif
