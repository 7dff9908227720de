/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies the output of a command to the recorder's terminal. A command of another user gets no
 * descriptor of the terminal: with one, what it leaves behind could read what is typed after the
 * recording, and change the terminal's modes.
 */
#ifndef KMT_CAPTURE_PROCESS_RELAY_H
#define KMT_CAPTURE_PROCESS_RELAY_H

#include <glib.h>

typedef struct Relay Relay;

/* For a command whose standard output is @output; its standard error is that of this process. */
Relay *relay_new(int output, GError **error);

/*
 * In the child, whose standard output is set: replaces its terminals by pipes and, as its standard
 * input, by /dev/null. Closes all others. FALSE: errno says why.
 */
gboolean relay_enter(const Relay *relay);

/* Starts to copy, in a thread. Before, this process may fork. */
void relay_start(Relay *relay);

/*
 * Copies what the pipes hold now, and ends: what is written later goes nowhere. A terminal that
 * accepts nothing is waited for a second. NULL is allowed.
 */
void relay_free(Relay *relay);

#endif
