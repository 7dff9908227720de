/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads lines from the terminal, with readline if available. Ctrl-C ends a line or a running
 * statement, not the program.
 */
#ifndef KMT_BASE_PROMPT_H
#define KMT_BASE_PROMPT_H

#include <glib.h>
#include <signal.h>
#include <stdio.h>

/* Previous handling of Ctrl-C, for prompt_end(). */
typedef struct {
	struct sigaction before;
} Lines;

/* Makes Ctrl-C only set the returned flag. */
const volatile sig_atomic_t *prompt_begin(Lines *lines);
void prompt_end(const Lines *lines);

/* Returns TRUE if Ctrl-C was pressed since the last call. */
gboolean prompt_was_interrupted(void);

/*
 * Reads a line from the terminal, which is stdin, without its line break, for g_free(). NULL at the
 * end of input; empty after Ctrl-C.
 */
char *prompt_ask(const char *prompt);

/* Reads the next line of @file, likewise. */
char *prompt_next(FILE *file);

#endif
