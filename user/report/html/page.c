// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The template, with "@NAME@" replaced. A page may run only its own program, and load nothing: its
 * content security policy has the hashes of program and style.
 */
#include "report/html/page.h"

#include <gio/gio.h>
#include <string.h>

/* Generated from html.gresource.xml. The reference makes the linker take it from the library. */
GResource *kmt_html_get_resource(void);

static char *resource(const char *name)
{
	g_autofree char *path = g_strconcat("/kmemtrace/html/", name, NULL);
	g_autoptr(GBytes) bytes = g_resource_lookup_data(kmt_html_get_resource(), path,
							 G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);

	return g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
}

/* Returns the hash source of a script or a style: everything between its tags. */
static char *source_of(const char *text)
{
	g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *base64 = NULL;
	guint8 digest[32];
	gsize len = sizeof(digest);

	g_checksum_update(checksum, (const guchar *)text, -1);
	g_checksum_get_digest(checksum, digest, &len);
	base64 = g_base64_encode(digest, len);
	return g_strdup_printf("'sha256-%s'", base64);
}

static char *policy(const char *script, const char *style)
{
	g_autofree char *script_source = source_of(script), *style_source = source_of(style);

	return g_strdup_printf(
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %s; style-src %s\">",
		script_source, style_source);
}

char *html_page(const char *json, gsize *len)
{
	g_autofree char *template = resource("page.html");
	g_autofree char *style = resource("page.css");
	g_autofree char *script = resource("bundle.js");
	g_autofree char *plain = resource("LICENCES.txt");
	g_autofree char *licences = g_markup_escape_text(plain, -1);
	g_autofree char *rule = policy(script, style);
	const struct {
		const char *name, *text;
	} places[] = {
		{ "@POLICY@", rule }, { "@STYLE@", style },   { "@LICENCES@", licences },
		{ "@DATA@", json },   { "@SCRIPT@", script },
	};
	GString *page = g_string_sized_new(strlen(json) + strlen(script) + 65536);
	const char *rest = template;

	/* In order, so that inserted text is not searched. */
	for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *at = strstr(rest, places[i].name);

		if (!at)
			g_error("page.html has no %s", places[i].name);
		g_string_append_len(page, rest, at - rest);
		g_string_append(page, places[i].text);
		rest = at + strlen(places[i].name);
	}
	g_string_append(page, rest);
	*len = page->len;
	return g_string_free(page, FALSE);
}
