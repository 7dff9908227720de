// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/jsontext.h"

static void print_char(guchar c, FILE *out)
{
	if (c == '"' || c == '\\')
		fprintf(out, "\\%c", c);
	else if (c < 0x20 || c == 0x7f)
		fprintf(out, "\\u%04x", c);
	else
		fputc(c, out);
}

void jsontext_print(const char *text, FILE *out)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	for (const char *c = valid; *c; c++)
		print_char(*c, out);
	fputc('"', out);
}
