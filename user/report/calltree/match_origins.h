/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The origins of allocations whose stacks match expressions, for reports without trees. */
#ifndef KMT_REPORT_CALLTREE_MATCH_ORIGINS_H
#define KMT_REPORT_CALLTREE_MATCH_ORIGINS_H

#include "report/print/selection.h"

/*
 * Returns the ids, as "[1,2]", of origins that match @focus and do not match @ignore; NULL: all,
 * none. For g_free(). NULL with an error if an expression is invalid, or, one of its names matches
 * nothing in the trace; with a @comparison, as in Selection, in neither trace.
 */
char *match_origins(StoreDb *db, const char *focus, const char *ignore, Comparison *comparison,
		    GError **error);

#endif
