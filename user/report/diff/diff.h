/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares two traces: allocated, live and wasted memory, by names that both have.
 */
#ifndef KMT_REPORT_DIFF_DIFF_H
#define KMT_REPORT_DIFF_DIFF_H

#include <stdio.h>

#include "store/store.h"

typedef enum {
	DIFF_BY_SITE,
	DIFF_BY_STACK,
	DIFF_BY_CACHE,
	DIFF_BY_MODULE,
	DIFF_BY_TASK,
	DIFF_BY_THREAD,
} DiffBy;

/* What figures are divided by: nothing, seconds of the trace, events of the trace. */
typedef enum { DIFF_PER_TOTAL, DIFF_PER_SECOND, DIFF_PER_EVENT } DiffPer;

typedef struct {
	const char *names[2]; /* of the traces */
	DiffBy by;
	DiffPer per;
	int limit; /* rows of each kind */
	gboolean json;
} DiffOptions;

/* "site", "stack" and so on, and "total", "second", "event". FALSE for other names. */
gboolean diff_parse_by(const char *word, DiffBy *by);
gboolean diff_parse_per(const char *word, DiffPer *per);

/*
 * Prints both trusts, and for each kind what changed from @dbs[0] to @dbs[1], what changed most in
 * live bytes first. *@incomplete: one of them is.
 */
gboolean diff_print(StoreDb *const dbs[2], const DiffOptions *options, FILE *out,
		    gboolean *incomplete, GError **error);

#endif
