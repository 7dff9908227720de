/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts a pager as git does: KMEMTRACE_PAGER, else PAGER, else less. Never in a process with more
 * privileges than its user: pagers run commands.
 */
#ifndef KMT_BASE_PAGER_H
#define KMT_BASE_PAGER_H

#include <glib.h>

/*
 * Returns the command of the pager, for g_free(); NULL if it is disabled, not allowed or not found.
 */
char *pager_find(void);

/*
 * Starts @command, and redirects stdout, and stderr if it is a terminal, to it. Ignores SIGPIPE.
 * @prepare is called in its process. Returns FALSE on failure.
 */
gboolean pager_begin(const char *command, void (*prepare)(void));

/*
 * Closes stdout and stderr, if they go to a pager, and waits until the user quits it. To be called
 * before the process ends in any way, also in a signal handler.
 */
void pager_end(void);

#endif
