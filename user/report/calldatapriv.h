/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calldata.c reads and calltrees.c makes trees of. Private to the two.
 */
#ifndef KMT_REPORT_CALLDATAPRIV_H
#define KMT_REPORT_CALLDATAPRIV_H

#include "report/calldata.h"
#include "report/callnames.h"

/* Allocations that have all in common but for time, address and thread. */
typedef struct {
	gint64 id;		/* in the database */
	guint kind;
	const char *event;	/* its name */
	gint64 stack, caller;	/* 0: not known */
	gint64 bytes, waste;	/* of one */
	CallCost cost;		/* of all, scaled */
} CallOrigin;

struct CallData {
	CallNames *names;
	GArray *origins;	/* of CallOrigin */
	guint metrics;		/* that are known, as bits */
	gint64 factor;		/* of scale */
	gint64 peak_ns[CALLDATA_KINDS];
	CallCost all[CALLDATA_KINDS];
};

#endif
