/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the HTML page of a trace.
 */
#ifndef KMT_CMD_COMMON_HTML_OUTPUT_H
#define KMT_CMD_COMMON_HTML_OUTPUT_H

#include "report/print/printer.h"

/*
 * Writes the page to the path @path, a char *, as a ReportFunc, and prints its size and whether it
 * was truncated. The file is written completely, or not at all.
 */
gboolean html_output_print(const Printer *printer, gconstpointer path, GError **error);

#endif
