/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text fields of CSV as of RFC 4180, but lines end with LF, for shells. */
#ifndef KMT_REPORT_PRINT_CSV_H
#define KMT_REPORT_PRINT_CSV_H

#include <stdio.h>

/*
 * Prints a cell: escape_text() of @text, quoted if needed. A text that a spreadsheet would
 * interpret as a formula (it begins with =, +, - or @) gets an apostrophe before it.
 */
void csv_print_text(const char *text, FILE *out);

#endif
