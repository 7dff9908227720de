/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints suspects: each with its verdict, its evidence, and the confidence with its reasons; and a
 * conclusion, also without suspects.
 */
#ifndef KMT_REPORT_LEAKS_VERDICTS_H
#define KMT_REPORT_LEAKS_VERDICTS_H

#include "report/leaks/suspects.h"

/* Prints the first @limit suspects. @by: one of groups_words. */
gboolean verdicts_print(const Suspects *suspects, const char *by, guint limit, GError **error);

/*
 * Prints as text the conclusion after its heading, then a line with verdict, figures and confidence
 * for each of the first @limit suspects. *@any: there is a suspect.
 */
gboolean verdicts_print_short(const Suspects *suspects, const char *by, guint limit, gboolean *any,
			      GError **error);

/* Returns the noun for a group: "call site" and so on. */
const char *verdicts_noun(const char *by);
const char *verdicts_nouns(const char *by);

#endif
