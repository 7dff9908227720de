/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects and draws the visible part of a call tree as text. Private to text.c and dot.c.
 */
#ifndef KMT_REPORT_CALLTREE_DRAW_H
#define KMT_REPORT_CALLTREE_DRAW_H

#include <stdio.h>

#include "report/calltree/text.h"

typedef struct {
	const CallCosts *data;
	const CallTree *tree;
	const CallsOptions *options;
	gint64 all;        /* 100% of shares */
	gboolean *shown;   /* by node; parents of shown nodes are shown, too */
	guint32 *children; /* all nodes but 0, grouped by parent, largest first */
	guint32 *first;    /* by node: index of its first child; one more at the end */
} CallDraw;

/* Initializes @draw, which must be zeroed. All arguments must outlive it. */
void calldraw_init(CallDraw *draw, const CallCosts *data, const CallTree *tree,
		   const CallsOptions *options, gint64 all);
void calldraw_clear(CallDraw *draw);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CallDraw, calldraw_clear)

void calldraw_print(const CallDraw *draw, FILE *out);

/* Formats a value for text output; for g_free(). */
char *calldraw_format(CallMetric metric, gint64 value);

/* Returns whether @total reaches the minimum share of @selected, the tree's root. */
gboolean calldraw_is_enough(const CallsOptions *options, gint64 total, gint64 selected);

/* The same for a table of functions. */
typedef struct {
	const CallCosts *data;
	const CallsOptions *options;
	gint64 all;
	CallFunction *functions; /* by frame */
	guint32 *order;          /* frames that are shown, the largest total first */
	guint32 count;           /* number of frames in it */
	guint32 left_out;        /* how many more there are */
} CallTable;

void calltable_init(CallTable *table, const CallCosts *data, const CallTree *tree,
		    const CallsOptions *options, gint64 all);
void calltable_clear(CallTable *table);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CallTable, calltable_clear)

void calltable_print(const CallTable *table, FILE *out);

#endif
