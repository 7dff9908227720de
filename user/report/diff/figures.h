/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of two traces side by side, by group. Private to diff.c.
 */
#ifndef KMT_REPORT_DIFF_FIGURES_H
#define KMT_REPORT_DIFF_FIGURES_H

#include "report/diff/diff.h"
#include "report/diff/stack_paths.h"
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
	char *name; /* NULL by stack, and of the whole kind */
	guint path; /* by stack: of DiffData.paths */
	gboolean in[DIFF_SIDES];
	double figures[DIFF_SIDES][DIFF_FIGURES]; /* divided, if requested */
} DiffRow;

typedef struct {
	GHashTable *rows; /* name or path to DiffRow */
	DiffRow all;
	guint only[DIFF_SIDES];        /* rows in only one trace */
	guint same;                    /* equal rows in both */
	guint grew;                    /* rows with more live bytes in B */
	gboolean untraced[DIFF_SIDES]; /* then a zero means unknown */
} DiffKind;

typedef struct {
	const DiffOptions *options;
	StoreDb *const *dbs; /* of the sides */
	StackPaths *paths;   /* NULL unless by stack */
	DiffKind kinds[TRACE_KINDS];
	Completeness completeness[DIFF_SIDES];
	gint64 span_ns[DIFF_SIDES], events[DIFF_SIDES], sample[DIFF_SIDES];
	gint64 scaled[DIFF_SIDES]; /* estimated events without sampling */
} DiffData;

/* Reads both traces. *@diff is for diffdata_clear(), also after an error. */
gboolean diffdata_read(DiffData *diff, StoreDb *const dbs[DIFF_SIDES], const DiffOptions *options,
		       GError **error);
void diffdata_clear(DiffData *diff);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(DiffData, diffdata_clear)

/*
 * Returns rows of @kind (DiffRow *, owned by it): @limit of those whose live bytes grew, then
 * @limit of the others, equal ones last; sorted by the change of live bytes, then of bytes. Counts
 * all: those that grew, that are in only one trace, and that are equal.
 */
GPtrArray *diffdata_rows(const DiffData *diff, DiffKind *kind, guint limit);

/* Returns the name of @row, for g_free(). */
char *diffdata_name(const DiffData *diff, const DiffRow *row);

/* Returns the change from the first to the second trace: 0 if equal except for rounding. */
double diffdata_change(const DiffRow *row, DiffFigure figure);

/* Returns whether only one trace traced the kind; its changes are then unknown. */
gboolean diffdata_is_one_sided(const DiffKind *kind);

/* A ConditionFigureFunc. @diff: a DiffData. Returns NAN if no kind is comparable. */
gboolean diffdata_figure(gpointer diff, const ExprFigure *figure, double *value, GError **error);

#endif
