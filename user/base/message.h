/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages to the user: one line each, on stderr, with the tool's name in front.
 */
#ifndef KMT_BASE_MESSAGE_H
#define KMT_BASE_MESSAGE_H

#include <glib.h>

/* Exit codes of every command. */
enum exit_code {
	EXIT_FINE = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_INCOMPLETE = 3, /* done, but the trace has losses or was cut */
	EXIT_CONDITION = 4,  /* check alone: a condition failed */
};

void message(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* The same for @error, which is freed. Returns EXIT_FAILED, for `return message_failed(error)`. */
int message_failed(GError *error);

/*
 * TRUE if all output so far was written; otherwise prints that @what can't be written. Earlier
 * failed writes count too, even if later ones succeeded.
 */
gboolean message_wrote_stdout(const char *what);

/* TRUE if stderr is a terminal: then long work may show how far it is. */
gboolean message_shows_progress(void);

/* Overwrites the line that was shown before. An empty @text removes it. */
void message_progress(const char *text);

#endif
