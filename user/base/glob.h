/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Globs (* and ?) for names that may be invalid UTF-8, which GPatternSpec does not accept. */
#ifndef KMT_BASE_GLOB_H
#define KMT_BASE_GLOB_H

#include <glib.h>

/* Invalid bytes of @text count as replacement characters. Free with g_pattern_spec_free(). */
GPatternSpec *glob_new(const char *text);

/* Returns whether the whole @text, whose invalid bytes count as such characters too, matches. */
gboolean glob_matches(GPatternSpec *glob, const char *text);

#endif
