/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of a trace's calls, for graphviz.
 */
#ifndef KMT_CMD_DOT_H
#define KMT_CMD_DOT_H

#include "cmd/question.h"
#include "report/calldot.h"

#define DOT_FUNCTIONS	80	/* that a graph has, if nothing else is asked for */

typedef struct {
	const CallsOptions *options;
	const char *chosen;	/* as of CallDot */
	Srcline *srcline;
	Between *between;
} DotAsked;

/*
 * Opens the file that is left of the arguments, and prints its graph, whose head goes to stderr,
 * too: standard output is graphviz's. An enum exit_code.
 */
int dot_answer(int argc, char **argv, const DotAsked *asked);

#endif
