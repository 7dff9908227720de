/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KMT_REPORT_QUERY_SHELL_H
#define KMT_REPORT_QUERY_SHELL_H

#include "report/query/query_run.h"

/*
 * Runs statements typed at the terminal, until Ctrl-D or .quit. Errors are printed and don't end
 * the shell. Ctrl-C interrupts a statement. Returns FALSE if output can't be written.
 */
gboolean shell_talk(const QueryRun *ask);

/*
 * Runs the input from stdin, in the same language, until its end or the first error. *@count:
 * number of completed statements and queries.
 */
gboolean shell_read(const QueryRun *ask, guint *count, GError **error);

/* Runs a command, which begins with a dot: ".schema sites". */
gboolean shell_command(const QueryRun *ask, const char *line, GError **error);

#endif
