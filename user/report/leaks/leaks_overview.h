/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live and suspicious memory by call site, for the report's first screen, without memory of the
 * tracer and its recorder.
 */
#ifndef KMT_REPORT_LEAKS_LEAKS_OVERVIEW_H
#define KMT_REPORT_LEAKS_LEAKS_OVERVIEW_H

#include "report/print/printer.h"

/*
 * Prints as text the @limit call sites of all kinds with the most live memory at the end (0: no
 * such table), how many call sites may leak, and a line for each of the first @suspects_limit.
 * @site: only allocations made by this function; "": all. *@any: there is a suspect.
 */
gboolean leaks_overview_print(const Printer *printer, const char *site, guint limit,
			      guint suspects_limit, gboolean *any, GError **error);

#endif
