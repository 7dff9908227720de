/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the memory of this process: the memory that a trace or a database needs depends on its
 * contents, which may be hostile. When an allocation fails, also in a library or another thread,
 * the process prints one line, removes unfinished outputs and exits.
 */
#ifndef KMT_BASE_MEMORY_H
#define KMT_BASE_MEMORY_H

#include <glib.h>

/* Ends the process in this way, too, where GLib would abort it for lack of memory or a thread. */
void memory_watch(void);

/*
 * Sets the memory limit of the process to @limit: bytes as of units_parse_size(), "0" or "none" for
 * no limit, or NULL for half of the memory of the machine or of the process's control groups,
 * whichever is smaller. FALSE with an error for any other text. Builds with sanitizers have no
 * limit: their own memory would count.
 */
gboolean memory_bound(const char *limit, GError **error);

/* Lifts the limit, in a process that runs another program. Allocates nothing. */
void memory_unbound(void);

/* Sets the name of the input file for that line. */
void memory_note_input(const char *path);

/* Returns the bytes that count towards RLIMIT_DATA; 0 if unknown. Allocates nothing. */
guint64 memory_in_use(void);

/*
 * Limits a library that parses untrusted files, from memory_library_enter() to
 * memory_library_leave(): the process may use @bytes more than now, and exits with @line, which
 * must stay valid, if it needs more. Does nothing before memory_bound().
 */
void memory_library_enter(guint64 bytes, const char *line);
void memory_library_leave(void);

/*
 * Handles a failed allocation of @wanted bytes. It does not return, with two exceptions: absurd
 * sizes, which a library read from a file without checks; and, without memory_bound(), more than 64
 * KiB: a recorder continues without the data that a library reads.
 */
void memory_failed(gsize wanted);

/* The same for a thread with a stack of @stack bytes that could not be created. */
void memory_thread_failed(gsize stack);

#endif
