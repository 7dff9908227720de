/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data that costs.c reads and build.c turns into trees. Private to files that look at origins.
 */
#ifndef KMT_REPORT_CALLTREE_COSTS_PRIV_H
#define KMT_REPORT_CALLTREE_COSTS_PRIV_H

#include "report/calltree/costs.h"
#include "report/calltree/frames.h"
#include "report/groups/groups.h"
#include "trace/event/kind.h"

/* Allocations that have all in common but for time, address and thread. */
typedef struct {
	gint64 id; /* in the database */
	guint kind;
	const char *event;    /* its name */
	gint64 stack, caller; /* 0: not known */
	gint64 kernel_stack;  /* without its program's */
	gint64 bytes, waste;  /* of one */
	CallCost cost;        /* of all, scaled */
} CallOrigin;

struct CallCosts {
	CallFrames *names;
	GArray *origins; /* of CallOrigin */
	guint metrics;   /* that are known, as bits */
	gboolean lines;
	gint64 factor; /* of scale */
	gint64 peak_ns[TRACE_KINDS];
	CallCost all[TRACE_KINDS];
};

/*
 * Groups whose numbers are those of our origins. *@groups is for groups_clear(), also after an
 * error.
 */
gboolean call_costs_groups(const CallCosts *data, StoreDb *db, Groups *groups, GError **error);

/* As call_costs_tree(). @leaves: by origin its node, G_MAXUINT32 for those that are not in it. */
CallTree *call_costs_tree_leaves(const CallCosts *data, guint kind, const CallView *view,
				 guint32 *leaves);

#endif
