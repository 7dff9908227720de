/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of allocations by stack: a prefix tree with the self and total cost of each node. Node
 * 0 is the root; a node's number is higher than its parent's, so one backward pass goes from the
 * leaves to the root. A tree has one kind of memory, since kinds are separate accounts.
 */
#ifndef KMT_ANALYSIS_STACKS_CALLTREE_H
#define KMT_ANALYSIS_STACKS_CALLTREE_H

#include <glib.h>

typedef enum {
	CALL_BYTES,      /* allocated */
	CALL_COUNT,      /* allocations */
	CALL_LIVE_BYTES, /* at the end */
	CALL_LIVE_COUNT,
	CALL_PEAK_BYTES, /* live at the peak of the kind */
	CALL_PEAK_COUNT,
	CALL_WASTE_BYTES, /* allocated */
	CALL_TEMPORARY,   /* allocations freed before the next one of the same thread */
	CALL_BYTE_MS,     /* bytes times their lifetime in milliseconds */
	CALL_LIVED_US,    /* sum of lifetimes in microseconds */
	CALL_METRICS,
} CallMetric;

typedef struct {
	gint64 of[CALL_METRICS];
} CallCost;

/* TRUE if all costs are 0: a stack that allocated nothing in an interval may have others. */
gboolean callcost_is_zero(const CallCost *cost);

/* TRUE if there were allocations, or @metric has a value. */
gboolean callcost_has(const CallCost *cost, CallMetric metric);

typedef struct {
	guint32 parent; /* of node 0: 0 */
	guint32 frame;  /* as added; of node 0: 0 */
	CallCost self;  /* of stacks that end here */
	CallCost total; /* of stacks that contain it */
} CallNode;

typedef struct CallTree CallTree;

CallTree *calltree_new(void);
void calltree_free(CallTree *tree); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CallTree, calltree_free)

/*
 * Adds @cost to the path @frames, from the root on, and returns its last node. A @depth of 0 is the
 * root.
 */
guint32 calltree_add(CallTree *tree, const guint32 *frames, guint depth, const CallCost *cost);

/* Computes the totals, after all were added. */
void calltree_finish(CallTree *tree);

/* Returns the number of nodes, with node 0. */
guint32 calltree_count(const CallTree *tree);

/* Returns node @id of a finished tree. */
const CallNode *calltree_node(const CallTree *tree, guint32 id);

/* Returns the nodes between @id and node 0: 0 for node 0, 1 for its children. */
guint calltree_depth(const CallTree *tree, guint32 id);

/*
 * The self and total cost of each frame; a stack with a repeated frame counts once. By frame, up to
 * the highest one; *@count is that plus one. For g_free().
 */
typedef struct {
	CallCost self, total;
} CallFunction;

CallFunction *calltree_functions(const CallTree *tree, guint32 *count);

#endif
