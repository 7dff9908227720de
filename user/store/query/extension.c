// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kmemtrace.so, for ".load kmemtrace" in the sqlite3 shell: the tool's SQL functions. SQLite finds
 * the only exported symbol by the name of the file. Not part of the tool.
 */
#include <sqlite3ext.h>

#include "store/scan/table_function.h"
#include "store/schema/functions.h"

SQLITE_EXTENSION_INIT1

__attribute__((visibility("default"))) int sqlite3_kmemtrace_init(sqlite3 *handle, char **error,
								  const sqlite3_api_routines *api);

int sqlite3_kmemtrace_init(sqlite3 *handle, char **error, const sqlite3_api_routines *api)
{
	int result;

	(void)error;
	SQLITE_EXTENSION_INIT2(api);
	result = functions_register(handle);
	if (!result)
		result = live_at_register(handle);
	return result ? result : table_functions_register(handle);
}
