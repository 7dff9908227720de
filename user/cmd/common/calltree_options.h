/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that print call trees.
 */
#ifndef KMT_CMD_COMMON_CALLTREE_OPTIONS_H
#define KMT_CMD_COMMON_CALLTREE_OPTIONS_H

#include "cmd/common/filter_options.h"
#include "report/calltree/text.h"

#define CALLTREE_PERCENT 0.5 /* smaller subtrees are not printed as text, only summed */

/* The options as given. Zero-initialized. */
typedef struct {
	char *metric, *callee, *fold, *percent_limit;
	gboolean caller, allocators;
	StackExpr *focus_expr, *ignore_expr;
} CalltreeOptions;

void calltree_options_clear(CalltreeOptions *args);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CalltreeOptions, calltree_options_clear)

/*
 * Return entries for the options, which write to @args, NULL-terminated, for g_free(): those that
 * select stacks and figures, and those that format a tree.
 */
GOptionEntry *calltree_options_choice(CalltreeOptions *args);
GOptionEntry *calltree_options_view(CalltreeOptions *args);

/* Returns the name of an option that was given; NULL: none. */
const char *calltree_options_given(const CalltreeOptions *args);

/*
 * Returns the options of @args and @filters that select stacks, as on a command line; "" if none.
 * For g_free().
 */
char *calltree_options_text(const CalltreeOptions *args, const FilterOptions *filters);

/*
 * Fills *@options, which lives as long as @args and @filters, with defaults for options that were
 * not given. Trees apply some of @filters themselves. Returns FALSE, after a message, if one is
 * invalid, or cannot be combined with the interval.
 */
gboolean calltree_options_read(CalltreeOptions *args, FilterOptions *filters, gboolean json,
			       CallsOptions *options);

#endif
