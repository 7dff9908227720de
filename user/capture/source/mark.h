/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks from outside a recorder.
 */
#ifndef KMT_CAPTURE_SOURCE_MARK_H
#define KMT_CAPTURE_SOURCE_MARK_H

#include <glib.h>

/*
 * Adds a mark to all running traces: by the module, and by each recorder that uses BPF programs.
 * Returns FALSE with an error if there is none, or if there was no room.
 */
gboolean source_mark(const char *text, GError **error);

#endif
