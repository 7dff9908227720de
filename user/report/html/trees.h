/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call trees of the page: for each kind a top-down and a bottom-up one, with all metrics.
 */
#ifndef KMT_REPORT_HTML_TREES_H
#define KMT_REPORT_HTML_TREES_H

#include <stdio.h>

#include "report/calltree/costs.h"

/*
 * Prints the member "trees" of a JSON object: "metrics" (name, key, title, unit), "frames" (name,
 * module or null) and "kinds", which has "kind", "down" and "up". A tree has "nodes", parents
 * first, and "left_out", the number of omitted nodes. A node is [parent, frame, own, below]. own
 * and below are pairs of a metric's number and its value: the node's own cost, and that of all
 * omitted nodes below it. Empty ones at the end are left out.
 *
 * At most @limit nodes of each tree are printed: those with the largest share of some metric. @cut
 * gets a sentence, char *, for each tree that is cut.
 */
void htmltrees_print(const CallCosts *data, guint limit, FILE *out, GPtrArray *cut);

#endif
