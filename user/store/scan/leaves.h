/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads rows of integers from the pages of a table, in the order of their row ids, in a tenth of
 * the time of a statement. Private to the store.
 */
#ifndef KMT_STORE_SCAN_LEAVES_H
#define KMT_STORE_SCAN_LEAVES_H

#include "store/scan/scanner.h"

#define LEAVES_COLUMNS 16 /* of a table, at most */

typedef struct {
	struct sqlite3 *handle; /* in a transaction that has read something */
	guint32 root;
	gint64 first, last;               /* row ids */
	guint columns;                    /* of the table, up to the last one needed */
	guint count;                      /* of the columns needed */
	gint16 wanted_as[LEAVES_COLUMNS]; /* by column: its index in @func's values, or -1 */
	guint8 shift[LEAVES_COLUMNS];     /* by column: right shift of its value */
	ScanFunc func;                    /* for each row */
	gpointer data;                    /* of @func */
	int (*other)(gpointer self,
		     gint64 id); /* for a row with values other than integers and NULL */
	gpointer self;           /* of @other, which returns a result code of SQLite */
} Leaves;

/*
 * Returns whether the file of @handle can be read this way; if not, a statement must read it. With
 * a write-ahead log not all pages are in the file.
 */
gboolean leaves_can_read(struct sqlite3 *handle);

/* Returns a result code of SQLite. */
int leaves_read(const Leaves *leaves);

#endif
