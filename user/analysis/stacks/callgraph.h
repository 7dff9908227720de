/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Converts a call tree to a graph of callers, callees and costs. A call that occurs several times
 * in a stack, by recursion, counts once, so an edge never exceeds its callee.
 */
#ifndef KMT_ANALYSIS_STACKS_CALLGRAPH_H
#define KMT_ANALYSIS_STACKS_CALLGRAPH_H

#include "analysis/stacks/calltree.h"

typedef struct {
	guint32 from, to; /* frames: caller and callee */
	gboolean by_way;  /* indirect: only hidden frames lie between */
	gint64 amount;    /* cost of the stacks that contain it */
} CallEdge;

/*
 * Returns the edges of a finished tree, the largest first; of CallEdge, for g_array_unref().
 * @shown: by frame, whether it is in the graph; NULL: all. @callers: the tree is bottom-up:
 * children are callers.
 */
GArray *callgraph_edges(const CallTree *tree, CallMetric metric, const gboolean *shown,
			gboolean callers);

#endif
