/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of commands that test conditions, and the exit code of such a command.
 */
#ifndef KMT_CMD_COMMON_CONDITION_OPTIONS_H
#define KMT_CMD_COMMON_CONDITION_OPTIONS_H

#include "report/check/conditions.h"

/* Zero-initialized. */
typedef struct {
	Conditions conditions; /* set by condition_options_read() */
	char **texts;          /* the values of --fail-if */
	gboolean list, allow_incomplete;
} ConditionOptions;

void condition_options_clear(ConditionOptions *args);

/* Returns entries for the options, which write to @args, NULL-terminated, for g_free(). */
GOptionEntry *condition_options_entries(ConditionOptions *args);

/* Parses the conditions over @names. Returns FALSE, after a message, if one is invalid. */
gboolean condition_options_read(ConditionOptions *args, const ExprName *names, guint count);

/* Returns the exit code for @result, which was printed to stdout as @what. */
int condition_options_exit(const ConditionOptions *args, const ConditionResult *result,
			   const char *what);

#endif
