// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/glob.h"

GPatternSpec *glob_new(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);

	return g_pattern_spec_new(valid);
}

gboolean glob_matches(GPatternSpec *glob, const char *text)
{
	g_autofree char *valid = NULL;

	if (!g_utf8_validate(text, -1, NULL)) {
		valid = g_utf8_make_valid(text, -1);
		text = valid;
	}
	return g_pattern_spec_match_string(glob, text);
}
