/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Escapes texts from a trace for printing. A thread can have any name: a line break in it would
 * start a new line, and a terminal would execute an escape sequence.
 */
#ifndef KMT_BASE_ESCAPE_H
#define KMT_BASE_ESCAPE_H

#include <glib.h>
#include <stdio.h>

/* Returns whether escape_text() would not change @text. */
gboolean escape_is_plain(const char *text);

/*
 * Returns a copy of @text, for g_free(), in UTF-8: control characters, line separators, characters
 * that change the direction of text, and invalid bytes are octal escapes ("\012"), byte by byte.
 */
char *escape_text(const char *text);

/* Prints @text, of several lines, so that all but line breaks and tabs is escaped as above. */
void escape_print_lines(const char *text, FILE *out);

/* Prints escape_text() of @text; the second @before that, and a line break after it. */
void escape_print(const char *text, FILE *out);
void escape_print_line(const char *before, const char *text, FILE *out);

/*
 * Returns a copy of a file name, for g_free(), quoted for a shell, and not mistaken for an option.
 */
char *escape_shell_word(const char *name);

/*
 * Returns a copy of @json, a JSON text, for g_free(), with the same characters as "\u0085".
 * Invalid UTF-8 is replaced; line breaks and tabs outside of strings are kept.
 */
char *escape_json(const char *json);

#endif
