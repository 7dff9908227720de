// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/csv.h"

#include <string.h>

#include "base/visible.h"

void csv_print_text(const char *text, FILE *out)
{
	gboolean formula = *text && strchr("=+-@", *text);
	g_autofree char *escaped = visible_is(text) ? NULL : visible_text(text);
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
