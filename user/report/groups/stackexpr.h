/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Selects stacks by an expression, such as "ext4_* and not (kmalloc or [btrfs])": a condition of
 * report/groups/logic.h, whose leaves are names: a word without blanks, parentheses and quotes, or
 * any text in ' or ".
 *
 * A name is a glob: * matches any characters, ? one. It matches a stack if it matches part of it: a
 * function, with or without the compiler's suffix, also an inlined one with debug files; a module,
 * as "[ext4]"; a subsystem, as "[fs/ext4]", with debug files; or the event, as "kmalloc".
 */
#ifndef KMT_REPORT_GROUPS_STACKEXPR_H
#define KMT_REPORT_GROUPS_STACKEXPR_H

#include "report/groups/logic.h"

typedef struct StackExpr StackExpr;

/* NULL with an error, which has the column (from 1 on, in characters) and what was expected. */
StackExpr *stackexpr_parse(const char *text, GError **error);
void stackexpr_free(StackExpr *expr); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StackExpr, stackexpr_free)

/*
 * From now on, functions match without compiler suffixes alone, so that all builds match alike.
 * Names that are no globs lose theirs.
 */
void stackexpr_make_plain(StackExpr *expr);

/* Returns the names of the expression that match @text, a bit for each. */
guint64 stackexpr_names(const StackExpr *expr, const char *text);

/* The same for the name of a function with compiler suffixes. */
guint64 stackexpr_raw_names(const StackExpr *expr, const char *name);

/* Evaluates it for a stack that matches the names @names, combined by "|". */
gboolean stackexpr_holds(const StackExpr *expr, guint64 names);

/* Returns the first name that isn't among @names, for messages; NULL: none. */
const char *stackexpr_missing(const StackExpr *expr, guint64 names);

#endif
