// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/temporaries.h"

gboolean temporaries_note(StoreDb *db, const char **note, GError **error)
{
	g_autoptr(StoreRows) rows = store_query_row(db, "temporaries_lack", NULL, error);

	*note = NULL;
	if (rows && store_rows_int(rows, 0))
		*note = "too many are temporary: allocations that a filter or the sample left out would count as further ones";
	return rows != NULL;
}
