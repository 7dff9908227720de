/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many columns of a terminal a text takes, and texts of at most so many columns. Texts are
 * UTF-8: wide characters take two columns, combining ones none, and a byte that isn't UTF-8 one.
 * Escape sequences of colours take none.
 */
#ifndef KMT_BASE_TEXT_WIDTH_H
#define KMT_BASE_TEXT_WIDTH_H

#include <glib.h>

/*
 * Returns the number of bytes of the character, or the escape sequence, at the start of @text,
 * which is not empty and ends at @end. *@columns: how many it takes.
 */
gsize text_next(const char *text, const char *end, gsize *columns);

/* Returns the columns of @text. */
gsize text_width(const char *text);

/* Returns @text, or its start and end with "…" between them ("..." where the locale has none), in
 * at most @width columns. For g_free(). */
char *text_shorten(const char *text, gsize width);

/*
 * Appends the line @line of @len bytes, without its line break, to @out, in lines of at most @width
 * columns, each with a line break. It is folded at spaces, or within a longer word; what continues
 * is indented. @width 0: as it is.
 */
void text_fold(const char *line, gsize len, gsize width, GString *out);

#endif
