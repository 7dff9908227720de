/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the call graph of a trace for graphviz.
 */
#ifndef KMT_CMD_COMMON_DOT_OUTPUT_H
#define KMT_CMD_COMMON_DOT_OUTPUT_H

#include "cmd/common/report_command.h"
#include "report/calltree/dot.h"

#define DOT_FUNCTIONS 80 /* functions in a graph, by default */

typedef struct {
	const CallsOptions *options;
	const char *chosen; /* as of CallDot */
	Srcline *srcline;
	Selection *selection;
	const char *path; /* of the output file; NULL: standard output */
} DotOutput;

/*
 * Opens the file argument, and writes its graph. The head goes to stderr, since standard output is
 * for graphviz. Returns an enum exit_code.
 */
int dot_output_print(int argc, char **argv, const DotOutput *asked);

#endif
