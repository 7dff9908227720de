/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The allocations of a trace that a command reports, selected by an interval and by filters.
 */
#ifndef KMT_REPORT_PRINT_SELECTION_H
#define KMT_REPORT_PRINT_SELECTION_H

#include <stdio.h>

#include "base/range.h"
#include "store/store.h"

typedef struct MergedCaches MergedCaches; /* report/groups/merged_caches.h */

/* Each is an option with that name. */
typedef enum {
	SELECT_KIND,
	SELECT_CACHE,
	SELECT_SITE,
	SELECT_STACK,
	SELECT_MODULE,
	SELECT_PROCESS,
	SELECT_THREAD,
	SELECT_CPU,
	SELECT_NODE,
	SELECT_ORDER,
	SELECT_SIZE,
	SELECT_AGE,
	SELECT_FOCUS,
	SELECT_IGNORE,
	SELECT_FILTERS,
} SelectFilter;

/* Filters as bits. */
#define SELECT_BIT(filter) (1U << (filter))
#define SELECT_TIMES       SELECT_BIT(SELECT_FILTERS) /* the interval */

/* "kind" …; NULL-terminated. */
extern const char *const selection_names[SELECT_FILTERS + 1];

/* Returns TRUE if it is a range of numbers, not a name. */
gboolean selection_is_range(SelectFilter filter);

/* What two traces that are compared have in common. */
typedef struct {
	MergedCaches *caches; /* of both */
	guint64 names[2];     /* names in --focus and --ignore that the first trace has, as bits */
	gboolean is_second;   /* the second trace is restricted */
} Comparison;

typedef struct {
	const char *from, *to;              /* as given; NULL: open end */
	gint64 from_ns, to_ns;              /* if there is an interval; without @to_ns itself */
	const char *filter[SELECT_FILTERS]; /* as given; NULL: not given */
	Range range[SELECT_FILTERS];        /* only for ranges */
	guint own;                          /* bits of filters that the command applies itself */
	/*
	 * NULL: there is one trace. Otherwise it may lack a name that the other one has, so that
	 * nothing is selected, and functions match without compiler suffixes.
	 */
	Comparison *comparison;
} Selection;

/* NULL is allowed here and below. */
gboolean selection_has_interval(const Selection *selection);

/*
 * Returns TRUE if it is not the whole trace. @but: bits of filters to ignore; those that the
 * command applies itself are ignored, too.
 */
gboolean selection_is_part(const Selection *selection, guint but);

/*
 * Finds the times of the interval, if there is one: the second must be later than the first, and
 * both within the trace.
 */
gboolean selection_find(StoreDb *db, Selection *selection, GError **error);

/*
 * Returns "only allocations with kind slab, from 'a' (1s) to 'b' (2s)"; NULL as of
 * selection_print(). For g_free().
 */
char *selection_describe(const Selection *selection);

/* Appends "from 'a' (1s) to 'b' (2s)" of its interval, each with a space before it. */
void selection_append_interval(GString *text, const Selection *selection);

/* Prints ",\n" and the member "between" of JSON; @to_ns below 0: null. */
void selection_print_interval(const Selection *selection, FILE *out);

/*
 * Prints it: a line of text, or ",\n" and the members "between" and "only" of JSON. Prints nothing
 * for the whole trace.
 */
void selection_print(const Selection *selection, gboolean json, FILE *out);

#endif
