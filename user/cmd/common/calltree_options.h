/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that print call trees.
 */
#ifndef KMT_CMD_COMMON_CALLTREE_OPTIONS_H
#define KMT_CMD_COMMON_CALLTREE_OPTIONS_H

#include "cmd/common/filter_options.h"
#include "report/calltree/text.h"

#define CALLTREE_PERCENT 0.5 /* of what has a smaller share text has sums only */

/* As they were written; all zero at first. */
typedef struct {
	char *metric, *callee, *fold, *percent_limit;
	gboolean caller, allocators;
	StackExpr *focus_expr, *ignore_expr;
} CalltreeOptions;

void calltree_options_clear(CalltreeOptions *args);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CalltreeOptions, calltree_options_clear)

/*
 * Entries for the options which write to @args, NULL behind the last; for g_free(). Those that
 * choose stacks and figures, and those that say how a tree looks.
 */
GOptionEntry *calltree_options_choice(CalltreeOptions *args);
GOptionEntry *calltree_options_view(CalltreeOptions *args);

/* The name of one that was given; NULL: none was. */
const char *calltree_options_given(const CalltreeOptions *args);

/*
 * Those of them and of @filters that choose stacks, as on a command line; "" if none. For g_free().
 */
char *calltree_options_text(const CalltreeOptions *args, const FilterOptions *filters);

/*
 * Makes *@options, which lives as long as @args and @filters, of them; of what wasn't given the
 * default. Trees apply some of @filters themselves. FALSE, after saying why, if one is wrong, or
 * doesn't go with the interval.
 */
gboolean calltree_options_read(CalltreeOptions *args, FilterOptions *filters, gboolean json,
			       CallsOptions *options);

#endif
