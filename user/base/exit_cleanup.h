/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes unfinished files of outfile_begin() when the process is ended from outside: by signals,
 * or by SIGBUS when somebody shortens a file that a library has mapped, or its disk fails.
 */
#ifndef KMT_BASE_EXIT_CLEANUP_H
#define KMT_BASE_EXIT_CLEANUP_H

#include <glib.h>

/* All that end a process by default and that others send. */
#define ENDED_SIGNALS 14
extern const int ended_signals[ENDED_SIGNALS];

/*
 * From now on the process removes such files where it ends by one of these signals; and ends with
 * one line on stderr and EXIT_FAILED at a SIGBUS. What is ignored stays ignored. A command that it
 * runs has the default actions.
 */
void exit_cleanup_watch(void);

/* In a child: what the other process has begun is not to be removed. */
void exit_cleanup_forget(void);

#endif
