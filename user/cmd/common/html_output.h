/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the page of a trace.
 */
#ifndef KMT_CMD_COMMON_HTML_OUTPUT_H
#define KMT_CMD_COMMON_HTML_OUTPUT_H

#include "report/print/printer.h"

/*
 * Makes the page @path, which is a char *, as a QuestionFunc; the answer tells how large it is and
 * whether something was cut. A file is there when it is whole, or not at all.
 */
gboolean html_output_print(const Printer *printer, gconstpointer path, GError **error);

#endif
