/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Truncated stacks: the tracer keeps a limited number of return addresses, and the outer frames of
 * deeper stacks are missing. In a tree all such stacks are below TRACE_STACK_CUT_NAME.
 *
 * Older tracers do not mark the stacks that they truncated. In their traces such a stack is a root
 * of its own; a stack counts as truncated if it has as many frames as the deepest one and its
 * outermost function is not an entry into the kernel. A frame without a name cannot be judged and
 * does not count.
 */
#ifndef KMT_REPORT_CALLTREE_TRUNCATED_H
#define KMT_REPORT_CALLTREE_TRUNCATED_H

#include "report/calltree/costs.h"
#include "trace/event/kind.h"

typedef struct {
	guint depth; /* frames of the deepest stack, without the user stack; 0: none */
	CallCost kinds[TRACE_KINDS]; /* cost of cut stacks */
} Truncated;

/* @cut: in the same units as call_costs_all(), for shares. */
void truncated_find(const CallCosts *data, Truncated *cut);

/*
 * Returns "Stacks: CUT at 16 frames for 54% of slab…", without a newline, for @kind (below 0: all)
 * in @metric, or in all available metrics (CALL_METRICS: the largest share of any). NULL if it is
 * at most one percent of each. For g_free().
 */
char *truncated_describe(const CallCosts *data, const Truncated *cut, int kind, guint metric);

#endif
