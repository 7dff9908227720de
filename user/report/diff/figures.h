/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of two traces side by side, by group. Private to diff.c.
 */
#ifndef KMT_REPORT_DIFF_FIGURES_H
#define KMT_REPORT_DIFF_FIGURES_H

#include "report/diff/diff.h"
#include "report/print/completeness.h"
#include "trace/event/kind.h"

enum { DIFF_A, DIFF_B, DIFF_SIDES };

typedef enum {
	DIFF_ALLOCS,
	DIFF_BYTES,
	DIFF_LIVE_COUNT,
	DIFF_LIVE_BYTES,
	DIFF_WASTE_BYTES,
	DIFF_FIGURES,
} DiffFigure;

typedef struct {
	const char *name; /* the key in DiffKind.rows; "": all of a kind */
	gboolean in[DIFF_SIDES];
	double figures[DIFF_SIDES][DIFF_FIGURES]; /* divided, as requested */
} DiffRow;

typedef struct {
	GHashTable *rows; /* name to DiffRow */
	DiffRow all;
	guint only[DIFF_SIDES];        /* rows that one trace alone has */
	guint same;                    /* rows that both have, without a difference */
	guint grew;                    /* rows that B has more live bytes of */
	gboolean untraced[DIFF_SIDES]; /* if so, a zero means nothing */
} DiffKind;

typedef struct {
	const DiffOptions *options;
	StoreDb *const *dbs; /* of the sides */
	DiffKind kinds[TRACE_KINDS];
	Completeness completeness[DIFF_SIDES];
	gint64 span_ns[DIFF_SIDES], events[DIFF_SIDES], sample[DIFF_SIDES];
} DiffData;

/* Reads both. *@diff is for diffdata_clear(), also after an error. */
gboolean diffdata_read(DiffData *diff, StoreDb *const dbs[DIFF_SIDES], const DiffOptions *options,
		       GError **error);
void diffdata_clear(DiffData *diff);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DiffData, diffdata_clear)

/*
 * Rows of @kind (DiffRow *, its own): @limit of those whose live bytes grew, then @limit of the
 * others, those without a difference last; what changed most comes first, in live bytes, then in
 * bytes. Counts all: those that grew, that one trace alone has, and that don't differ.
 */
GPtrArray *diffdata_rows(DiffKind *kind, guint limit);

/* From the first trace to the second: 0 if both are equal but for rounding. */
double diffdata_change(const DiffRow *row, DiffFigure figure);

/* Whether one trace alone could have rows: then nothing can be said of what changed. */
gboolean diffdata_is_one_sided(const DiffKind *kind);

/* A ConditionFigureFunc. @diff: a DiffData, whose kinds are read. NAN: no kind is compared. */
gboolean diffdata_figure(gpointer diff, const ExprFigure *figure, double *value, GError **error);

#endif
