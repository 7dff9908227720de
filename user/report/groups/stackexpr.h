/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which stacks somebody asks for, as "ext4_* and not (kmalloc or [btrfs])": a condition as
 * report/groups/logic.h has it, whose leaves are names: a word without blanks, parentheses and
 * quotes, or anything in ' or ".
 *
 * A name is a glob: * stands for any letters, ? for one. A stack has it if it fits something of the
 * stack: a function, with or without what the compiler put behind its name, also an inlined one
 * where debug files tell; a module, as "[ext4]"; a subsystem, as "[fs/ext4]", where they do; or the
 * event, as "kmalloc".
 */
#ifndef KMT_REPORT_GROUPS_STACKEXPR_H
#define KMT_REPORT_GROUPS_STACKEXPR_H

#include "report/groups/logic.h"

typedef struct StackExpr StackExpr;

/* NULL with an error, which tells the column (from 1 on, of characters) and what was expected. */
StackExpr *stackexpr_parse(const char *text, GError **error);
void stackexpr_free(StackExpr *expr); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StackExpr, stackexpr_free)

/* The names of the expression that fit @text, a bit for each. */
guint64 stackexpr_names(const StackExpr *expr, const char *text);

/* Whether it is true of a stack that has the names @names: those of all that is in it, by "|". */
gboolean stackexpr_holds(const StackExpr *expr, guint64 names);

#endif
