/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to the user: one line each on stderr, with the tool's name in front. */
#ifndef KMT_BASE_MESSAGE_H
#define KMT_BASE_MESSAGE_H

#include <glib.h>

/* Exit codes of every command. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3, /* success, but the trace has losses or was cut */
	EXIT_CONDITION = 4,  /* only check and diff: a condition is true */
};

void message(const char *format, ...) G_GNUC_PRINTF(1, 2);

/*
 * Prints the message of @error, and frees it. Returns EXIT_FAILED, for `return
 * message_failed(error)`.
 */
int message_failed(GError *error);

/*
 * Returns TRUE if all output so far was written; otherwise prints that @what can't be written.
 * Earlier failed writes count too, even if later ones succeeded.
 */
gboolean message_wrote_stdout(const char *what);

/* Returns TRUE if stderr is a terminal, and long operations may show progress. */
gboolean message_shows_progress(void);

/* Replaces the progress line. An empty @text removes it. */
void message_progress(const char *text);

#endif
