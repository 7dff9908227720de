/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events of a trace in order of time, one a line, in the manner of the kernel's own tracer:
 *
 *   comm-tid [cpu] seconds: event: field=value …
 */
#ifndef KMT_REPORT_SCRIPT_SCRIPT_H
#define KMT_REPORT_SCRIPT_SCRIPT_H

#include <stdio.h>

#include "store/store.h"
#include "symbols/debugplaces.h"

typedef struct {
	gboolean relative;      /* times count from where all answers do, and not from boot */
	gboolean stacks;        /* print each event's stack below it */
	gboolean lines;         /* in stacks, with source lines */
	DebugPlaces places;     /* where debug files are, for lines */
	const guint64 *address; /* only events of the memory there; NULL: all */
	StoreDb *selected; /* only events of the allocations that it is restricted to; NULL: all */
	gboolean window;   /* only events from the first of these on and before the second: */
	gint64 from_ns, to_ns;
} ScriptOptions;

/* Prints at least one line, or says on stderr that no event was wanted. */
gboolean script_print(const char *kmt_path, const ScriptOptions *options, FILE *out,
		      GError **error);

#endif
