// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/escape.h"

#include <string.h>

/* Returns whether a character begins a line, or makes a terminal display text in another order. */
static gboolean is_layout(gunichar c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

/*
 * Returns how many bytes at the start of @text must be escaped; 0: none. *@shown: bytes of a
 * character that is printed unchanged.
 */
static guint escaped_len(const char *text, guint *shown)
{
	gunichar c = (guchar)text[0] < 0x80 ? (guchar)text[0] : g_utf8_get_char_validated(text, -1);

	*shown = 0;
	if (c == (gunichar)-1 || c == (gunichar)-2)
		return 1; /* not UTF-8 */
	*shown = g_utf8_next_char(text) - text;
	return c < ' ' || (c >= 0x7f && c < 0xa0) || is_layout(c) ? *shown : 0;
}

gboolean escape_is_plain(const char *text)
{
	guint shown;

	for (; *text; text += shown) {
		if (escaped_len(text, &shown))
			return FALSE;
	}
	return TRUE;
}

char *escape_text(const char *text)
{
	GString *visible = g_string_new(NULL);
	guint shown, escaped;

	for (; *text; text += escaped ? escaped : shown) {
		escaped = escaped_len(text, &shown);
		for (guint i = 0; i < escaped; i++)
			g_string_append_printf(visible, "\\%03o", (guchar)text[i]);
		if (!escaped)
			g_string_append_len(visible, text, shown);
	}
	return g_string_free(visible, FALSE);
}

void escape_print(const char *text, FILE *out)
{
	g_autofree char *visible = escape_is_plain(text) ? NULL : escape_text(text);

	fputs(visible ? visible : text, out);
}

void escape_print_line(const char *before, const char *text, FILE *out)
{
	fputs(before, out);
	escape_print(text, out);
	fputc('\n', out);
}

void escape_print_lines(const char *text, FILE *out)
{
	while (*text) {
		gsize len = strcspn(text, "\n\t");
		g_autofree char *part = g_strndup(text, len);

		escape_print(part, out);
		text += len;
		if (*text)
			fputc(*text++, out);
	}
}

char *escape_json(const char *json)
{
	GString *visible = g_string_new(NULL);
	guint shown;

	for (; *json; json += MAX(shown, 1)) {
		if (escaped_len(json, &shown) && (guchar)*json >= ' ')
			g_string_append_printf(visible, "\\u%04x",
					       shown ? g_utf8_get_char(json) : 0xfffd);
		else
			g_string_append_len(visible, json, shown);
	}
	return g_string_free(visible, FALSE);
}

char *escape_shell_word(const char *name)
{
	static const char fine[] = G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/._-+,:@%=";
	g_autofree char *path = g_strconcat(name[0] == '-' ? "./" : "", name, NULL);

	return path[strspn(path, fine)] ? g_shell_quote(path) : g_steal_pointer(&path);
}
