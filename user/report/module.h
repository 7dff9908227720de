/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a module took when it was loaded and later, what it gave back, and what is left of it.
 */
#ifndef KMT_REPORT_MODULE_H
#define KMT_REPORT_MODULE_H

#include <stdio.h>

#include "store/store.h"

typedef struct {
	const char *name;	/* of the trace */
	const char *module;
	int limit;		/* rows of a table */
	gboolean json;
} ModuleOptions;

/* The modules that the trace tells of, "ext4, overlay", for g_free(); NULL with an error. */
char *module_names(StoreDb *db, GError **error);

/*
 * *@incomplete: something is missing from the trace. It is an error if the trace knows no module of
 * this name; the error tells the one that is most like it, if one is.
 */
gboolean module_print(StoreDb *db, const ModuleOptions *options, FILE *out, gboolean *incomplete,
		      GError **error);

#endif
