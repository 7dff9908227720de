/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text fields of CSV as of RFC 4180, but for its line ends: lines end with LF, for shells.
 */
#ifndef KMT_REPORT_PRINT_CSV_H
#define KMT_REPORT_PRINT_CSV_H

#include <stdio.h>

/*
 * Prints a cell: what escape_text() makes of @text, in quotes where that is needed. One that a
 * spreadsheet would take for a formula (it begins with =, +, - or @) has an apostrophe before it.
 */
void csv_print_text(const char *text, FILE *out);

#endif
