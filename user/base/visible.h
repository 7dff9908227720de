/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts from a trace as they are printed for people. A thread may call itself anything: a line
 * break would make a line of its own, an escape sequence would be obeyed by the terminal.
 */
#ifndef KMT_BASE_VISIBLE_H
#define KMT_BASE_VISIBLE_H

#include <glib.h>

/* Whether there is something in @text that visible_text() would change. */
gboolean visible_is(const char *text);

/*
 * A copy of @text, for g_free(), in which control characters, those of UTF-8 too, are octal escapes
 * ("\012"), byte by byte. All else, also what is no UTF-8, is as it was.
 */
char *visible_text(const char *text);

#endif
