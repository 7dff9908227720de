/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of commands that print one report: file, filters, source lines, printing, exit code. */
#ifndef KMT_CMD_COMMON_REPORT_COMMAND_H
#define KMT_CMD_COMMON_REPORT_COMMAND_H

#include "cmd/common/srcline.h"
#include "report/print/printer.h"

#define REPORT_ROWS 10 /* default number of rows */

typedef struct {
	ReportFunc print;
	gconstpointer options; /* of @print */
	gboolean json;
	const Srcline *srcline; /* of --srcline; NULL: not an option of the command */
	Selection *selection;   /* of the filters; NULL: all allocations */
} ReportCommand;

/* The help of --by for commands that accept all of groups_words. */
#define REPORT_BY                                                                                  \
	"Group by stack, site, module, cache, process, thread, kind, cpu, node, order or size"

/*
 * Returns the word that statements use for @by, the value of --by: "task" for "process". Returns
 * @otherwise if @by is NULL.
 */
const char *report_command_by(const char *by, const char *otherwise);

/*
 * Returns FALSE, with a message, if @limit is below 1, or if @by, from report_command_by(), is not
 * one of @words, which end with NULL; a NULL @words means groups_words.
 */
gboolean report_command_check(int limit, const char *by, const char *const *words);

/* Opens the file named by the remaining argument, and prints the report. Returns an exit_code. */
int report_command_run(int argc, char **argv, const ReportCommand *command);

/* As report_command_run(), for the trace or database @path. */
int report_command_run_on(const char *path, const ReportCommand *command);

#endif
