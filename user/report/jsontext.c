// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/jsontext.h"

#include "base/visible.h"

void jsontext_print(const char *text, FILE *out)
{
	g_autoptr(GString) quoted = g_string_new("\"");
	g_autofree char *visible = NULL;

	if (!text) {
		fputs("null", out);
		return;
	}
	for (; *text; text++) {
		if ((guchar)*text < ' ') {
			g_string_append_printf(quoted, "\\u%04x", *text);
			continue;
		}
		if (*text == '"' || *text == '\\')
			g_string_append_c(quoted, '\\');
		g_string_append_c(quoted, *text);
	}
	visible = visible_json(quoted->str);
	fprintf(out, "%s\"", visible);
}
