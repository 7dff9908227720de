/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A call graph for graphviz, of one metric and one kind of memory, since kinds are never added up.
 * Nodes are functions; higher costs are darker and larger. Functions below
 * CallsOptions.percent_limit, and beyond its lines, are left out, and the graph shows how many. A
 * dotted edge passes through functions that are left out.
 */
#ifndef KMT_REPORT_CALLTREE_DOT_H
#define KMT_REPORT_CALLTREE_DOT_H

#include "report/calltree/text.h"

typedef struct {
	const CallsOptions *options;
	const char *head;   /* lines with the trace and its completeness */
	const char *chosen; /* options that selected its stacks; "": all */
} CallDot;

/* Notes about the graph, printed separately from it. */
typedef struct {
	char *others; /* names of other kinds with allocations, if no kind was requested; or "" */
	char *costs;  /* as of call_notes(); or NULL */
} CallDotNotes;

void calldot_clear_notes(CallDotNotes *notes);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CallDotNotes, calldot_clear_notes)

/*
 * Prints the graph of the requested kind, else of the first kind with allocations. Fails if nothing
 * was allocated. *@notes, empty before, is for calldot_clear_notes().
 */
gboolean calldot_print(StoreDb *db, const CallDot *dot, FILE *out, CallDotNotes *notes,
		       GError **error);

#endif
