/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Failed allocations: their count, first and last time, by origin and task. There are few, and the
 * requesting task matters, so they are kept by task. Private to the store.
 */
#ifndef KMT_STORE_LOAD_FAILURES_H
#define KMT_STORE_LOAD_FAILURES_H

#include "store/schema/db.h"

typedef struct Failures Failures;

Failures *failures_new(void);
void failures_free(Failures *failures); /* NULL is allowed */

/* Counts a failed allocation of @origin in @task. @time_ns: since the first event, ascending. */
void failures_count(Failures *failures, guint32 origin, guint32 task, guint64 time_ns);

/* Writes the table failed, ordered by the first time. */
void failures_write(const Failures *failures, Db *db);

#endif
