/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process and thread ids from the folders of /proc. */
#ifndef KMT_BASE_NUMBERS_H
#define KMT_BASE_NUMBERS_H

#include <glib.h>

/*
 * Returns at most @most names in the folder @path that are numbers, for g_ptr_array_unref(). All
 * must be listed before the first is inspected. Inspecting takes time: a user could start processes
 * with ever higher ids, and a reader of the folder would never reach the end.
 */
GPtrArray *numbers_list(const char *path, gsize most);

#endif
