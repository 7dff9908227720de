/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The origins of allocations whose stacks match expressions, for answers that are not trees.
 */
#ifndef KMT_REPORT_CALLTREE_MATCH_ORIGINS_H
#define KMT_REPORT_CALLTREE_MATCH_ORIGINS_H

#include "store/store.h"

/*
 * "[1,2]": the numbers of those of which @focus is true and @ignore is not; NULL: every stack, no
 * stack. For g_free(). NULL with an error if an expression is invalid, or, unless @unchecked, one
 * of its names matches nothing in the trace.
 */
char *match_origins(StoreDb *db, const char *focus, const char *ignore, gboolean unchecked,
		    GError **error);

#endif
