/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads lines from the terminal, with readline if it is there. Ctrl-C ends a line or a running
 * statement, and not the program.
 */
#ifndef KMT_BASE_PROMPT_H
#define KMT_BASE_PROMPT_H

#include <glib.h>
#include <signal.h>
#include <stdio.h>

/* What Ctrl-C did before; for prompt_end(). */
typedef struct {
	struct sigaction before;
} Lines;

/* From now on Ctrl-C sets the flag that is returned, and nothing else. */
const volatile sig_atomic_t *prompt_begin(Lines *lines);
void prompt_end(const Lines *lines);

/* TRUE if Ctrl-C came since the last call. */
gboolean prompt_was_interrupted(void);

/*
 * Reads a line from the terminal, which is stdin, without its line break, for g_free(). NULL at the
 * end of input; empty after Ctrl-C.
 */
char *prompt_ask(const char *prompt);

/* The next line of @file, in the same way. */
char *prompt_next(FILE *file);

#endif
