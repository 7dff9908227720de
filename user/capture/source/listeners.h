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

#endif
