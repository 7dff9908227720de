// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/common/html_output.h"

#include <stdio.h>

#include "base/escape.h"
#include "base/units.h"
#include "cmd/common/output_file.h"
#include "report/html/page.h"

static gboolean print(gpointer page, FILE *out, GError **error)
{
	(void)error;
	fputs(page, out);
	return TRUE;
}

gboolean html_output_print(const Printer *printer, gconstpointer path, GError **error)
{
	g_autoptr(HtmlData) data =
		htmldata_read(printer->db, printer->name, printer->selection, error);
	g_autofree char *json = NULL, *page = NULL, *size = NULL, *empty = NULL;
	gsize len, besides;
	guint cut = 0;

	if (!data)
		return FALSE;
	empty = html_page("", &besides);
	json = htmldata_json(data, HTML_MAX_BYTES - besides, &cut, error);
	if (!json)
		return FALSE;
	page = html_page(json, &len);
	if (!output_file_write(path, "html", printer->db, print, page, error))
		return FALSE;
	size = units_format_size(len);
	fputs("\nPage: ", printer->out);
	escape_print(path, printer->out);
	fprintf(printer->out, ", %s\n", size);
	if (cut)
		fprintf(printer->out, "(small entries are summed up: see the end of the page)\n");
	return TRUE;
}
