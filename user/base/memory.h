/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory this process may have: what a trace or a database needs goes by what is in it,
 * and that may come from anybody. Whatever allocation fails then, in a library or a thread too,
 * ends the process with one line, without the outputs that it had begun.
 */
#ifndef KMT_BASE_MEMORY_H
#define KMT_BASE_MEMORY_H

#include <glib.h>

/*
 * From here on the process may have @limit: bytes as units_parse_size() takes them, "0" or "none"
 * for no limit, or NULL for half of the machine's memory or of what the process's control groups
 * allow, the smaller one. FALSE with an error if it is neither.
 * Builds with sanitizers have no limit: their own memory would be counted.
 */
gboolean memory_bound(const char *limit, GError **error);

/* The file that is read, for that line. */
void memory_note_input(const char *path);

/*
 * @wanted bytes could not be had. Does not return after memory_bound(), does nothing before, nor
 * for sizes that no machine has: those come of numbers that a library has read and not checked.
 */
void memory_failed(gsize wanted);

#endif
