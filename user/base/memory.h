/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the memory of this process: the memory that a trace or a database needs depends on its
 * contents, which may be hostile. When an allocation fails, in a library or another thread too,
 * the process prints one line, removes unfinished outputs and exits.
 */
#ifndef KMT_BASE_MEMORY_H
#define KMT_BASE_MEMORY_H

#include <glib.h>

/*
 * Sets the memory limit of the process to @limit: bytes as units_parse_size() takes them, "0" or
 * "none" for no limit, or NULL for half of the machine's memory or of what the process's control
 * groups allow, the smaller one. FALSE with an error if it is neither. Builds with sanitizers have
 * no limit: their own memory would be counted.
 */
gboolean memory_bound(const char *limit, GError **error);

/* Lifts the limit, in a process that runs another program. Allocates nothing. */
void memory_unbound(void);

/* The file that is read, for that line. */
void memory_note_input(const char *path);

/* Returns the bytes that count towards RLIMIT_DATA; 0 if unknown. Allocates nothing. */
guint64 memory_in_use(void);

/*
 * From memory_library_enter() to memory_library_leave() a library works that reads what it is told
 * to: the process may take @bytes more than it has, and ends with @line, which stays valid, if it
 * needs more. Does nothing before memory_bound().
 */
void memory_library_enter(guint64 bytes, const char *line);
void memory_library_leave(void);

/*
 * @wanted bytes could not be had. Does not return after memory_bound(), does nothing before, nor
 * for sizes that no machine has: those come of numbers that a library has read and not checked.
 */
void memory_failed(gsize wanted);

#endif
