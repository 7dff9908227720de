/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page's data over time: allocations and frees of each call site, cache, process and requested
 * size in each step of the trace, ends of lifetimes by their length, and when live memory was
 * allocated. So a page can sum any interval that begins and ends with a step; the first marks begin
 * a step, too. All lifetimes are read once, after a scan that sums them by process.
 *
 * Groups with the largest share of bytes, live bytes or allocations are kept one by one, all others
 * are merged: their sum is the total of the kind, exactly. live_interval.h defines what is live
 * when. Figures of a sampled trace are scaled.
 */
#ifndef KMT_REPORT_HTML_SERIES_H
#define KMT_REPORT_HTML_SERIES_H

#include <stdio.h>

#include "store/store.h"

typedef struct HtmlSeries HtmlSeries;

/* Limits of shown groups of a kind: call sites, caches, stacks, processes, sizes. */
typedef struct {
	guint rows[5];
} HtmlSeriesLimits;

/* NULL with an error if the database can't be read. */
HtmlSeries *htmlseries_read(StoreDb *db, const HtmlSeriesLimits *limits, GError **error);
void htmlseries_free(HtmlSeries *series); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HtmlSeries, htmlseries_free)

/*
 * Prints members of a JSON object, without a comma after them: "bounds" (the times between steps,
 * from 0 to the end), "sites", "caches", "old", "processes", "sizes" and "lifetimes". @limits must
 * not exceed those of htmlseries_read().
 *
 * "steps" is a flat array, which has only steps with values. In "old": bucket, allocations, bytes
 * left, time of the first. In "lifetimes": bucket, number of the highest edge that they reach,
 * count, bytes. In all others: bucket, allocations, their bytes, their waste, ends, their bytes.
 *
 * @cut gets a sentence, char *, for each table that has "others".
 */
gboolean htmlseries_print(const HtmlSeries *series, StoreDb *db, const HtmlSeriesLimits *limits,
			  FILE *out, GPtrArray *cut, GError **error);

#endif
