// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/csv.h"

#include <string.h>

#include "base/escape.h"

/* Some spreadsheets also accept the fullwidth forms. */
static gboolean is_formula(const char *text)
{
	static const char *const signs[] = {
		"=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20",
	};

	for (guint i = 0; i < G_N_ELEMENTS(signs); i++) {
		if (g_str_has_prefix(text, signs[i]))
			return TRUE;
	}
	return FALSE;
}

void csv_print_text(const char *text, FILE *out)
{
	gboolean formula = is_formula(text);
	g_autofree char *escaped = escape_is_plain(text) ? NULL : escape_text(text);
	const char *visible = escaped ? escaped : text;

	/* In some languages spreadsheets separate cells at semicolons. */
	if (!formula && !strpbrk(visible, ",;\"")) {
		fputs(visible, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	for (const char *c = visible; *c; c++)
		fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
	fputc('"', out);
}
