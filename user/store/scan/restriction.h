/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The restriction of a connection (store/schema/restrict.h), for rows that no statement selects.
 * Private to the store.
 */
#ifndef KMT_STORE_SCAN_RESTRICTION_H
#define KMT_STORE_SCAN_RESTRICTION_H

#include "store/scan/scanner.h"

/* The columns of lifetime that decide, and their places in the values of a row. */
enum {
	RESTRICTION_ORIGIN,
	RESTRICTION_TIME,
	RESTRICTION_CPU, /* place >> 2 */
	RESTRICTION_TASK,
	RESTRICTION_LIFETIME,
	RESTRICTION_COLUMNS
};

typedef struct Restriction Restriction;

/* NULL: the connection is not restricted, or by numbers that only a statement compares. */
Restriction *restriction_read(struct sqlite3 *handle);
void restriction_free(Restriction *restriction); /* NULL is allowed */

/* The columns kept and within_time of the view judged_lifetime. */
gboolean restriction_keeps(const Restriction *restriction,
			   const gint64 values[RESTRICTION_COLUMNS]);
gboolean restriction_is_within(const Restriction *restriction,
			       const gint64 values[RESTRICTION_COLUMNS]);

#endif
