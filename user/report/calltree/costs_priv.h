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

/* Allocations that differ only in time, address and thread. */
typedef struct {
	gint64 id; /* in the database */
	guint kind;
	const char *event;    /* its name */
	gint64 stack, caller; /* 0: unknown */
	gint64 kernel_stack;  /* without the user stack */
	gint64 bytes, waste;  /* of one allocation */
	CallCost cost;        /* of all allocations, scaled */
} CallOrigin;

struct CallCosts {
	CallFrames *names;
	GArray *origins; /* of CallOrigin */
	guint metrics;   /* available ones, as bits */
	guint too_large; /* those whose sum exceeds 64 bits, as bits */
	const char *temporaries_note;
	gboolean lines;
	gint64 factor; /* of scale */
	gint64 to_ns;  /* end of the interval; below 0: that of the trace */
	gint64 peak_ns[TRACE_KINDS];
	CallCost all[TRACE_KINDS];
};

/* Groups with the numbers of our origins. *@groups is for groups_clear(), also after an error. */
gboolean call_costs_groups(const CallCosts *data, StoreDb *db, Groups *groups, GError **error);

/*
 * As call_costs_tree(). @leaves: by origin its node, G_MAXUINT32 for those that are not included.
 */
CallTree *call_costs_tree_leaves(const CallCosts *data, guint kind, const CallView *view,
				 guint32 *leaves);

#endif
