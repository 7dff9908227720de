/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables for statements that are made by one pass over all lifetimes, on several processors, where
 * SQL alone would sort them. Private to the store.
 */
#ifndef KMT_STORE_PASS_H
#define KMT_STORE_PASS_H

#include "store/scan.h"

#define PASS_ARGUMENTS   3	    /* of a table, at most */
#define PASS_ORIGINS_MAX (1U << 28) /* no trace has as many: the number makes no sense */

/*
 * One table. Its arguments are texts of integers with blanks between them.
 */
typedef struct {
	const char *name;
	const char *columns; /* "a, b": all are integers */
	guint count;	     /* of them */
	guint arguments;
	const char *scan; /* store/sql/@scan.sql */

	/* One worker; @arguments are arrays of gint64 that outlive it. */
	gpointer (*make)(GArray *const *arguments);
	ScanFunc take;
	void (*free)(gpointer worker);

	/* Appends the rows, of @count values each; the workers' are put together. */
	void (*finish)(gpointer const workers[SCAN_WORKERS], GArray *values);
} Pass;

extern const Pass pass_first_times, pass_freed_elsewhere, pass_ranks, pass_slab_addresses,
	pass_page_frames, pass_module_lives, pass_slab_contents, pass_slab_holders;

/* Makes the tables known to a connection; an SQLite result code. */
struct sqlite3;
int passes_register(struct sqlite3 *handle);

#endif
