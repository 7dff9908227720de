// SPDX-License-Identifier: GPL-2.0-or-later
#include "store/scan.h"

#include "store/query.h"
#include "store/scanner.h"

gboolean store_scan(StoreDb *db, const char *name, const char *const *params, ScanFunc func,
		    gpointer const workers[SCAN_WORKERS], GError **error)
{
	g_autofree char *failure = scanner_run(query_path(db), name, params, func, workers);

	if (!failure)
		return TRUE;
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "%s: %s", query_path(db), failure);
	return FALSE;
}
