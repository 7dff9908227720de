/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call trees of the page: for each kind one top-down and one bottom-up, with all metrics.
 */
#ifndef KMT_REPORT_HTML_TREES_H
#define KMT_REPORT_HTML_TREES_H

#include <stdio.h>

#include "report/calltree/costs.h"

/*
 * Prints the member "trees" of an object of JSON: "metrics" (name, key, title, unit), "frames"
 * (name, module or null) and "kinds", which has "kind", "down" and "up". A tree is "nodes" in an
 * order in which parents come first, and "left_out", how many nodes are not there. A node is
 * [parent, frame, own, below]: own and below are pairs of a metric's number and its value, of what
 * the node took itself, and what all nodes that are left out below it took; empty ones at the end
 * are left out.
 *
 * At most @limit nodes of each tree are there: those that have the largest share in some metric.
 * @cut gets a sentence, char *, for each tree that is cut.
 */
void htmltrees_print(const CallCosts *data, guint limit, FILE *out, GPtrArray *cut);

#endif
