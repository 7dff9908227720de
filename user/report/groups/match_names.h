/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches functions of a trace with globs. Remembers each frame and stack, so that many stacks of
 * equal functions cost little.
 */
#ifndef KMT_REPORT_GROUPS_MATCH_NAMES_H
#define KMT_REPORT_GROUPS_MATCH_NAMES_H

#include "report/groups/stable_names.h"

typedef struct MatchNames MatchNames;

/* @globs: of GPatternSpec. They and @names must live as long. */
MatchNames *match_names_new(const StableNames *names, const GPtrArray *globs);
void match_names_free(MatchNames *match); /* NULL is allowed */

/* Returns TRUE if the function of @frame matches one of the globs, with or without suffixes. */
gboolean match_names_frame(MatchNames *match, gint64 frame);

/* Returns TRUE if a function of @stack does. */
gboolean match_names_stack(MatchNames *match, gint64 stack);

#endif
