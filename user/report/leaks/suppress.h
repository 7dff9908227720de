/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Suppressions: a text with one pattern a line of memory that a leak check ignores.
 *
 *   # a comment
 *   module_init_*          a function, anywhere in the stack, or that called
 *   cache:dentry           a cache, with all that the allocator merged with it
 *
 * Patterns are globs of * and ?. A function matches with and without compiler suffixes.
 */
#ifndef KMT_REPORT_LEAKS_SUPPRESS_H
#define KMT_REPORT_LEAKS_SUPPRESS_H

#include "store/store.h"

typedef struct Suppress Suppress;

/* Returns NULL with an error, which has the line, if @path can't be read or a line is invalid. */
Suppress *suppress_read(const char *path, GError **error);
void suppress_free(Suppress *suppress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Suppress, suppress_free)

/* Returns the patterns of functions or caches, of GPatternSpec; @suppress owns them. */
const GPtrArray *suppress_functions(const Suppress *suppress);
const GPtrArray *suppress_caches(const Suppress *suppress);

#endif
