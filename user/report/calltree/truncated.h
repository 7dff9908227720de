/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Truncated stacks: the tracer keeps a limited number of return addresses, and the outer frames of
 * deeper stacks are missing. In a tree all such stacks are below TRACE_STACK_CUT_NAME.
 *
 * Older tracers do not say which stacks they truncated. In their traces such a stack is a root of
 * its own; a stack counts as truncated if it has as many frames as the deepest one and its
 * outermost function is no entry into the kernel. A frame without a name cannot be judged and does
 * not count.
 */
#ifndef KMT_REPORT_CALLTREE_TRUNCATED_H
#define KMT_REPORT_CALLTREE_TRUNCATED_H

#include "report/calltree/costs.h"
#include "trace/event/kind.h"

typedef struct {
	guint depth; /* frames of the deepest stack, without a program's; 0: no stack */
	CallCost kinds[TRACE_KINDS]; /* what has cut stacks */
} Truncated;

/* @cut: as call_costs_all() has it, so shares are of that. */
void truncated_find(const CallCosts *data, Truncated *cut);

/*
 * "Stacks: CUT at 16 frames for 54% of slab…", without a newline, of @kind (below 0: of all) in
 * @metric, or in all metrics that are known (CALL_METRICS: the largest share of any). NULL: it is
 * not more than one in a hundred of any. For g_free().
 */
char *truncated_describe(const CallCosts *data, const Truncated *cut, int kind, guint metric);

#endif
