/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The width of texts in terminal columns, and texts fitted into columns. Texts are UTF-8: wide
 * characters take two columns, combining ones none, and an invalid byte one. Escape sequences of
 * colours take none.
 */
#ifndef KMT_BASE_TEXT_WIDTH_H
#define KMT_BASE_TEXT_WIDTH_H

#include <glib.h>

/*
 * Returns the number of bytes of the character, or the escape sequence, at the start of @text,
 * which is not empty and ends at @end. *@columns: its width.
 */
gsize text_next(const char *text, const char *end, gsize *columns);

/* Returns the columns of @text. */
gsize text_width(const char *text);

/*
 * Returns @text, or its start and end with "…" between them ("..." where the locale lacks it), in
 * at most @width columns. For g_free().
 */
char *text_shorten(const char *text, gsize width);

/*
 * Appends the line @line of @len bytes, without its line break, to @out, in lines of at most @width
 * columns, each with a line break. Folds at spaces, or within a longer word, and indents continued
 * lines. @width 0: unlimited.
 */
void text_fold(const char *line, gsize len, gsize width, GString *out);

#endif
