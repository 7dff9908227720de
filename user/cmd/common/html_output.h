/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the page of a trace.
 */
#ifndef KMT_CMD_COMMON_HTML_OUTPUT_H
#define KMT_CMD_COMMON_HTML_OUTPUT_H

#include "report/print/printer.h"

/*
 * Writes the page to the path @path, a char *, as a QuestionFunc, and prints its size and whether
 * something was cut. The file is written whole, or not at all.
 */
gboolean html_output_print(const Printer *printer, gconstpointer path, GError **error);

#endif
