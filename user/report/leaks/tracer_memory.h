/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live memory of the tracer itself and of its recorder, which tables of suspects leave out.
 */
#ifndef KMT_REPORT_LEAKS_TRACER_MEMORY_H
#define KMT_REPORT_LEAKS_TRACER_MEMORY_H

#include "report/print/printer.h"

/* Prints a line with it behind @before, or JSON "tracer". @by: the word of the table's groups. */
gboolean tracer_memory_print(const Printer *printer, const char *before, const char *by,
			     GError **error);

#endif
