/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Restricts a database to a selection: the only translation of filters to statements. */
#ifndef KMT_REPORT_SELECT_SELECT_H
#define KMT_REPORT_SELECT_SELECT_H

#include "report/print/selection.h"

/* Only checks names. FALSE with an error that suggests the closest one. */
gboolean select_check(StoreDb *db, const Selection *selection, GError **error);

/*
 * Finds the times of @selection, checks that its names are in the trace, and restricts @db as of
 * store_restrict(), except for the filters in @selection->own, which are only checked. Does nothing
 * if it is NULL or empty. FALSE with an error that suggests the closest name.
 */
gboolean select_restrict(StoreDb *db, Selection *selection, GError **error);

#endif
