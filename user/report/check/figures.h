/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The figures of a trace that conditions can name. Kinds are separate accounts: a name without a
 * kind is the maximum of all kinds, never a sum.
 */
#ifndef KMT_REPORT_CHECK_FIGURES_H
#define KMT_REPORT_CHECK_FIGURES_H

#include "report/check/expr.h"
#include "report/leaks/suppress.h"
#include "store/store.h"

/* All figures, and their number. */
const ExprName *figures_names(guint *count);

typedef struct Figures Figures;

/*
 * Reads the data for all figures. @older_ns: allocations live at the end are leaked if they are
 * older than this or their module was unloaded, except those that match @suppress, which may be
 * NULL.
 */
Figures *figures_read(StoreDb *db, guint64 older_ns, const Suppress *suppress, GError **error);
void figures_free(Figures *figures);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Figures, figures_free)

/* *@value: the figure; NAN: unknown, since nothing relevant was freed, or was traced. */
gboolean figures_get(Figures *figures, const ExprFigure *figure, double *value, GError **error);

#endif
