/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies the output of a command to the recorder's terminal. A command of another user gets no
 * descriptor of the terminal: with one, its background processes could read input that is typed
 * after the recording, and change the terminal's modes.
 */
#ifndef KMT_CAPTURE_PROCESS_RELAY_H
#define KMT_CAPTURE_PROCESS_RELAY_H

#include <glib.h>

typedef struct Relay Relay;

/* @output: standard output of the command; its standard error is that of this process. */
Relay *relay_new(int output, GError **error);

/*
 * In the child, with standard output set: replaces its terminals by pipes and standard input by
 * /dev/null, and closes other terminals. Returns FALSE with errno.
 */
gboolean relay_enter(const Relay *relay);

/* Starts the copying thread. This process must not fork afterwards. */
void relay_start(Relay *relay);

/*
 * Copies the current contents of the pipes, and ends: later output is discarded. Waits up to a
 * second for a blocked terminal. NULL is allowed.
 */
void relay_free(Relay *relay);

#endif
