/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adds the rows of a statement to JSON that is built before it is printed. */
#ifndef KMT_REPORT_PRINT_OBJECT_ROWS_H
#define KMT_REPORT_PRINT_OBJECT_ROWS_H

#include "base/object.h"
#include "store/store.h"

/* Adds the remaining @rows as an array of objects with plain values. */
gboolean object_add_rows(JsonBuilder *json, const char *name, StoreRows *rows, GError **error);

#endif
