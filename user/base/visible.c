// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/visible.h"

/* U+0080 to U+009F, as 0xc2 and the number. */
static gboolean is_upper_control(const char *text)
{
	return (guchar)text[0] == 0xc2 && ((guchar)text[1] & 0xe0) == 0x80;
}

/* How many bytes of control characters @text begins with: 0 to 2. */
static guint control_len(const char *text)
{
	if ((guchar)text[0] < ' ' || text[0] == 0x7f)
		return text[0] != 0;
	return is_upper_control(text) ? 2 : 0;
}

gboolean visible_is(const char *text)
{
	for (; *text; text++) {
		if (control_len(text))
			return FALSE;
	}
	return TRUE;
}

char *visible_text(const char *text)
{
	GString *shown = g_string_new(NULL);

	while (*text) {
		guint len = control_len(text);

		for (guint i = 0; i < len; i++)
			g_string_append_printf(shown, "\\%03o", (guchar)text[i]);
		if (!len)
			g_string_append_c(shown, *text);
		text += MAX(len, 1);
	}
	return g_string_free(shown, FALSE);
}
