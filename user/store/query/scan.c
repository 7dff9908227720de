// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/query/scan.h"

#include "store/query/query.h"
#include "store/scan/scanner.h"

gboolean store_scan(StoreDb *db, const char *name, const char *const *params, ScanFunc func,
		    gpointer workers, gsize size, GError **error)
{
	g_autofree char *failure = NULL;
	gpointer each[SCAN_WORKERS];

	for (guint i = 0; i < SCAN_WORKERS; i++)
		each[i] = (char *)workers + i * size;
	failure = scanner_run(query_handle(db), name, params, func, each);
	return !failure || query_fail(db, failure, error);
}
