// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/csv.h"

#include <string.h>

#include "base/escape.h"

void csv_print_text(const char *text, FILE *out)
{
	gboolean formula = *text && strchr("=+-@", *text);
	g_autofree char *escaped = escape_is_plain(text) ? NULL : escape_text(text);
	const char *visible = escaped ? escaped : text;

	if (!formula && !strpbrk(visible, ",\"")) {
		fputs(visible, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (const char *c = visible; *c; c++)
		fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
	fputc('"', out);
}
