/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints which slab caches are merged, below tables by cache: objects of several caches then
 * appear under one name.
 */
#ifndef KMT_REPORT_PRINT_MERGED_CACHES_H
#define KMT_REPORT_PRINT_MERGED_CACHES_H

#include "report/print/printer.h"

/*
 * Prints the caches that share slabs, if the rows of the output are by cache: as text a table if
 * there are any, as JSON the member "merged". @by: "cache"; else nothing is printed.
 */
gboolean merged_caches_print(const Printer *printer, const char *by, GError **error);

#endif
