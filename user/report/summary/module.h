/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocations of a module while it was loaded and later, its frees, and the remaining memory. */
#ifndef KMT_REPORT_SUMMARY_MODULE_H
#define KMT_REPORT_SUMMARY_MODULE_H

#include "report/print/printer.h"

typedef struct {
	const char *module;
	int limit; /* rows of a table */
} ModuleOptions;

/* Returns the modules of the trace, "ext4, overlay", for g_free(); NULL with an error. */
char *module_names(StoreDb *db, GError **error);

/*
 * @options: a ModuleOptions. Fails if the trace has no module of this name; the error has the most
 * similar one, if any.
 */
gboolean module_print(const Printer *printer, gconstpointer options, GError **error);

#endif
