/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of functions and stacks that two builds of a kernel have in common: without addresses,
 * offsets and compiler suffixes.
 */
#ifndef KMT_REPORT_GROUPS_STABLE_NAMES_H
#define KMT_REPORT_GROUPS_STABLE_NAMES_H

#include "store/store.h"

#define STABLE_NAMES_DEPTH 1024 /* of a stack; limits cycles in a database */

typedef struct StableNames StableNames;

/* Reads all names. NULL with an error if the database can't be read. */
StableNames *stable_names_read(StoreDb *db, GError **error);
void stable_names_free(StableNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StableNames, stable_names_free)

/* Returns "function" or "function [module]"; "(unknown)" for no frame, or one without a symbol. */
const char *stable_names_function(const StableNames *names, gint64 frame);

/* Returns the module of a frame; "(kernel)" for none. */
const char *stable_names_module(const StableNames *names, gint64 frame);

/* Sets the innermost frame of @stack, and the stack of its caller. Returns FALSE for no stack. */
gboolean stable_names_step(const StableNames *names, gint64 stack, gint64 *frame, gint64 *caller);

/* Returns TRUE if the function of @frame matches the glob, with or without compiler suffixes. */
gboolean stable_names_match(const StableNames *names, gint64 frame, GPatternSpec *glob);

#endif
