/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits a writable text into lines, and lines into words.
 */
#ifndef KMT_BASE_TOKENIZE_H
#define KMT_BASE_TOKENIZE_H

#include <glib.h>

#define CUT_BLANKS " \t\r" /* between words */

/* Cuts the first line off *@text (without its end). Returns NULL at the end. */
char *tokenize_line(char **text);

/* Cuts the first word, and the blank after it, off *@line. */
char *tokenize_word(char **line);

/*
 * Cuts a number of @base digits, followed by one space, off *@line. Returns FALSE if there is none.
 */
gboolean tokenize_number(char **line, int base, guint64 *number);

#endif
