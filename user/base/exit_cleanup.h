/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes unfinished files of outfile_begin() when the process is killed by a signal, including
 * SIGBUS when a mapped file is truncated or its disk fails.
 */
#ifndef KMT_BASE_EXIT_CLEANUP_H
#define KMT_BASE_EXIT_CLEANUP_H

#include <glib.h>

/* All signals that end a process by default and that other processes send. */
#define ENDED_SIGNALS 14
extern const int ended_signals[ENDED_SIGNALS];

/*
 * Makes the process remove such files when one of these signals ends it; at a SIGBUS it also prints
 * one line to stderr and exits with EXIT_FAILED. Ignored signals stay ignored. A command that it
 * runs has the default actions.
 */
void exit_cleanup_watch(void);

/* In a child: keeps the unfinished files of the parent. */
void exit_cleanup_forget(void);

#endif
