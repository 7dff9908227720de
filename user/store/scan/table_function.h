/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Table functions: tables computed by one parallel scan over all lifetimes, which SQL alone would
 * have to sort. Private to the store.
 */
#ifndef KMT_STORE_SCAN_TABLE_FUNCTION_H
#define KMT_STORE_SCAN_TABLE_FUNCTION_H

#include "store/scan/scanner.h"

#define TABLE_ARGUMENTS   3          /* of a table, at most */
#define TABLE_ORIGINS_MAX (1U << 28) /* no trace has as many: larger numbers are invalid */

/* One table. Its arguments are texts of integers separated by spaces. */
typedef struct {
	const char *name;
	const char *columns; /* "a, b": all are integers */
	guint count;         /* number of columns */
	guint arguments;
	const char *scan; /* store/sql/@scan.sql */

	/* Returns a new worker; @arguments are arrays of gint64 that outlive it. */
	gpointer (*make)(GArray *const *arguments);
	ScanFunc take;
	void (*free)(gpointer worker);

	/* Appends the rows of all workers, @count values each. */
	void (*finish)(gpointer const workers[SCAN_WORKERS], GArray *values);
} TableFunction;

extern const TableFunction table_first_times, table_freed_elsewhere, table_freed_elsewhere_totals,
	table_ranks, table_slab_addresses, table_page_frames, table_live_totals,
	table_lifetime_totals, table_module_lives, table_slab_contents, table_slab_holders,
	table_temporary_totals;

/* Registers the tables on a connection. Returns a result code of SQLite. */
struct sqlite3;
int table_functions_register(struct sqlite3 *handle);

#endif
