/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a trace in time order, one a line, in the format of the kernel's own tracer:
 *
 *   comm-tid [cpu] seconds: event: field=value …
 */
#ifndef KMT_REPORT_SCRIPT_SCRIPT_H
#define KMT_REPORT_SCRIPT_SCRIPT_H

#include <stdio.h>

#include "store/store.h"
#include "symbols/debugplaces.h"

typedef struct {
	gboolean relative;      /* times as in the database, instead of since boot */
	gboolean stacks;        /* print each event's stack below it */
	gboolean lines;         /* source lines in stacks */
	DebugPlaces places;     /* sources of debug files, for lines */
	const guint64 *address; /* only events of this memory; NULL: all */
	StoreDb *selected;      /* only events of the allocations in it; NULL: all */
	gboolean window; /* only events from the first of these times on, before the second: */
	gint64 from_ns, to_ns;
} ScriptOptions;

/* Prints the events, or a message if none matches. */
gboolean script_print(const char *kmt_path, const ScriptOptions *options, FILE *out,
		      GError **error);

#endif
