// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/text_width.h"

#include <string.h>

#define ESCAPE   '\033'
#define INDENT   4 /* of continued lines */
#define HANG_MAX 5 /* eighths of the width */

/* ---- characters ---- */

/* Returns the length of "\033[…m" at the start of @text. */
static gsize escape_len(const char *text, const char *end)
{
	const char *at = text + 1;

	if (at == end || *at != '[')
		return 1;
	for (at++; at < end && !g_ascii_isalpha(*at); at++)
		;
	return MIN(at + 1, end) - text;
}

gsize text_next(const char *text, const char *end, gsize *columns)
{
	gunichar c;

	*columns = 1;
	if (*text == ESCAPE) {
		*columns = 0;
		return escape_len(text, end);
	}
	if ((guchar)*text < 0x80)
		return 1;
	c = g_utf8_get_char_validated(text, end - text);
	if (c == (gunichar)-1 || c == (gunichar)-2)
		return 1;
	*columns = g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
	return g_utf8_next_char(text) - text;
}

static gsize width_of(const char *text, const char *end)
{
	gsize width = 0, columns;

	while (text < end) {
		text += text_next(text, end, &columns);
		width += columns;
	}
	return width;
}

gsize text_width(const char *text)
{
	return width_of(text, text + strlen(text));
}

/* ---- shortening ---- */

/* Returns the bytes of the longest start of @text of at most @width columns. */
static gsize head_len(const char *text, const char *end, gsize width)
{
	const char *at = text;
	gsize columns;

	while (at < end) {
		gsize len = text_next(at, end, &columns);

		if (columns > width)
			break;
		width -= columns;
		at += len;
	}
	return at - text;
}

/* Returns the longest end of at most @width columns. */
static const char *tail_of(const char *text, const char *end, gsize width)
{
	gsize rest = width_of(text, end), columns;

	while (text < end && rest > width) {
		text += text_next(text, end, &columns);
		rest -= columns;
	}
	return text;
}

char *text_shorten(const char *text, gsize width)
{
	const char *dots = g_get_charset(NULL) ? "…" : "...";
	gsize dots_width = text_width(dots), kept;
	const char *end = text + strlen(text);

	if (width_of(text, end) <= width)
		return g_strdup(text);
	if (width <= dots_width)
		return g_strndup(text, head_len(text, end, width));
	kept = width - dots_width;
	return g_strdup_printf("%.*s%s%s", (int)head_len(text, end, kept - kept / 2), text, dots,
			       tail_of(text, end, kept / 2));
}

/* ---- folding ---- */

/*
 * Returns the indentation of continued lines: the start of the second of two columns of text, as in
 * --help, if there is enough room; else a little more than that of the line.
 */
static gsize hang_of(const char *line, const char *end, gsize width)
{
	gsize indent = 0, column, hang = 0, columns;
	const char *at = line;

	while (at < end && *at == ' ')
		at++;
	indent = column = at - line;
	while (at < end && column * 8 <= width * HANG_MAX) {
		const char *gap = at;

		while (at < end && *at == ' ')
			at++;
		if (at - gap > 1)
			hang = column + (at - gap);
		column += at - gap;
		if (at == end)
			break;
		at += text_next(at, end, &columns);
		column += columns;
	}
	if (hang && hang * 8 <= width * HANG_MAX)
		return hang;
	hang = indent + (line[indent] == '(' ? 1 : INDENT);
	return hang * 2 < width ? hang : MIN(INDENT, width / 4);
}

/* Returns the end of a line of at most @width columns from @text on: at a space, or anywhere. */
static const char *find_break(const char *text, const char *end, gsize width)
{
	const char *at = text, *space = NULL;
	gsize column = 0, columns;
	gboolean has_word = FALSE;

	while (at < end) {
		gsize len = text_next(at, end, &columns);

		if (*at == ' ' && has_word)
			space = at;
		has_word |= *at != ' ' && *at != ESCAPE;
		if (column + columns > width)
			return space ? space : at;
		column += columns;
		at += len;
	}
	return end;
}

void text_fold(const char *line, gsize len, gsize width, GString *out)
{
	const char *end = line + len, *next;
	gsize hang;

	if (!width || width_of(line, end) <= width) {
		g_string_append_len(out, line, len);
		g_string_append_c(out, '\n');
		return;
	}
	hang = hang_of(line, end, width);
	next = find_break(line, end, width);
	g_string_append_printf(out, "%.*s\n", (int)(next - line), line);
	while (next < end) {
		while (next < end && *next == ' ')
			next++;
		line = next;
		next = find_break(line, end, width - hang);
		if (next == line && next < end) /* a character that is wider than the line */
			next += text_next(line, end, &len);
		if (next > line)
			g_string_append_printf(out, "%*s%.*s\n", (int)hang, "", (int)(next - line),
					       line);
	}
}
