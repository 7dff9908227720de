/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables and totals of "perf kmem stat", with its words and columns. */
#ifndef KMT_REPORT_SUMMARY_PERFKMEM_H
#define KMT_REPORT_SUMMARY_PERFKMEM_H

#include <stdio.h>

#include "store/store.h"

typedef struct {
	const char *name;       /* of the trace */
	gboolean slab, page;    /* tables to print; neither: slab */
	gboolean caller, alloc; /* tables to print; neither: only totals */
	int limit;              /* rows of a table; below 0: all */
	char **keys;            /* sort keys, the most significant first; NULL: perf's own order */
	gboolean json;
} PerfKmemOptions;

/* FALSE with an error if @keys are not columns of these tables. */
gboolean perfkmem_check_keys(const PerfKmemOptions *options, GError **error);

/* Prints whether the trace is complete, then the tables. *@incomplete: events were lost. */
gboolean perfkmem_print(StoreDb *db, const PerfKmemOptions *options, FILE *out,
			gboolean *incomplete, GError **error);

#endif
