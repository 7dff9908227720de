// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/page.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "base/owner.h"
#include "base/units.h"
#include "report/html.h"

static gboolean fail(const char *path, const char *why, GError **error)
{
	g_set_error(error, STORE_ERROR, STORE_ERROR_FAILED, "can't write %s: %s", path, why);
	return FALSE;
}

/* A pipe or a device is written as it is. */
static gboolean write_through(const char *path, const char *text, gsize len, GError **error)
{
	FILE *out = g_fopen(path, "we");
	gboolean fine;

	if (!out)
		return fail(path, g_strerror(errno), error);
	fine = fwrite(text, 1, len, out) == len;
	fine = !fclose(out) && fine;
	return fine || fail(path, g_strerror(errno), error);
}

/* Like a trace, it is its owner's alone, who may share it. */
static gboolean write_file(const char *path, const char *text, gsize len, GError **error)
{
	static const char magic[] = "<!DOCTYPE html>";
	g_autoptr(GError) local = NULL;
	Owner owner = { NULL };

	if (g_file_test(path, G_FILE_TEST_EXISTS) && !g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return write_through(path, text, len, error);
	owner_begin(&owner, path, TRUE);
	if (!g_file_set_contents_full(path, text, len, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
				      &local)) {
		owner_end(&owner, NULL, 0);
		return fail(path, local->message, error);
	}
	owner_end(&owner, magic, strlen(magic));
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
	if (!write_file(path, page, len, error))
		return FALSE;
	size = units_format_size(len);
	fprintf(answer->out, "\nPage: %s, %s\n", (const char *)path, size);
	if (cut)
		fprintf(answer->out, "(what is small is told together: the page's end says where)\n");
	return TRUE;
}
