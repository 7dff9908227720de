/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether counts of temporary allocations can be trusted.
 */
#ifndef KMT_REPORT_PRINT_TEMPORARIES_H
#define KMT_REPORT_PRINT_TEMPORARIES_H

#include "store/store.h"

/*
 * Sets *@note to a note if the trace lacks allocations of the traced threads: they don't count as
 * further ones, so that others seem temporary. Else to NULL.
 */
gboolean temporaries_note(StoreDb *db, const char **note, GError **error);

#endif
