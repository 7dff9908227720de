/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restricts a database to a selection: the one translation of filters to statements.
 */
#ifndef KMT_REPORT_SELECT_SELECT_H
#define KMT_REPORT_SELECT_SELECT_H

#include "report/print/selection.h"

/* Only the check of names. FALSE with an error that has the closest. */
gboolean select_check(StoreDb *db, const Selection *selection, GError **error);

/*
 * Finds the times of @selection, checks that its names are in the trace, and restricts @db as
 * store_restrict() says, but for the filters in @selection->own, which are only checked. NULL, or
 * nothing in it: does nothing. FALSE with an error, which has the closest name.
 */
gboolean select_restrict(StoreDb *db, Selection *selection, GError **error);

#endif
