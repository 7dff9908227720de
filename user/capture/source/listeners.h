/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sockets at which recorders take marks.
 */
#ifndef KMT_CAPTURE_SOURCE_LISTENERS_H
#define KMT_CAPTURE_SOURCE_LISTENERS_H

#include <glib.h>

/*
 * Returns the names of the sockets that listen, as mark_socket_address() takes them, for
 * g_ptr_array_unref(). The kernel knows the owner of each: those of others than root and this
 * process's user are left out, unless it has no CONFIG_UNIX_DIAG.
 */
GPtrArray *listeners_find(void);

#endif
