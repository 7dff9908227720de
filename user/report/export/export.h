/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call trees in the formats of other tools. A format with a single set of stacks has one kind of
 * memory, since kinds are never added up.
 */
#ifndef KMT_REPORT_EXPORT_EXPORT_H
#define KMT_REPORT_EXPORT_EXPORT_H

#include "report/calltree/text.h"
#include "trace/event/kind.h"

typedef struct {
	StoreDb *db;
	const char *name;            /* of the trace */
	const char *completeness;    /* in one line; some formats lack room for it */
	const CallsOptions *options; /* only metric, kind, times and view are used */
	FILE *out;
	gboolean every; /* the format has every metric */
	/* Receives call_notes(), for g_free(); *notes is NULL before. May be NULL. */
	char **notes;
} Export;

/* Reads the costs of the metric of @export, and of @more metrics as bits. NULL with an error. */
CallCosts *export_read(const Export *export, guint more, GError **error);

/*
 * Returns the kind for a format that has only one: the requested kind, else the first with
 * allocations or with a value of the metric. TRACE_KINDS with an error if there is none.
 */
guint export_kind(const Export *export, const CallCosts *data, GError **error);

/* Returns TRUE if @kind has any costs, and was requested or no kind was. */
gboolean export_has_kind(const Export *export, const CallCosts *data, guint kind);

/*
 * Returns the frames from the root to node @id, outermost first (in bottom-up trees, innermost
 * first).
 */
void export_path(const CallTree *tree, guint32 id, GArray *frames);

/*
 * Returns "function", "function [module]" or "function [module] (file:line, inlined)". For
 * g_free().
 */
char *export_function(const CallCosts *data, guint32 frame);

#endif
