/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks of two traces by the names of their functions: a tree that has each name and each path
 * once, since all stacks as texts may be ten thousand times as long as the traces.
 */
#ifndef KMT_REPORT_DIFF_STACK_PATHS_H
#define KMT_REPORT_DIFF_STACK_PATHS_H

#include "report/groups/stable_names.h"

typedef struct StackPaths StackPaths;

StackPaths *stack_paths_new(void);
void stack_paths_free(StackPaths *paths); /* NULL is allowed */

/*
 * Begins to add stacks of a trace, whose names are @names. They must live until it is called again,
 * or @paths are freed.
 */
void stack_paths_begin(StackPaths *paths, const StableNames *names);

/* Returns the number of a stack: equal for stacks with equal names; 0: there is no stack. */
guint stack_paths_add(StackPaths *paths, gint64 stack);

/* Returns "innermost < … < outermost", for g_free(); "(no stack)" for 0. */
char *stack_paths_text(const StackPaths *paths, guint path);

/* Compares names from the innermost function on, as strcmp(). */
int stack_paths_compare(const StackPaths *paths, guint a, guint b);

#endif
