/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees in the formats of others' tools. A format that has one set of stacks gets one kind of
 * memory: kinds are never added up.
 */
#ifndef KMT_REPORT_EXPORT_H
#define KMT_REPORT_EXPORT_H

#include "report/calls.h"

typedef struct {
	StoreDb *db;
	const char *name;	/* of the trace */
	const char *trust;	/* whether it can be trusted, a line; not all have room for it */
	const CallsOptions *options;	/* its metric, kind, time and view count */
	FILE *out;
	/* Where to say that stacks were cut, for g_free(); *cut is NULL before. NULL: nowhere. */
	char **cut;
} Export;

typedef struct {
	const char *name;
	const char *help;
	gboolean binary;	/* nothing for a terminal */
	gboolean whole;		/* of the whole trace alone: not from a time to another */
	gboolean (*print)(const Export *export, GError **error);
} ExportFormat;

/* NULL if no format has this name. */
const ExportFormat *export_find(const char *name);

/* The names of all, with ", " between them. For g_free(). */
char *export_names(void);

#endif
