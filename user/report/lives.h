/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long things live: by group, as a histogram, and between whom they pass.
 */
#ifndef KMT_REPORT_LIVES_H
#define KMT_REPORT_LIVES_H

#include "report/answer.h"

typedef enum { LIVES_ANY, LIVES_CROSS_CPU, LIVES_CROSS_TASK, LIVES_CROSS_NODE } LivesCross;

typedef struct {
	const char *by;	  /* site, stack, cache, module, task or thread */
	const char *site; /* only what this function called for; "": all */
	int limit;	  /* rows of a table */
	LivesCross cross; /* pairs alone: only what another CPU, thread or node freed */
} LivesOptions;

/*
 * Of each kind and of each group: how many were freed, their bytes, percentiles of their lifetimes
 * by nearest rank, and a histogram by kind. @options: a LivesOptions, also below.
 */
gboolean lives_print(const Answer *answer, gconstpointer options, GError **error);

/* Who allocated and who freed, by site or stack. */
gboolean lives_print_pairs(const Answer *answer, gconstpointer options, GError **error);

#endif
