// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/page.h"

#include <stdio.h>

#include "base/units.h"
#include "base/visible.h"
#include "cmd/newfile.h"
#include "report/html.h"

static gboolean print(gpointer page, FILE *out, GError **error)
{
	(void)error;
	fputs(page, out);
	return TRUE;
}

gboolean page_print(const Answer *answer, gconstpointer path, GError **error)
{
	g_autoptr(HtmlData) data = htmldata_read(answer->db, answer->name, error);
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
	if (!newfile_write(path, "html", print, page, error))
		return FALSE;
	size = units_format_size(len);
	fputs("\nPage: ", answer->out);
	visible_print(path, answer->out);
	fprintf(answer->out, ", %s\n", size);
	if (cut)
		fprintf(answer->out, "(what is small is told together: the page's end says where)\n");
	return TRUE;
}
