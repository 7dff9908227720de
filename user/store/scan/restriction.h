/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The restriction of a connection (store/schema/restrict.h), for rows that are read without a
 * statement. Private to the store.
 */
#ifndef KMT_STORE_SCAN_RESTRICTION_H
#define KMT_STORE_SCAN_RESTRICTION_H

#include "store/scan/scanner.h"

/* The columns of lifetime that a restriction needs, and their indexes in the values of a row. */
enum {
	RESTRICTION_ORIGIN,
	RESTRICTION_TIME,
	RESTRICTION_CPU, /* place >> 2 */
	RESTRICTION_TASK,
	RESTRICTION_LIFETIME,
	RESTRICTION_COLUMNS
};

typedef struct Restriction Restriction;

/*
 * Returns NULL if the connection is not restricted, or if only a statement can evaluate its
 * restriction.
 */
Restriction *restriction_read(struct sqlite3 *handle);
void restriction_free(Restriction *restriction); /* NULL is allowed */

/* Computes the columns kept and within_time of the view judged_lifetime. */
gboolean restriction_keeps(const Restriction *restriction,
			   const gint64 values[RESTRICTION_COLUMNS]);
gboolean restriction_is_within(const Restriction *restriction,
			       const gint64 values[RESTRICTION_COLUMNS]);

#endif
