/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live memory of the tracer itself and of its recorder, which tables of suspects leave out.
 */
#ifndef KMT_REPORT_GROUPS_TRACER_MEMORY_H
#define KMT_REPORT_GROUPS_TRACER_MEMORY_H

#include "report/print/printer.h"

#define TRACER_MEMORY_LEFT_OUT "(without the tracer's own memory"
#define TRACER_MEMORY_INCLUDED "(with the tracer's own memory"

/*
 * Prints it in a line after @text, or JSON "tracer"; nothing if there is none. @by: the word of the
 * table's groups.
 */
gboolean tracer_memory_print(const Printer *printer, const char *text, const char *by,
			     GError **error);

#endif
