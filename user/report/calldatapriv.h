/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What calldata.c reads and calltrees.c makes trees of. Private to those that look at origins.
 */
#ifndef KMT_REPORT_CALLDATAPRIV_H
#define KMT_REPORT_CALLDATAPRIV_H

#include "report/calldata.h"
#include "report/callnames.h"
#include "report/groups.h"

/* Allocations that have all in common but for time, address and thread. */
typedef struct {
	gint64 id;		/* in the database */
	guint kind;
	const char *event;	/* its name */
	gint64 stack, caller;	/* 0: not known */
	gint64 kernel_stack;	/* without its program's */
	gint64 bytes, waste;	/* of one */
	CallCost cost;		/* of all, scaled */
} CallOrigin;

struct CallData {
	CallNames *names;
	GArray *origins;	/* of CallOrigin */
	guint metrics;		/* that are known, as bits */
	gboolean lines;
	gint64 factor;		/* of scale */
	gint64 peak_ns[CALLDATA_KINDS];
	CallCost all[CALLDATA_KINDS];
};

/*
 * Groups whose numbers are those of our origins. *@groups is for groups_clear(), also after an
 * error.
 */
gboolean calldata_groups(const CallData *data, StoreDb *db, Groups *groups, GError **error);

/* As calldata_tree(). @leaves: by origin its node, G_MAXUINT32 for those that are not in it. */
CallTree *calldata_tree_leaves(const CallData *data, guint kind, const CallView *view,
			       guint32 *leaves);

#endif
