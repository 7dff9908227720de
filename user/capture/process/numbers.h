/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes and threads, as folders of /proc name them. */
#ifndef KMT_CAPTURE_PROCESS_NUMBERS_H
#define KMT_CAPTURE_PROCESS_NUMBERS_H

#include <glib.h>

/*
 * Returns the names in the folder @path that are numbers, @most at most, for g_ptr_array_unref().
 * List all before the first is inspected: as that takes time, a user could start processes with
 * ever higher numbers, and a reader of the folder would never end.
 */
GPtrArray *numbers_list(const char *path, gsize most);

#endif
