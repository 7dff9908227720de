/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_REPORT_QUERY_SHELL_H
#define KMT_REPORT_QUERY_SHELL_H

#include "report/query/query_run.h"

/*
 * Runs statements typed at the terminal, until Ctrl-D or .quit. Errors are printed, and don't end
 * it. Ctrl-C stops a statement. FALSE if output can't be written.
 */
gboolean shell_talk(const QueryRun *ask);

/*
 * Answers what comes from stdin, in the same language, until its end or the first error. *@count:
 * how much was answered.
 */
gboolean shell_read(const QueryRun *ask, guint *count, GError **error);

/* Carries one command out, which begins with a dot: ".schema sites". */
gboolean shell_command(const QueryRun *ask, const char *line, GError **error);

#endif
