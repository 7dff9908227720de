/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of commands that make call trees.
 */
#ifndef KMT_CMD_CALLARGS_H
#define KMT_CMD_CALLARGS_H

#include "report/calls.h"

#define CALLARGS_PERCENT	0.5	/* of what has a smaller share text has sums only */

/* As they were written; all zero at first. */
typedef struct {
	char *metric, *kind, *callee, *focus, *ignore, *fold, *percent_limit, *from, *to;
	gboolean caller, allocators;
	StackExpr *focus_expr, *ignore_expr;
} CallArgs;

void callargs_clear(CallArgs *args);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CallArgs, callargs_clear)

/*
 * Entries for the options which write to @args, NULL behind the last; for g_free(). Those that
 * choose stacks and figures, and those that say how a tree looks.
 */
GOptionEntry *callargs_choice(CallArgs *args);
GOptionEntry *callargs_view(CallArgs *args);

/* TRUE if one of them was given. */
gboolean callargs_given(const CallArgs *args);

/* Those of them that choose stacks, as somebody would write them, for people; "": none. For g_free(). */
char *callargs_text(const CallArgs *args);

/*
 * Makes *@options, which lives as long as @args, of them; of what wasn't given the default. FALSE,
 * after saying why, if one is wrong, or doesn't go with @between.
 */
gboolean callargs_read(CallArgs *args, const Between *between, gboolean json,
		       CallsOptions *options);

#endif
