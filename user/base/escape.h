/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes texts from a trace for printing. A thread can have any name: a line break in it would
 * start a new line, a terminal would obey an escape sequence.
 */
#ifndef KMT_BASE_ESCAPE_H
#define KMT_BASE_ESCAPE_H

#include <glib.h>
#include <stdio.h>

/* Whether there is something in @text that escape_text() would change. */
gboolean escape_is_plain(const char *text);

/*
 * A copy of @text, for g_free(), in UTF-8: control characters, separators of lines, characters that
 * change the direction of text, and bytes that aren't UTF-8 are octal escapes ("\012"), byte by
 * byte. All else is as it was.
 */
char *escape_text(const char *text);

/* Prints escape_text() of @text; the second @before that, and a line break behind it. */
void escape_print(const char *text, FILE *out);
void escape_print_line(const char *before, const char *text, FILE *out);

/* A copy of the name of a file, for g_free(), as a shell takes it, and not as an option. */
char *escape_shell_word(const char *name);

/*
 * A copy of @json, for g_free(): a text of JSON in which the same characters are "\u0085". Bytes
 * that aren't UTF-8 are replaced; line breaks and tabs outside of strings stay.
 */
char *escape_json(const char *json);

#endif
