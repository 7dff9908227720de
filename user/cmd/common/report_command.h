/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of commands that answer one question of a trace: file, interval, site, source lines,
 * printing, exit code.
 */
#ifndef KMT_CMD_COMMON_REPORT_COMMAND_H
#define KMT_CMD_COMMON_REPORT_COMMAND_H

#include "cmd/common/srcline.h"
#include "report/print/printer.h"

#define REPORT_ROWS 10 /* rows, by default */

typedef struct {
	ReportFunc print;
	gconstpointer options; /* of @print */
	const char *site;      /* a function that has to be in the trace; NULL, "": none */
	gboolean json;
	const Srcline *srcline; /* source lines in stacks, if it wants them; NULL: none */
	Interval *interval;     /* only allocations made in it; NULL, or without names: all */
} ReportCommand;

/*
 * FALSE, with a message, if @limit is no number of rows or @by is not in @dimensions, which ends
 * with NULL.
 */
gboolean report_command_check(int limit, const char *by, const char *const *dimensions);

/* Opens the file that is left of the arguments, and prints the answer. An enum exit_code. */
int report_command_run(int argc, char **argv, const ReportCommand *command);

/* The same of the trace or database @path. */
int report_command_run_on(const char *path, const ReportCommand *command);

#endif
