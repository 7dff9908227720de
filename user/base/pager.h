/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pager, as git's: KMEMTRACE_PAGER, else PAGER, else less. Never for a process that runs with
 * rights that its user doesn't have: pagers run commands.
 */
#ifndef KMT_BASE_PAGER_H
#define KMT_BASE_PAGER_H

#include <glib.h>

/* Returns the command of the pager, for g_free(); NULL: none is wanted, allowed or there. */
char *pager_find(void);

/*
 * Starts @command. From now on stdout, and stderr if it is a terminal, go to it, and SIGPIPE is
 * ignored. @prepare is called in its process. FALSE if that fails.
 */
gboolean pager_begin(const char *command, void (*prepare)(void));

/*
 * Closes stdout and stderr, if they go to a pager, and waits until the user leaves it. Before the
 * process ends, in any way; may be called in a signal handler.
 */
void pager_end(void);

#endif
