/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sockets on which recorders accept marks.
 */
#ifndef KMT_CAPTURE_SOURCE_LISTENERS_H
#define KMT_CAPTURE_SOURCE_LISTENERS_H

#include <glib.h>

/*
 * Returns the names of the listening sockets, for mark_socket_address(); for g_ptr_array_unref().
 * The kernel knows the owner of each. Those of users other than root and this process's user are
 * left out, unless the kernel has no CONFIG_UNIX_DIAG.
 */
GPtrArray *listeners_find(void);

/*
 * Connects to the socket @name if it belongs to root or to this user. Waits up to @ms milliseconds
 * for the queue of others; if @ms is 0, not at all. Returns 0 with *@fd, for close(), and the
 * recorder's *@pid; or an errno. ECONNREFUSED: there is no recorder. EAGAIN: too many others wait.
 */
int listeners_connect(const char *name, guint ms, int *fd, pid_t *pid);

/* Returns the processes, of pid_t, of recorders that accept connections; for g_array_unref(). */
GArray *listeners_pids(void);

#endif
